// Forecast learns from published curves the errors of predictions, and measures the errors for
// unseen curves:
//
//	go run ./forecast calibrate
//	go run ./forecast coverage [-leave-out] [-chosen] [-machines] [-worst] [-kind KIND]
//
// The curves are those of internal/published.
// Calibrate writes the calibrations of internal/known/known.json: weights, no measurements.
// Coverage holds sizes out, predicts them from the remaining sizes, and compares, as CSV. It
// predicts with the published calibration or, with -leave-out, with one that is made from the same
// curves without the machine that is predicted. See [Published] for the machine of a curve. Kinds
// are latencies, streams and operations.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/evidence/judge"
	"github.com/halfpeak/halfpeak/internal/forecast"
)

// A kind is the kind of curves that a calibration is for.
type kind struct {
	name, of string
	kind     benchfile.Kind
	use      func(*Curve) bool
	frozen   *forecast.Calibration
}

var kinds = []kind{
	{"Latencies", "the times of messages", benchfile.OneWay, Latency, forecast.Latencies()},
	{"Streams", "the gaps of streams", benchfile.Gap, Stream, forecast.Streams()},
	{"Operations", "the times of operations and collectives",
		benchfile.Operation, Operation, forecast.Operations()},
}

func main() {
	if err := forecasts(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "forecast:", err)
		os.Exit(1)
	}
}

func forecasts(args []string) error {
	flags := flag.NewFlagSet("forecast", flag.ExitOnError)
	leave := flags.Bool("leave-out", false,
		"calibrate without the machine that is predicted")
	machines := flags.Bool("machines", false, "a row for each machine")
	chosen := flags.Bool("chosen", false, "no look at the machines that are only reported")
	worst := flags.Bool("worst", false, "the answers farthest outside of their intervals")
	name := flags.String("kind", "latencies", "latencies, streams or operations")
	if len(args) == 0 || !slices.Contains([]string{"calibrate", "coverage"}, args[0]) {
		return fmt.Errorf("name what to do: calibrate or coverage")
	}
	_ = flags.Parse(args[1:])
	curves, err := Published()
	if err != nil {
		return err
	}
	if args[0] == "calibrate" {
		return calibrate(os.Stdout, curves)
	}
	at := slices.IndexFunc(kinds, func(k kind) bool { return strings.EqualFold(k.name, *name) })
	if at < 0 {
		return fmt.Errorf("unknown kind %q; choose latencies, streams or operations", *name)
	}
	k := kinds[at]
	curves = append(curves, Planted(k.kind, PlantedCurves, 1)...)
	of := func(string) *forecast.Calibration { return k.frozen }
	if *leave {
		of = LeaveOut(curves, k.use)
	}
	if *chosen {
		kept := k.use
		k.use = func(c *Curve) bool { return kept(c) && judge.HalfOf(c.Machine) != judge.Report }
	}
	if *worst {
		return Worst(os.Stdout, curves, k, of)
	}
	return Report(os.Stdout, curves, k, of, *machines)
}

// calibrate writes the calibrations of all kinds.
func calibrate(w io.Writer, curves []Curve) error {
	type calibration struct {
		About string
		*forecast.Calibration
	}
	file := map[string]any{}
	for _, k := range kinds {
		n, machines := 0, map[string]bool{}
		for _, c := range curves {
			if k.use(&c) {
				n++
				machines[c.Machine] = true
			}
		}
		none := func(string) bool { return false }
		all := append(slices.Clip(curves), Planted(k.kind, PlantedCurves, 1)...)
		about := fmt.Sprintf("%s, from %d curves of %d machines, and planted ones",
			k.of, n, len(machines))
		file[k.name] = calibration{about, Train(all, k.use, none)}
	}
	return json.NewEncoder(w).Encode(file)
}
