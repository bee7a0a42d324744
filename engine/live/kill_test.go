//go:build linux

package live

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// killed is the number of processes that each of the tests kills.
const killed = 50

// work runs one program after another until an error. It begins with that of the number.
func work(q *Pair, first int) error {
	for i := first; ; i++ {
		program := append(Programs, "signature")[i%(len(Programs)+1)]
		if _, err := q.Run(Job{Program: program, Size: 100 << (i % 11), Count: 100, Deltas: []float64{1}}); err != nil {
			return err
		}
	}
}

// TestKillOther kills node 1 in all programs, at any moment: node 0 ends with an error in time.
func TestKillOther(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 1))
	for i := range killed {
		transport := Transports[i%len(Transports)]
		q, err := Start(transport, false, "child", string(transport))
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Duration(random.IntN(30))*time.Millisecond, func() { _ = q.child.Process.Kill() })
		ended := make(chan error, 1)
		go func() { ended <- work(q, i) }()
		select {
		case err := <-ended:
			if !strings.Contains(err.Error(), "gone") {
				t.Errorf("%s: %v", transport, err)
			}
		case <-time.After(5 * time.Second):
			t.Fatalf("%s, program %d: node 0 goes on", transport, i)
		}
		_ = q.Close() // the child's status is that it was killed
	}
}

// TestKillThis kills node 0: node 1 ends by itself.
func TestKillThis(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(2, 1))
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for i := range killed {
		transport := string(Transports[i%len(Transports)])
		parent := exec.Command(path, "parent", transport)
		out, err := parent.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := parent.Start(); err != nil {
			t.Fatal(err)
		}
		var pid int
		if _, err := fmt.Fscan(out, &pid); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(random.IntN(30)) * time.Millisecond)
		if err := parent.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = parent.Wait() // its status is that it was killed
		start := time.Now()
		for !gone(pid) {
			if time.Since(start) > 5*time.Second {
				t.Fatalf("%s: node 1 goes on", transport)
			}
			time.Sleep(time.Millisecond)
		}
	}
}

// gone tells whether a process has ended; one that nobody has waited for yet has.
func gone(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || unix.Kill(pid, 0) != nil || strings.Contains(string(stat), ") Z ")
}
