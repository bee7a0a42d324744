package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/internal/fitted"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/collective"
	"github.com/halfpeak/halfpeak/reports/fits"
)

// An offset is how far predictions of a machine's calls are off: log(measured/predicted).
type offset struct {
	machine string
	ranks   int // the largest number
	off     []float64
}

// moments returns the mean and the variance.
func (o offset) moments() (mean, variance float64) {
	mean = stats.Mean(o.off)
	for _, v := range o.off {
		variance += (v - mean) * (v - mean) / float64(len(o.off))
	}
	return mean, variance
}

// latencies predicts the measured collectives of machines from their latencies, and prints how far
// off that is: the file internal/calibrate/latencies.csv, then the interval that the other machines
// give, and the share of the calls that it holds.
func latencies(w io.Writer, folder string, all []series) error {
	var rows []offset
	machines, err := measuredBothWays(folder, all)
	if err != nil {
		return err
	}
	for _, d := range machines {
		design, err := d.design()
		if err != nil {
			return fmt.Errorf("%s: %w", d.name, err)
		}
		o := offset{machine: d.name}
		for _, s := range d.calls {
			for _, p := range s.points {
				predicted, err := simulated(design, s, p)
				if err != nil {
					return fmt.Errorf("%s: %s on %d ranks: %w", d.name, s.collective, p.Ranks, err)
				}
				o.ranks = max(o.ranks, p.Ranks)
				o.off = append(o.off, math.Log(float64(p.Time/predicted)))
			}
		}
		rows = append(rows, o)
	}
	fmt.Fprintln(w, "\nmachine,calls,ranks,mean,deviation")
	for _, o := range rows {
		mean, variance := o.moments()
		fmt.Fprintf(w, "%s,%d,%d,%.3f,%.3f\n", o.machine, len(o.off), o.ranks, mean,
			math.Sqrt(variance))
	}
	fmt.Fprintln(w, "\nmachine,low,high,right")
	for _, o := range rows {
		low, high := fromOthers(rows, o)
		right := 0.0
		for _, v := range o.off {
			if low <= v && v <= high {
				right += 1 / float64(len(o.off))
			}
		}
		fmt.Fprintf(w, "%s,%.2f,%.2f,%.2f\n", o.machine, math.Exp(low), math.Exp(high), right)
	}
	return nil
}

// fromOthers returns the ends of a machine's interval if the other machines of up to 256 ranks are
// known: the prediction interval of the mean of one more machine, and 1.96 standard deviations of
// the calls of a machine, added as squares.
func fromOthers(rows []offset, left offset) (low, high float64) {
	var means, variances []float64
	for _, o := range rows {
		if o.machine != left.machine && o.ranks <= 256 {
			mean, variance := o.moments()
			means, variances = append(means, mean), append(variances, variance)
		}
	}
	n, centre, between := float64(len(means)), stats.Mean(means), 0.0
	for _, m := range means {
		between += (m - centre) * (m - centre) / (n - 1)
	}
	t := stats.StudentQuantile(0.975, n-1)
	half := math.Sqrt(t*t*between*(1+1/n) + 1.96*1.96*stats.Mean(variances))
	return centre - half, centre + half
}

// simulated returns the time of a call as halfpeak collective prints it: the mean over ranks, by
// the algorithm or, if it is the library's choice, by the fastest.
func simulated(d platforms.Design, s series, p fitted.Point) (quantity.Micros, error) {
	t, err := collective.Calls{Collective: s.collective,
		Algorithm: cmp.Or(s.algorithm, "best"), Ranks: []int{p.Ranks},
		Sizes: []quantity.Bytes{p.Size}, Simulated: true}.On(context.Background(), d)
	if err != nil {
		return 0, err
	}
	return t.Best().Average, nil
}

// design returns the machine as docs/machines.md describes it from latencies: each level takes its
// layer from a fit, and the values for shared resources are those of that page.
func (d described) design() (platforms.Design, error) {
	var of platforms.Design
	folder, err := os.MkdirTemp("", "latencies")
	if err != nil {
		return of, err
	}
	defer os.RemoveAll(folder)
	write := func(name, text string) error {
		return os.WriteFile(filepath.Join(folder, name+".toml"), []byte(text), 0o600)
	}
	text, layers, cores := fmt.Sprintf("title = %q\n", d.name), "", 1
	line := func(name string, beta string, tau float64) {
		layers += fmt.Sprintf("layer.%s = { model = \"linear\", beta = %q, tau = \"%gus/B\", "+
			"source = \"docs/machines.md\" }\n", name, beta, tau)
	}
	for i, l := range d.levels {
		saved, err := l.saved()
		if err == nil {
			err = write(l.name, saved)
		}
		if err != nil {
			return of, err
		}
		cores *= l.arity
		text += fmt.Sprintf("level.%s = { arity = \"%d\", layer = %q, source = \"measured\"",
			l.name, l.arity, l.name)
		layers += fmt.Sprintf("layer.%s = { from = \"%s.toml\" }\n", l.name, l.name)
		// Cores share memory, nodes do not: the outermost level is the network, if there is one.
		if network := i == len(d.levels)-1 && d.name != juno; !network {
			text += `, reverse = "0.5", packet = "8KiB"`
			if cores > 8 {
				text += fmt.Sprintf(`, crowd = "%gus"`, float64(l.ways[0].Time)/4)
			}
		}
		if node := i == max(0, len(d.levels)-2); node && (len(d.levels) > 1 || d.name == juno) {
			text += `, shared = "memory"`
			line("memory", "0us", l.perByte()/3)
			for _, work := range []string{"copy", "combine"} {
				layers += fmt.Sprintf("constant.%s = { value = \"%gus/B\", "+
					"source = \"docs/machines.md\" }\n", work, l.perByte()/2)
			}
			if len(d.levels) > 1 {
				text += `, port = "nic"`
				line("nic", "0.1us", d.levels[i+1].perByte())
			}
		}
		text += " }\n"
	}
	if err := write("machine", text+layers); err != nil {
		return of, err
	}
	return platforms.Open(filepath.Join(folder, "machine.toml"))
}

// saved returns the fit of the latencies, as fit --save writes it.
func (l distance) saved() (string, error) {
	text := "bytes,latency_us\n"
	for _, p := range l.ways {
		text += fmt.Sprintf("%g,%g\n", float64(p.Size), float64(p.Time))
	}
	f, err := fits.Question{Text: strings.NewReader(text),
		Name: l.name + ".csv", Options: fit.Options{Saving: true}}.Ask(context.Background())
	if err != nil {
		return "", err
	}
	return f.TOML()
}

// perByte returns the time of a byte in µs, from 64 KiB to the largest size.
func (l distance) perByte() float64 {
	large := func(p fitted.Point) bool { return p.Size >= 64<<10 }
	from, to := l.ways[slices.IndexFunc(l.ways, large)], l.ways[len(l.ways)-1]
	return float64(to.Time-from.Time) / float64(to.Size-from.Size)
}
