package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/internal/stats"
)

// A row is a program on a network.
type row struct {
	program, network           string
	seconds                    float64 // median of runs without the tracer
	quiet                      int     // runs of which both ranks had their processors
	calls, tracer              float64 // of a rank of the traced run; s
	traced                     float64 // s
	own, plain, other          float64 // errors (a), (b) and (c), as fractions
	predictedOwn, fromTheOther float64 // s
	notes                      []string
}

// report prints a row for each program and network, with the errors and their summary.
func (j *judge) report(ctx context.Context, w io.Writer, chosen []program, rounds,
	traces int, file string) error {
	var machines [2]simulate.Machine
	for n := range networks {
		var err error
		if machines[n], err = j.machine(n); err != nil {
			return err
		}
	}
	var rows []row
	for _, p := range chosen {
		for n := range networks {
			r, err := j.compare(ctx, p, n, rounds, traces, machines)
			if err != nil {
				return fmt.Errorf("%s over %s: %w", p.name, networks[n].name, err)
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

// compare predicts the runs of a program on network n: from its trace there, and from its trace on
// the other network.
func (j *judge) compare(ctx context.Context, p program, n, rounds, traces int,
	machines [2]simulate.Machine) (r row, err error) {
	r.program, r.network = p.name, networks[n].name
	if r.seconds, r.quiet, err = j.median(p, n, rounds); err != nil {
		return r, err
	}
	other, _, _, _, err := j.best(p, 1-n, traces)
	if err != nil {
		return r, err
	}
	var folder string
	if folder, r.traced, r.tracer, r.calls, err = j.best(p, n, traces); err != nil {
		return r, err
	}
	if r.predictedOwn, r.notes, err = predicted(ctx, folder, 2, machines[n]); err != nil {
		return r, err
	}
	if r.fromTheOther, _, err = predicted(ctx, other, 2, machines[n]); err != nil {
		return r, err
	}
	r.own = r.predictedOwn/(r.traced-r.tracer) - 1 // the trace leaves out the tracer's time
	r.plain = r.predictedOwn/r.seconds - 1
	r.other = r.fromTheOther/r.seconds - 1
	return r, nil
}

func write(w io.Writer, rows []row) {
	fmt.Fprintln(w, "| program | network | measured | calls of a rank | overhead | (a) traced run "+
		"| (b) without the tracer | (c) from the other network |")
	fmt.Fprintln(w, strings.Repeat("|---", 8)+"|")
	for _, r := range rows {
		fmt.Fprintln(w, strings.ReplaceAll(fmt.Sprintf("| %s | %s | %.3f s | %.0f | %+.1f %% | "+
			"%+.1f %% | %+.1f %% | %+.1f %% |", r.program, r.network, r.seconds, r.calls,
			100*(r.traced/r.seconds-1), 100*r.own, 100*r.plain, 100*r.other), "-", "−"))
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
			all = append(all, 100*math.Abs(e.of(r)))
		}
		fmt.Fprintf(w, "%s median %.1f %%, worst %.1f %%\n", e.name, stats.QuantileOf(all, 0.5),
			stats.QuantileOf(all, 1))
	}
}

func writeCSV(w io.Writer, rows []row) error {
	c := csv.NewWriter(w)
	records := [][]string{{"program", "network", "measured_s", "quiet_runs", "traced_s", "calls",
		"tracer_s", "predicted_s", "predicted_from_other_s", "error_traced_percent",
		"error_percent", "error_from_other_percent"}}
	for _, r := range rows {
		record := []string{r.program, r.network}
		for _, v := range []float64{r.seconds, float64(r.quiet), r.traced, r.calls, r.tracer,
			r.predictedOwn, r.fromTheOther, 100 * r.own, 100 * r.plain, 100 * r.other} {
			record = append(record, fmt.Sprintf("%.4g", v))
		}
		records = append(records, record)
	}
	return c.WriteAll(records)
}
