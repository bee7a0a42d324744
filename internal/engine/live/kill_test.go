//go:build linux

package live

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/halfpeak/halfpeak/internal/engine"
	"github.com/halfpeak/halfpeak/internal/engine/programs"
)

// killed is the number of processes that each of the tests kills.
const killed = 50

// work runs one program after another until an error. It begins with that of the number.
func work(q *Pair, first int) error {
	for i := first; ; i++ {
		names := programs.Names(programs.Real)
		program := names[i%len(names)]
		if _, err := q.Run(Job{Program: program, Size: 100 << (i % 11), Count: 100, Deltas: []float64{1}}); err != nil {
			return err
		}
	}
}

// held counts what a process might leave behind: descriptors, and mappings of shared memory.
func held(t *testing.T) (descriptors, mappings int) {
	t.Helper()
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	return len(fds), strings.Count(string(maps), "memfd:halfpeak")
}

// TestKillOther kills node 1 in all programs, at any moment: node 0 ends with an error in time,
// and has no more descriptors and memory than before. No other test runs meanwhile.
func TestKillOther(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	var descriptors, mappings int
	for i := range 1 + killed { // after the first the runtime has what it keeps
		if i == 1 {
			descriptors, mappings = held(t)
		}
		transport := Transports[i%len(Transports)]
		q, err := Start(transport, false, "child", string(transport))
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Duration(random.IntN(30))*time.Millisecond, func() { _ = q.child.Process.Kill() })
		ended := make(chan error, 1)
		go func() { ended <- work(q, i/len(Transports)) }()
		select {
		case err := <-ended:
			// A busy machine may see the silence before the end of the connection.
			if !slices.ContainsFunc([]string{"gone", "no message from", "has not answered", "does not acknowledge"}, func(s string) bool { return strings.Contains(err.Error(), s) }) {
				t.Errorf("%s: %v", transport, err)
			}
		case <-time.After(generous):
			t.Fatalf("%s, program %d: node 0 goes on", transport, i/len(Transports))
		}
		_ = q.Close() // the child's status is that it was killed
		if !gone(q.child.Process.Pid) {
			t.Errorf("%s: node 1 is there after Close", transport)
		}
	}
	d, m := held(t)
	// What reads the other node's last words may not have run yet.
	for start := time.Now(); time.Since(start) < generous; d, m = held(t) {
		if d <= descriptors && m <= mappings {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d descriptors and %d mappings are left of %d pairs", d-descriptors, m-mappings, killed)
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
		parent := exec.Command(path, "parent", transport, strconv.Itoa(i/len(Transports)))
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
			if time.Since(start) > generous {
				t.Fatalf("%s: node 1 goes on", transport)
			}
			time.Sleep(time.Millisecond)
		}
	}
}

// hung is the number of processes of each transport that TestHang stops.
const hung = 2

// TestHang stops node 1 in the middle of a job, without ending it: node 0 loses its patience, ends
// with one error, and Close leaves no process behind.
func TestHang(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for Patience")
	}
	t.Parallel()
	var running sync.WaitGroup // all wait at the same time; of subtests only as many run as there are processors
	for _, transport := range Transports {
		for i := range hung {
			running.Go(func() {
				if err := hang(t, transport, i); err != nil {
					t.Errorf("%s: %v", transport, err)
				}
			})
		}
	}
	running.Wait()
}

func hang(t *testing.T, transport Transport, first int) error {
	path, err := os.Executable()
	if err != nil {
		return err
	}
	// A process of its own for each pair: a node that is alone in its process sleeps without
	// telling the scheduler.
	parent := exec.Command(path, "parent", string(transport), strconv.Itoa(first))
	var said bytes.Buffer
	parent.Stderr = &said
	out, err := parent.StdoutPipe()
	if err != nil {
		return err
	}
	if err := parent.Start(); err != nil {
		return err
	}
	late := time.AfterFunc(generous, func() { _ = parent.Process.Kill() })
	defer late.Stop()
	var pid int
	if _, err := fmt.Fscan(out, &pid); err != nil {
		return errors.Join(err, parent.Wait())
	}
	time.Sleep(time.Duration(50+rand.IntN(50)) * time.Millisecond)
	if err := unix.Kill(pid, unix.SIGSTOP); err != nil {
		return errors.Join(err, parent.Wait())
	}
	start := time.Now()
	var closing time.Duration
	_, err = fmt.Fscan(out, &closing) // when node 0 has its error and has closed the pair
	took := time.Since(start)
	_ = parent.Wait() // its status says that it had an error
	if err != nil {
		return errors.Join(err, unix.Kill(pid, unix.SIGKILL))
	}
	message := strings.TrimSpace(said.String())
	t.Logf("%s: %v, and %v to close: %s", transport, took-closing, closing, message)
	if message == "" || strings.Contains(message, "\n") {
		return fmt.Errorf("after %v: %q", took-closing, message)
	}
	if !gone(pid) {
		return errors.Join(errors.New("node 1 is there after Close"), unix.Kill(pid, unix.SIGKILL))
	}
	return nil
}

// TestStarved runs out of descriptors at each place where a run or a pair asks for one: what it
// had is given back. The limit is that of another process.
func TestStarved(t *testing.T) {
	t.Parallel()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, transport := range Transports {
		t.Run(string(transport), func(t *testing.T) {
			t.Parallel()
			if out, err := exec.Command(path, "starve", string(transport)).CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}

func starve(transport Transport) error {
	used := func() map[string]bool {
		runtime.GC() // package exec leaves pipes of what it could not start to the collector
		runtime.GC()
		names := map[string]bool{}
		for fd := range 100 {
			if to, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd)); err == nil {
				names[fmt.Sprintf("%d %s", fd, to)] = true
			}
		}
		return names
	}
	attempt := func() (run, pair error) {
		run = Run(transport, engine.Options{}, func(*engine.Endpoint) error { return nil })
		q, pair := Start(transport, false, "child", string(transport))
		if pair == nil {
			pair = q.Close()
		}
		return run, pair
	}
	if run, pair := attempt(); run != nil || pair != nil { // the runtime has what it keeps
		return errors.Join(run, pair)
	}
	before := used()
	failed := 0
	for more := range 32 {
		var limit unix.Rlimit
		if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
			return err
		}
		few := limit
		few.Cur = uint64(len(before) + more)
		if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &few); err != nil {
			return err
		}
		run, pair := attempt()
		if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
			return err
		}
		for _, err := range []error{run, pair} {
			if err != nil {
				failed++
			}
		}
		left := used()
		for start := time.Now(); len(left) > len(before) && time.Since(start) < generous; {
			time.Sleep(time.Millisecond)
			left = used()
		}
		if len(left) > len(before) {
			return fmt.Errorf("with %d descriptors more there are %v, after %v; %v, %v", more, left, before, run, pair)
		}
		if run == nil && pair == nil {
			if failed == 0 {
				return errors.New("nothing failed")
			}
			return nil
		}
	}
	return errors.New("32 descriptors do not suffice")
}

// gone tells whether a process has ended; one that nobody has waited for yet has.
func gone(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || unix.Kill(pid, 0) != nil || strings.Contains(string(stat), ") Z ")
}
