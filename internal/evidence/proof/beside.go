package main

import (
	"context"
	_ "embed"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/internal/calibrate"
	"github.com/halfpeak/halfpeak/internal/program"
	"github.com/halfpeak/halfpeak/model/quantity"
)

//go:embed c/beside.c
var besideC string

//go:embed testdata/beside.star
var besideStar []byte

// besidePlatforms have 16 and 64 ranks, one on each node.
var besidePlatforms = []platform{
	{name: "crossbar", nodes: 16, perNode: 1},
	{name: "fat tree, 2 uplinks of 4 nodes", nodes: 16, perNode: 1,
		topology: fatTree("2;4,4;1,2;1,2")},
	{name: "torus 4 × 4", nodes: 16, perNode: 1, topology: torus("4,4")},
	{name: "crossbar", nodes: 64, perNode: 1},
	{name: "fat tree, 4 uplinks of 8 nodes", nodes: 64, perNode: 1,
		topology: fatTree("2;8,8;1,4;1,1")},
	{name: "torus 4 × 4 × 4", nodes: 64, perNode: 1, topology: torus("4,4,4")},
}

// A besideCase is a program of beside.c with messages of some bytes, on which it computes for scale
// times its usual time.
type besideCase struct {
	program string
	bytes   int
	scale   float64
}

// besideCases returns the cases on a number of ranks: seven programs with computations and, on 16
// ranks, ring and halo with larger messages too, with and without them.
func besideCases(ranks int) (all []besideCase) {
	for _, name := range []string{"halo", "jacobi", "cg", "wavefront", "pipeline", "tree",
		"transpose"} {
		for _, bytes := range []int{300, 6000, 60000, 70000, 100000} {
			all = append(all, besideCase{name, bytes, 1})
		}
	}
	for _, name := range []string{"ring", "halo"} {
		for _, bytes := range []int{6000, 60000, 70000, 250000, 1000000} {
			if ranks == 16 {
				all = append(all, besideCase{name, bytes, 0})
			}
			if done := (besideCase{name, bytes, 1}); ranks == 16 && !slices.Contains(all, done) {
				all = append(all, done)
			}
		}
	}
	return all
}

// A besideJudge runs the programs by SMPI, and predicts them on the machine that calibrate measures
// there: from their traces, and as they are written in Starlark.
type besideJudge struct {
	smpi
	program string // compiled
	written *program.Program
	rows    *csv.Writer
	out     io.Writer
}

// besideTable is the table that has a row for each case.
const besideTable = "../../docs/tables/beside.csv"

// runBeside writes the table, and prints the errors of each platform.
func runBeside(ctx context.Context, dir, only string, out io.Writer) (err error) {
	rows, err := os.Create(besideTable)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	j := besideJudge{rows: csv.NewWriter(rows), out: out}
	if j.smpi, err = newSMPI(ctx, dir); err != nil {
		return err
	}
	if j.program, err = compile(ctx, "smpicc", dir, "beside",
		besideC+calibrate.TraceSource); err != nil {
		return err
	}
	if j.written, err = program.Read(ctx, "beside.star", besideStar); err != nil {
		return err
	}
	head := "network,ranks,program,bytes,computes,smpi_us,traced_us,written_us,error_percent"
	if err := j.rows.Write(strings.Split(head, ",")); err != nil {
		return err
	}
	fmt.Fprintln(out, "| network | ranks | program | median error | worst |\n|---|---|---|---|---|")
	for _, p := range besidePlatforms {
		if !strings.Contains(fmt.Sprintf("%s, %d", p.name, p.nodes), only) {
			continue
		}
		if err := j.judge(ctx, p); err != nil {
			return fmt.Errorf("%s, %d ranks: %w", p.name, p.nodes, err)
		}
	}
	return nil
}

// judge judges the cases of a platform.
func (j besideJudge) judge(ctx context.Context, p platform) error {
	on, err := j.machine(ctx, p)
	if err != nil {
		return err
	}
	var names []string
	errorsOf := map[string]*family{}
	for _, of := range besideCases(p.nodes) {
		measured, traced, written, err := j.times(ctx, p, on, of)
		if err != nil {
			return fmt.Errorf("%s of %d bytes: %w", of.program, of.bytes, err)
		}
		name := of.program
		if of.scale == 0 {
			name += ", without computation"
		}
		if errorsOf[name] == nil {
			names, errorsOf[name] = append(names, name), &family{}
		}
		errorsOf[name].add(fmt.Sprintf("%d B", of.bytes), measured, written)
		number := func(t quantity.Micros) string { return fmt.Sprintf("%.6g", float64(t)) }
		if err := j.rows.Write([]string{p.name, strconv.Itoa(p.nodes), of.program,
			strconv.Itoa(of.bytes), strconv.FormatBool(of.scale > 0), number(measured),
			number(traced), number(written),
			fmt.Sprintf("%.2f", 100*(float64(written/measured)-1))}); err != nil {
			return err
		}
	}
	for _, name := range names {
		f := errorsOf[name]
		fmt.Fprintf(j.out, "| %s | %d | %s | %.1f %% | %+.1f %% (%s) |\n", p.name, p.nodes, name,
			f.median(), f.worstError(), f.worst)
	}
	j.rows.Flush()
	return j.rows.Error()
}

// times returns the time of a case by SMPI, and those predicted from its trace and its text.
func (j besideJudge) times(ctx context.Context, p platform, on simulate.Machine,
	of besideCase) (measured, traced, written quantity.Micros, err error) {
	measured, traced, err = j.traced(ctx, p, on, []string{"--cfg=smpi/allreduce:rdb"}, j.program,
		of.program, strconv.Itoa(of.bytes), fmt.Sprint(of.scale))
	if err != nil {
		return 0, 0, 0, err
	}
	s, err := j.scheduleOf(ctx, of, p.nodes)
	if err != nil {
		return 0, 0, 0, err
	}
	written, err = finish(ctx, s, on)
	return measured, traced, written, err
}

// scheduleOf returns the schedule of a case as it is written in Starlark.
func (j besideJudge) scheduleOf(ctx context.Context, of besideCase, ranks int) (
	*schedule.Schedule, error) {
	p := j.written
	for name, value := range map[string]string{"name": of.program, "n": strconv.Itoa(of.bytes),
		"scale": fmt.Sprint(of.scale)} {
		var err error
		if p, err = p.Set(name, value); err != nil {
			return nil, err
		}
	}
	s, _, err := p.Schedule(ctx, program.Options{Ranks: ranks})
	return s, err
}
