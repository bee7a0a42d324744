package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/internal/program"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// randomPlatforms are those on which random programs run.
var randomPlatforms = []platform{
	{name: "crossbar", nodes: randomRanks, perNode: 1},
	{name: "fat tree, 2 uplinks of 4 nodes", nodes: randomRanks, perNode: 1,
		topology: fatTree("2;4,4;1,2;1,2")},
}

// An outcome is what a program did: how long it took, and for each rank the sources and tags of the
// messages that its receives took, in the order in which they were posted.
type outcome struct {
	deadlock string // the error; "" if the program ended
	time     quantity.Micros
	orders   [randomRanks]string
}

// A randomVerdict counts programs on one platform.
type randomVerdict struct {
	times                            family
	programs, otherOrder             int
	bothStuck, onlyMPI, onlyHalfpeak int
}

// A randomJudge runs programs by SMPI and on the machine that calibrate finds there.
type randomJudge struct {
	details io.Writer
	p       platform
	on      simulate.Machine
	options []string
}

// newRandomJudge calibrates the platform.
func newRandomJudge(ctx context.Context, s smpi, p platform, details io.Writer) (*randomJudge,
	error) {
	on, err := s.machine(ctx, p)
	j := &randomJudge{details: details, p: p, on: on,
		options: append(smpiOptions(s.dir, p), "--cfg=smpi/wtime:1e-9")}
	for _, d := range drawnCollectives {
		j.options = append(j.options, "--cfg=smpi/"+d.smpi)
	}
	return j, err
}

// compare runs the programs, which were compiled into one.
func (j *randomJudge) compare(ctx context.Context, compiled string, all []*randomProgram,
	v *randomVerdict) error {
	for i, g := range all {
		measured, err := j.smpi(ctx, compiled, i)
		if err != nil {
			return fmt.Errorf("program %d: %w", g.seed, err)
		}
		predicted, err := j.halfpeak(ctx, g)
		if err != nil {
			return fmt.Errorf("program %d: %w", g.seed, err)
		}
		v.add(j.details, g, measured, predicted)
	}
	return nil
}

func (v *randomVerdict) add(details io.Writer, g *randomProgram, measured, predicted outcome) {
	v.programs++
	switch {
	case measured.deadlock != "" && predicted.deadlock != "":
		v.bothStuck++
	case measured.deadlock != "":
		v.onlyMPI++
		fmt.Fprintf(details, "program %d: only SMPI deadlocks\n", g.seed)
	case predicted.deadlock != "":
		v.onlyHalfpeak++
		fmt.Fprintf(details, "program %d: SMPI ends, but %s\n", g.seed, predicted.deadlock)
	default:
		v.times.add(fmt.Sprintf("program %d", g.seed), measured.time, predicted.time)
		fmt.Fprintf(details, "program %d: measured %.2f, predicted %.2f µs (%+.1f %%)\n", g.seed,
			float64(measured.time), float64(predicted.time),
			100*(float64(predicted.time/measured.time)-1))
		if measured.orders == predicted.orders {
			return
		}
		v.otherOrder++
		for rank := range randomRanks {
			if a, b := measured.orders[rank], predicted.orders[rank]; a != b {
				fmt.Fprintf(details, "program %d, rank %d: SMPI receives %s\n  and halfpeak %s\n",
					g.seed, rank, a, b)
			}
		}
	}
}

