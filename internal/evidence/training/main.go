// Training predicts published steps of training with megatron.star on nodes of A100, two rates of
// which are fitted to two of the steps, and writes as CSV all steps as measured, by halfpeak and by
// Calculon:
//
//	go run ./training ../../../shared/data/training/megatron.csv > ../../docs/tables/training.csv
//
// The fitted rows are the first two with full recomputation. Ours are the steps of the rest, with
// nothing fitted again.
package main

import (
	"context"
	_ "embed"
	"encoding/csv"
	"fmt"
	"io"
	"os"

	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/internal/evidence/judge"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/program"
)

//go:embed a100.toml
var nodes []byte

const name = "megatron.star"

// fitted are the rows whose steps give the rates: 22B and 175B with full recomputation.
var fitted = map[int]bool{0: true, 2: true}

// A row is a line of the table of published steps.
type row struct{ judge.Row }

// seconds returns the measured step. Where the table has the rate of a GPU, it is the operations as
// the paper counts them (SC21, section 5.1, equation 3) over the rate of all GPUs:
//
//	96·B·s·l·h²·(1 + s/(6h) + V/(16·l·h))
//
// Where: B = batch; s = 2048, the sequence; l = layers; h = hidden size; V = 51200, the vocabulary.
func (r row) seconds() float64 {
	if t := r.Number("step_s"); t > 0 {
		return t
	}
	const s, v = 2048, 51200
	l, h := r.Number("layers"), r.Number("hidden")
	ops := 96 * r.Number("batch") * s * l * h * h * (1 + s/(6*h) + v/(16*l*h))
	return ops / (1e12 * r.Number("teraflops_per_gpu") * r.Number("gpus"))
}

// step returns the row as a step of megatron.star.
func (r row) step() program.Step {
	parallel := "False"
	if r.Row["sequence_parallel"] == "yes" {
		parallel = "True"
	}
	virtual := r.Row["interleaved_chunks"]
	if virtual == "" {
		virtual = "1" // the paper does not say
	}
	s := program.Step{Ranks: int(r.Number("gpus")), Time: quantity.Micros(1e6 * r.seconds())}
	for _, p := range [][2]string{
		{"num_layers", r.Row["layers"]}, {"hidden_size", r.Row["hidden"]},
		{"num_attention_heads", r.Row["heads"]}, {"global_batch_size", r.Row["batch"]},
		{"micro_batch_size", r.Row["micro"]}, {"tensor_model_parallel_size", r.Row["tensor"]},
		{"pipeline_model_parallel_size", r.Row["pipeline"]}, {"virtual_stages", virtual},
		{"sequence_parallel", parallel}, {"recompute_granularity", r.Row["recompute"]},
	} {
		s.Params = append(s.Params, p[0]+"="+p[1])
	}
	return s
}

func main() {
	if err := write(context.Background(), os.Stdout, os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "training:", err)
		os.Exit(1)
	}
}

func write(ctx context.Context, to io.Writer, path string) error {
	rows, err := read(path)
	if err != nil {
		return err
	}
	machine, err := platforms.Parse("a100.toml", nodes)
	if err != nil {
		return err
	}
	d, err := machine.Design("")
	if err != nil {
		return err
	}
	d.Ranks = true
	var known []program.Step
	for i, r := range rows {
		if fitted[i] {
			known = append(known, r.step())
		}
	}
	rates, err := program.FitRates(ctx, name, program.Reading{}, known, 0, d)
	if err != nil {
		return err
	}
	out := csv.NewWriter(to)
	defer out.Flush()
	head := []string{"source", "model", "gpus", "recompute", "fitted", "measured_s", "halfpeak_s",
		"halfpeak_error_percent", "calculon_s", "calculon_error_percent"}
	if err := out.Write(head); err != nil {
		return err
	}
	for i, r := range rows {
		s := r.step()
		found, err := program.Question{Files: []string{name},
			Reading: program.Reading{Ranks: []int{s.Ranks}, Params: s.Params},
			On:      []platforms.Design{rates.Design}, Table: program.Scales,
			Eager: simulate.NoLimit}.Ask(ctx)
		if err != nil {
			return fmt.Errorf("row %d: %w", i, err)
		}
		measured, ours := r.seconds(), float64(found.Scaling.Rows[0].Finish)/1e6
		is := "no"
		if fitted[i] {
			is = "yes"
		}
		calculon, off := r.Row["calculon_step_s"], ""
		if calculon != "" {
			off = percent(r.Number("calculon_step_s"), measured)
		}
		if err := out.Write([]string{r.Row["source"], r.Row["model"], r.Row["gpus"],
			r.Row["recompute"], is, fmt.Sprintf("%.4g", measured), fmt.Sprintf("%.4g", ours),
			percent(ours, measured), calculon, off}); err != nil {
			return err
		}
		out.Flush()
	}
	return nil
}

func percent(of, measured float64) string { return fmt.Sprintf("%+.1f", 100*(of/measured-1)) }

// read returns the rows of a file.
func read(path string) (rows []row, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	all, err := judge.ReadRows(f)
	for _, r := range all {
		rows = append(rows, row{r})
	}
	return rows, err
}
