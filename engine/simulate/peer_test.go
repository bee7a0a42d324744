package simulate_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/simulate"
)

// Fresh random programs, run by LogGOPSim itself and by its rules here. peers/run.sh starts it:
// LOGGOPSIM is a folder with LogGOPSim and txt2bin, LOGGOPSIM_PROGRAMS how many programs there
// are to be.
func TestPeer(t *testing.T) {
	dir := os.Getenv("LOGGOPSIM")
	if dir == "" {
		t.Skip("LOGGOPSIM is no folder with LogGOPSim")
	}
	programs, err := strconv.Atoi(os.Getenv("LOGGOPSIM_PROGRAMS"))
	if err != nil {
		t.Fatal(err)
	}
	first := uint64(time.Now().UnixNano())
	text, binary := filepath.Join(t.TempDir(), "a.goal"), filepath.Join(t.TempDir(), "a.bin")
	equal, stuck := 0, 0
	for n := range programs {
		seed := first + uint64(n)
		r := rand.New(rand.NewPCG(seed, 5))
		var s *schedule.Schedule
		// With up to 200 messages, more than 16 operations of a rank become free at once.
		ranks, messages := 1+r.IntN(12), 1+r.IntN([]int{20, 60, 200}[n%3])
		if n%2 == 0 {
			s = randomProgram(seed, ranks, messages)
		} else {
			s = wildProgram(seed, ranks, messages)
		}
		p := parameterSets[r.IntN(len(parameterSets))]
		f, err := os.Create(text)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(s.WriteText(f), f.Close()); err != nil {
			t.Fatal(err)
		}
		os.Remove(binary)
		if out, err := exec.Command(filepath.Join(dir, "txt2bin"), "-i", text, "-o", binary).CombinedOutput(); err != nil {
			t.Fatalf("txt2bin: %v: %s", err, out)
		}
		u := func(i int) string { return strconv.FormatUint(p[i], 10) }
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		out, err := exec.CommandContext(ctx, filepath.Join(dir, "LogGOPSim"), "-f", binary, "-L", u(0), "-o", u(1), "-g", u(2), "-G", u(3), "-O", u(4), "-S", u(5)).CombinedOutput()
		cancel()
		if err != nil {
			t.Fatalf("LogGOPSim: %v: %s", err, out)
		}
		var want []string
		events := ""
		for line := range strings.SplitSeq(string(out), "\n") {
			fields := strings.Fields(line)
			if len(fields) == 3 && fields[0] == "Host" {
				want = append(want, fields[2])
			}
			for i, word := range fields {
				if word == "Events:" {
					events = fields[i+1]
				}
			}
		}
		res, err := prepare(t, s).Run(context.Background(), simulate.Setup{Rules: simulate.LogGOPSim, LogGOPS: p.loggops()})
		var why *simulate.Deadlock
		if err != nil && !errors.As(err, &why) {
			t.Fatal(err)
		}
		if len(want) == 0 { // something was left over, or the peer has counted only
			if why == nil {
				t.Errorf("seed %d: LogGOPSim is stuck", seed)
			}
			stuck++
			if events != "" && events != fmt.Sprint(res.Events) {
				t.Errorf("seed %d: %d events, LogGOPSim has %s", seed, res.Events, events)
			}
			continue
		}
		var got []string
		for _, ns := range res.Ranks {
			got = append(got, strconv.FormatUint(ns, 10))
		}
		if strings.Join(got, " ") != strings.Join(want, " ") || events != fmt.Sprint(res.Events) {
			t.Errorf("seed %d, %v: %v, %d events; LogGOPSim has %v, %s", seed, p, got, res.Events, want, events)
			continue
		}
		equal++
	}
	t.Logf("%d programs: %d equal, %d stuck for both; the first seed is %d", programs, equal, stuck, first)
}
