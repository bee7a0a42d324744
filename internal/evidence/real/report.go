package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"github.com/halfpeak/halfpeak/internal/stats"
)

// A row is a program on a network.
type row struct {
	program, library, network  string
	seconds                    float64 // median of runs without the tracer
	quiet                      int     // runs of which both ranks had their processors
	calls, tracer              float64 // of a rank of the traced run; s
	traced                     float64 // s
	own, plain, other          float64 // errors (a), (b) and (c), as fractions
	predictedOwn, fromTheOther float64 // s
}

// report prints a row for each program and network, with the errors and their summary.
func (j *judge) report(ctx context.Context, w io.Writer, chosen []program, rounds,
	traces int, file string) error {
	var rows []row
	for _, p := range chosen {
		for n := range networks {
			r, err := j.compare(ctx, p, n, rounds, traces)
			if err != nil {
				return fmt.Errorf("%s over %s: %w", p.name, networks[n], err)
			}
			rows = append(rows, r)
		}
	}
	write(w, rows)
	if file == "" {
		return nil
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	return writeCSV(f, rows)
}

// compare predicts the runs of a program on network n: from its traces there, and from its traces
// on the other network. All times are medians.
func (j *judge) compare(ctx context.Context, p program, n, rounds, traces int) (r row,
	err error) {
	machine, err := j.machine(p.library, n)
	if err != nil {
		return r, err
	}
	r.program, r.library, r.network = p.name, p.library.name, networks[n]
	if r.seconds, r.quiet, err = j.median(p, n, rounds); err != nil {
		return r, err
	}
	var traced, tracer, calls, own, errors, other []float64
	for round := range traces {
		folder := j.traceFolder(p, n, round)
		run, err := lasted(folder)
		if err != nil {
			return r, err
		}
		finish, err := predicted(ctx, folder, 2, machine)
		if err != nil {
			return r, err
		}
		from, err := predicted(ctx, j.traceFolder(p, 1-n, round), 2, machine)
		if err != nil {
			return r, err
		}
		traced, tracer = append(traced, run.seconds), append(tracer, run.tracer)
		calls = append(calls, run.calls)
		own, other = append(own, finish), append(other, from)
		// The trace leaves out the tracer's time.
		errors = append(errors, finish/(run.seconds-run.tracer)-1)
	}
	median := func(all []float64) float64 { return stats.QuantileOf(all, 0.5) }
	r.traced, r.tracer, r.calls = median(traced), median(tracer), median(calls)
	r.predictedOwn, r.fromTheOther, r.own = median(own), median(other), median(errors)
	r.plain, r.other = r.predictedOwn/r.seconds-1, r.fromTheOther/r.seconds-1
	if p.name == adaptive {
		r.other = math.NaN()
	}
	return r, nil
}

func write(w io.Writer, rows []row) {
	fmt.Fprintln(w, "| program | network | measured | calls of a rank | overhead | (a) traced run "+
		"| (b) without the tracer | (c) from the other network |")
	fmt.Fprintln(w, strings.Repeat("|---", 8)+"|")
	for _, r := range rows {
		line := fmt.Sprintf("| %s | %s | %.3f s | %.0f | %+.1f %% | %+.1f %% | %+.1f %% | "+
			"%+.1f %% |", r.program, r.network, r.seconds, r.calls, 100*(r.traced/r.seconds-1),
			100*r.own, 100*r.plain, 100*r.other)
		fmt.Fprintln(w, strings.NewReplacer("-", "−", "+NaN %", "").Replace(line))
	}
	for _, e := range []struct {
		name string
		of   func(row) float64
	}{
		{"(a)", func(r row) float64 { return r.own }},
		{"(b)", func(r row) float64 { return r.plain }},
		{"(c)", func(r row) float64 { return r.other }},
	} {
		var all []float64
		for _, r := range rows {
			if e := e.of(r); !math.IsNaN(e) {
				all = append(all, 100*math.Abs(e))
			}
		}
		fmt.Fprintf(w, "%s median %.1f %%, worst %.1f %%\n", e.name, stats.QuantileOf(all, 0.5),
			stats.QuantileOf(all, 1))
	}
}

func writeCSV(w io.Writer, rows []row) error {
	c := csv.NewWriter(w)
	records := [][]string{{"program", "library", "network", "measured_s", "quiet_runs",
		"traced_s", "calls", "tracer_s", "predicted_s", "predicted_from_other_s",
		"error_traced_percent", "error_percent", "error_from_other_percent"}}
	for _, r := range rows {
		record := []string{r.program, r.library, r.network}
		for _, v := range []float64{r.seconds, float64(r.quiet), r.traced, r.calls, r.tracer,
			r.predictedOwn, r.fromTheOther, 100 * r.own, 100 * r.plain, 100 * r.other} {
			record = append(record, fmt.Sprintf("%.4g", v))
		}
		records = append(records, record)
	}
	return c.WriteAll(records)
}
