package check_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// program runs all programs on all layers for its part of the mutants: the numbers that leave the
// remainder part when divided by parts. Long messages cost most of its time, and are sent only for
// the mutants that a short one does not reveal, the longest streams only for those that something
// has to reveal. It is built with the rewritten formulas.
const program = `package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/check"
)

type verdict struct {
	Seen   []string // programs and layers with a row that agreed, and differs now
	Moved  []string // those with a result of the engine that has changed
}

// single and streams are programs of few and of many messages. The signature is left out: its
// bursts take longer than all other programs together, and it sees no term that these do not.
var (
	single  = []string{"ping_pong", "latency", "ping_bulk"}
	streams = []string{"bandwidth", "thru_bulk", "all_to_1"}
)

// stages are the programs and sizes of messages, those that take the least time first. Each stage
// runs on all layers before the next begins, and a mutant that one of them sees is not run in a
// later one.
type stage struct {
	programs []string
	sizes    []quantity.Bytes
	long     bool
}

var stages = []stage{
	{single, []quantity.Bytes{1, 200, 2500}, false},
	{single, []quantity.Bytes{3000, 3300, 20000}, false},
	{streams, []quantity.Bytes{200}, false},
	{streams, []quantity.Bytes{1, 2500}, false},
	{streams, []quantity.Bytes{3000, 3300, 20000}, true},
}

func main() {
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	p, err := platforms.Parse(os.Args[1], text)
	if err != nil {
		panic(err)
	}
	var mutants, part, parts int
	if _, err := fmt.Sscan(os.Args[2], &mutants); err != nil {
		panic(err)
	}
	if _, err := fmt.Sscanf(os.Args[3], "%d/%d", &part, &parts); err != nil {
		panic(err)
	}
	var hidden []int // need not be seen
	if err := json.Unmarshal([]byte(os.Args[4]), &hidden); err != nil {
		panic(err)
	}
	verdicts := make([]verdict, mutants)
	compare := func(l platforms.Layer, s stage) {
		run := func(k int) (*check.Validation, error) {
			model.ActiveMutant = k
			// An error: a formula that makes no sense to the judge at all.
			return check.EngineQuestion{
				On:       []platforms.Design{{Platform: p, Layer: l}},
				Programs: s.programs, Sizes: s.sizes, Nodes: 3,
			}.Ask(context.Background())
		}
		model.MutantsMet = map[int]bool{}
		sound, err := run(-1)
		if err != nil {
			panic(err)
		}
		met := model.MutantsMet
		model.MutantsMet = nil
		for k := part; k < mutants; k += parts {
			if !met[k] || len(verdicts[k].Seen) > 0 || s.long && slices.Contains(hidden, k) {
				continue
			}
			mutant, err := run(k)
			if err != nil || len(mutant.Results) != len(sound.Results) {
				verdicts[k].Seen = append(verdicts[k].Seen, "error/"+l.Name)
				continue
			}
			for i, r := range mutant.Results {
				if r.Engine != sound.Results[i].Engine {
					verdicts[k].Moved = append(verdicts[k].Moved, r.Program+"/"+l.Name)
				}
				if sound.Results[i].Difference() == 0 && r.Difference() != 0 {
					verdicts[k].Seen = append(verdicts[k].Seen, r.Program+"/"+l.Name)
				}
			}
		}
	}
	for _, s := range stages {
		for _, l := range p.Layers {
			compare(l, s)
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(verdicts); err != nil {
		panic(err)
	}
}
`