// smpi runs a program by SMPI.
func (j *randomJudge) smpi(ctx context.Context, compiled string, number int) (o outcome,
	err error) {
	cmd := exec.CommandContext(ctx, "smpirun",
		slices.Concat(j.options, []string{compiled, fmt.Sprint(number)})...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if strings.Contains(stderr.String(), "Deadlock detected") { // its exit status is 0
		return outcome{deadlock: "deadlock"}, nil
	}
	if err != nil {
		return o, fmt.Errorf("%w\n%s", err, stderr.String())
	}
	lines := 0
	for line := range strings.Lines(string(out)) {
		var rank int
		var t float64
		if _, err := fmt.Sscan(line, &rank, &t); err != nil || rank >= randomRanks {
			return o, fmt.Errorf("%q: %w", line, err)
		}
		lines++
		o.time = max(o.time, quantity.Micros(t))
		o.orders[rank] = strings.Join(strings.Fields(line)[2:], " ")
	}
	if lines != randomRanks {
		return o, fmt.Errorf("%d ranks have ended, want %d\n%s", lines, randomRanks,
			stderr.String())
	}
	return o, nil
}

// halfpeak runs the same program in Starlark. Its time is that from the mark, behind a barrier, to
// the end.
func (j *randomJudge) halfpeak(ctx context.Context, g *randomProgram) (o outcome, err error) {
	p, err := program.Read(ctx, "random.star", []byte(g.starlark()))
	if err != nil {
		return o, err
	}
	s, _, err := p.Schedule(ctx, program.Options{Ranks: randomRanks})
	if err != nil {
		return o, err
	}
	prepared, err := simulate.New(s)
	if err != nil {
		return o, err
	}
	r, err := prepared.Run(ctx, simulate.Setup{Machine: j.on, Record: true})
	if err != nil {
		return outcome{deadlock: err.Error()}, nil
	}
	finish, _ := r.Finish()
	begin := quantity.Micros(0)
	for _, m := range r.Marks {
		begin = max(begin, r.Micros(m.End))
	}
	o.time = finish - begin
	o.orders, err = ordersOf(s, r)
	return o, err
}

// ordersOf returns the sources and tags of the messages that each rank's receives took.
func ordersOf(s *schedule.Schedule, r *simulate.Result) (orders [randomRanks]string, err error) {
	t, err := r.Timeline()
	if err != nil {
		return orders, err
	}
	var messages []simulate.Message
	for m := range t.Messages {
		messages = append(messages, m)
	}
	taken := map[uint32]simulate.Message{} // by the receive
	for span := range t.Spans {
		if span.What != "receive" {
			continue
		}
		if len(messages) == 0 {
			return orders, errors.New("more receives than messages")
		}
		taken[span.Op] = messages[0]
		messages = messages[1:]
	}
	for rank := range randomRanks {
		var all []string
		lo, hi := s.Rank(rank)
		for i := lo; i < hi; i++ {
			// Collectives have the odd contexts.
			if op := s.Ops()[i]; op.Kind == schedule.Recv && op.Context%2 == 0 {
				m := taken[i]
				all = append(all, strconv.Itoa(m.From)+":"+strconv.FormatUint(uint64(m.Tag), 10))
			}
		}
		orders[rank] = strings.Join(all, " ")
	}
	return orders, nil
}

// programsAtOnce is the number of programs that are compiled into one.
const programsAtOnce = 25

// judgeRandom runs programs of the seeds from the first one on platforms; every fourth has mixed
// messages. calibrated is the compiled calibrate.c.
func judgeRandom(ctx context.Context, dir, calibrated string, on []platform, first uint64,
	count int, details io.Writer) ([]randomVerdict, error) {
	var all []*randomProgram
	for i := range count {
		all = append(all, drawProgram(first+uint64(i), 200, i%4 == 3))
	}
	verdicts, judges := make([]randomVerdict, len(on)), make([]*randomJudge, len(on))
	for i, p := range on {
		folder := filepath.Join(dir, fmt.Sprint(i))
		err := os.MkdirAll(folder, 0o777)
		if err == nil {
			judges[i], err = newRandomJudge(ctx, smpi{folder, calibrated}, p, details)
		}
		if err != nil {
			return nil, err
		}
	}
	for part := range slices.Chunk(all, programsAtOnce) {
		compiled, err := compile(ctx, "smpicc", dir, "random", cSource(part), "-O0")
		if err != nil {
			return nil, err
		}
		for i, j := range judges {
			if err := j.compare(ctx, compiled, part, &verdicts[i]); err != nil {
				return nil, fmt.Errorf("%s: %w", j.p.name, err)
			}
		}
	}
	return verdicts, nil
}

// runRandom prints a row for each platform.
func runRandom(ctx context.Context, dir string, first uint64, count int, out,
	details io.Writer) error {
	s, err := newSMPI(ctx, dir)
	if err != nil {
		return err
	}
	all, err := judgeRandom(ctx, dir, s.calibrate, randomPlatforms, first, count, details)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "| platform | programs | other order | median | worst | both deadlock "+
		"| only SMPI | only halfpeak |\n|---|---|---|---|---|---|---|---|")
	for i, v := range all {
		fmt.Fprintf(out, "| %s | %d | %d | %.1f %% | %+.1f %% (%s) | %d | %d | %d |\n",
			randomPlatforms[i].name, v.programs, v.otherOrder, v.times.median(),
			v.times.worstError(), v.times.worst, v.bothStuck, v.onlyMPI, v.onlyHalfpeak)
	}
	return nil
}
