package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A signal ends every command with 128 and its number, and leaves no part of a file: commands that
// keep complete rows, that compute, that run a program, and that serve.
func TestSignals(t *testing.T) {
	t.Parallel()
	commands := map[string][]string{
		"rows": {"whatif", "sweep", "clip", "wire.tau=1us/KiB..8us/KiB/3000",
			"host-dma.tau=1us/KiB..8us/KiB/3000", "-o", "rows.csv"},
		"computes": {"collective", "bcast", "clip", "--ranks", "2..4096", "--to", "openmpi",
			"--unverified", "-o", "rules"},
		"program": {"simulate", "endless.star", "--ranks", "2", "--time-limit", "1h", "-o", "a.csv"},
		"file":    {"simulate", "top.star", "--ranks", "2", "--time-limit", "1h", "-o", "a.csv"},
		"serves":  {"engine", "serve", "--listen", "127.0.0.1:0"},
	}
	const endless = "for i in range(16000000):\n        for j in range(16000000):\n            pass\n"
	for name, args := range commands {
		for sent, status := range map[syscall.Signal]int{syscall.SIGINT: 130,
			syscall.SIGHUP: 129, syscall.SIGTERM: 143} {
			t.Run(name+" "+sent.String(), func(t *testing.T) {
				if signal.Ignored(sent) {
					t.Skip("the test runs under nohup, which commands obey")
				}
				dir := t.TempDir()
				write(t, filepath.Join(dir, "endless.star"), "def main(mpi):\n    "+endless)
				write(t, filepath.Join(dir, "top.star"), "def f():\n    "+endless+
					"f()\ndef main(mpi):\n    pass\n")
				if got := signalledStatus(t, dir, sent, args); got != status {
					t.Errorf("status %d, want %d", got, status)
				}
				left, err := filepath.Glob(filepath.Join(dir, ".halfpeak*"))
				if err != nil || len(left) > 0 {
					t.Errorf("left: %v (%v)", left, err)
				}
			})
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// worked returns the time of the processor that a process took, in hundredths of a second.
func worked(t *testing.T, pid int) int {
	t.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(stat), ") ") // of the name; proc(5) counts it as field 2
	if strings.HasPrefix(after, "Z") {
		t.Fatal("the command ended before it got a signal")
	}
	ticks, err := strconv.Atoi(strings.Fields(after)[14-3])
	if err != nil {
		t.Fatal(err)
	}
	return ticks
}

// signalledStatus returns the exit status of a command that gets a signal at work: when it has said
// that it serves, or after 0.2 s of processor, when the others, which take minutes, have begun.
func signalledStatus(t *testing.T, dir string, signal syscall.Signal, args []string) int {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, args...)
	cmd.Args[0] = "halfpeak" // the name by which TestMain runs the command
	cmd.Dir = dir
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if args[0] == "engine" {
		if line, err := bufio.NewReader(out).ReadString('\n'); !strings.HasPrefix(line, "serving") {
			t.Fatalf("%q, %v", line, err)
		}
	} else {
		for worked(t, cmd.Process.Pid) < 20 {
			time.Sleep(10 * time.Millisecond)
		}
	}
	if err := cmd.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // an error, since the status is not 0
	return cmd.ProcessState.ExitCode()
}