// Each term of the formulas for one way, round trip, gap, overheads, fan-in and requests, of every
// kind of model, made a fifth larger, makes a program of the engine disagree with it. So the engine
// shares none of these formulas. What a change makes of the measurements in a table (changedCost and
// what it calls, and the regime that a moved threshold gives a size) is data, which model and engine
// both have; TestTableOnAnotherLine of package model tests it. What cannot be seen is in unseen, with the reason. The size of packets is shared; r∞,
// n½, the papers' bound and plans of packets are not run, and have unit tests of their own.
// TestByDefinition of internal/engine/virtual judges the resources that both start from.
func TestMutantsAreSeen(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	r, err := rewritePackage("../../model", []string{"OneWay", "Gap", "Overheads", "FanIn", "Requests", "RTT"}, "PacketSize", "BestPacket", "changedCost", "line", "slope", "Regime")
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	overlay, err := r.Overlay(dir, map[string][]byte{filepath.Join(root, "reports", "check", "halfpeak_check", "main.go"): []byte(program)})
	if err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(dir, "judge")
	build := exec.Command("go", "build", "-overlay", overlay, "-o", binary, "./reports/check/halfpeak_check")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	type verdict struct {
		Seen, Moved []string
	}
	hidden := []int{}
	for k, m := range r.Mutants {
		if unseen[m.name()] != "" {
			hidden = append(hidden, k)
		}
	}
	unseenIndexes, err := json.Marshal(hidden)
	if err != nil {
		t.Fatal(err)
	}
	judged := make([][]verdict, min(8, runtime.NumCPU())) // by part
	errs := make([]error, len(judged))
	var judges sync.WaitGroup
	for part := range judged {
		judges.Go(func() {
			run := exec.Command(binary, "testdata/mutants.toml", strconv.Itoa(len(r.Mutants)),
				fmt.Sprintf("%d/%d", part, len(judged)), string(unseenIndexes))
			run.Stderr = os.Stderr
			out, err := run.Output()
			if err == nil {
				err = json.Unmarshal(out, &judged[part])
			}
			errs[part] = err
		})
	}
	judges.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	reasons := maps.Clone(unseen)
	for k, m := range r.Mutants {
		v := judged[k%len(judged)][k]
		name := m.name()
		seen := strings.Join(v.Seen[:min(3, len(v.Seen))], " ")
		switch reason := unseen[name]; {
		case len(v.Moved) > 0:
			t.Errorf("%s: %s makes the engine say something else: %s", m.At, name, strings.Join(v.Moved, " "))
		case len(v.Seen) > 0: // another term of the same name may be unseen
		case reason == "":
			t.Errorf("%s: nothing sees %s a fifth larger; add a layer in which it matters to testdata/mutants.toml", m.At, name)
		default:
			seen = "unseen: " + reason
			delete(reasons, name)
		}
		t.Logf("%-22s %-60s %s", m.At, name, seen)
	}
	for name := range reasons {
		t.Errorf("%q is seen, or is no term any more: take it out of the list", name)
	}
}

// sameCurve is why a measured layer cannot be judged by this test.
const sameCurve = "a measurement, which model and engine both have; TestMeasured of package model tests it"

const changedStage = "of a changed line, whose curve model and engine both have; TestMeasuredStageChanged of package model tests it"

const behindWindow = "behind a window of credits the gap is an upper bound, which the engine stays below: see TestSeriesOnProcessors of package model"

// unseen are the terms that no program can see, and why.
var unseen = map[string]string{
	"measured.OneWay: m.Curve(n)":                                         sameCurve,
	"measured.OneWay: now":                                                sameCurve,
	"measured.OneWay: m.Curve(n) * (now / then)":                          sameCurve,
	"measured.Gap: gap":                                                   sameCurve,
	"measured.Gap: m.OneWay(n)":                                           sameCurve,
	"Stage.scaledCost: s.Beta":                                            changedStage,
	"Stage.scaledCost: s.Tau.Times(n)":                                    changedStage,
	"Stage.scaledCost: m.Beta":                                            changedStage,
	"Stage.scaledCost: m.Tau.Times(n)":                                    changedStage,
	"Stage.scaledCost: c.Costs[i] * (now / then)":                         changedStage,
	"Stage.scaledCost: c.Costs[i]":                                        changedStage,
	"Stage.timeIn: s.scaledCost(c, i)":                                    changedStage,
	"Stage.timeIn: c.changedAt(p, (func(i int) quantity.Micros literal))": changedStage,
	"PacketCost.of: (*c.Measured)(n)":                                     sameCurve,
	"Pipeline.OneWayAs: l.gainAtEnds(several, plan[0].Size, plan[len(plan) - 1].Size)": "of plans, which are searched for and not run; TestMeasuredStages of package model tests it",
	"Fragmented.pieces: s.MTU":   "a guard for sizes beyond 2⁵³ bytes, where differences are noise",
	"Pipeline.OneWayAs: free[j]": "not zero only in plans of several runs of packets, which are searched for and not run",
	"loads.message: n":           "a piece smaller than a full one is the only piece, and counted as the last",
	"loads.message: r.Size":      "as the size of the whole message it only finds the branch",
	"Series.Gap: s.Below.Gap(n)": behindWindow,
	"Series.Gap: s.Added.Gap(n)": behindWindow,
	"innermost: n":               "finds the branch; any size of at least a piece is one piece",
}
