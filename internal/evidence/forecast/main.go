// Forecast learns from published curves the errors of predictions, and measures the errors for
// unseen curves:
//
//	go run ./forecast calibrate [-o FILE] [FOLDER…]
//	go run ./forecast coverage [-leave-out] [-machines] [-worst] [-kind KIND] [FOLDER…]
//
// The curves are those of internal/published, or of the benchmark files in folders.
// Calibrate writes internal/forecast/published.json: weights, no measurements. Coverage
// holds sizes out, predicts them from the remaining sizes, and compares, as CSV. It predicts with
// the published calibration or, with -leave-out, with one that is made from the same curves without
// the machine that is predicted. See [Load] for the machine of a
// curve. Kinds are latencies, streams and operations.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/fit/benchfile"
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
	out := flags.String("o", "../forecast/published.json", "file that calibrate writes")
	leave := flags.Bool("leave-out", false,
		"calibrate without the machine that is predicted")
	machines := flags.Bool("machines", false, "a row for each machine")
	worst := flags.Bool("worst", false, "the answers farthest outside of their intervals")
	name := flags.String("kind", "latencies", "latencies, streams or operations")
	if len(args) == 0 || !slices.Contains([]string{"calibrate", "coverage"}, args[0]) {
		return fmt.Errorf("name what to do: calibrate or coverage")
	}
	_ = flags.Parse(args[1:])
	curves, err := Published()
	if flags.NArg() > 0 {
		curves, err = Load(flags.Args()...)
	}
	if err != nil {
		return err
	}
	if len(curves) == 0 {
		return fmt.Errorf("no curve of 12 sizes or more in %q; name folders of benchmark output",
			flags.Args())
	}
	if args[0] == "calibrate" {
		return calibrate(*out, curves)
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
	if *worst {
		return Worst(os.Stdout, curves, k, of)
	}
	return Report(os.Stdout, curves, k, of, *machines)
}

// number matches the numbers of JSON.
var number = regexp.MustCompile(`-?\d+(\.\d+)?(e[-+]\d+)?`)

// calibrate writes the calibrations with four digits: more than the weights are known to, and few
// enough to read the differences of the file.
func calibrate(out string, curves []Curve) error {
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
	text, err := json.Marshal(file)
	if err != nil {
		return err
	}
	text = number.ReplaceAllFunc(text, func(v []byte) []byte {
		x, _ := strconv.ParseFloat(string(v), 64) // it matched
		return strconv.AppendFloat(nil, x, 'g', 4, 64)
	})
	lines := strings.NewReplacer("},", "},\n", "],", "],\n").Replace(string(text))
	return os.WriteFile(out, []byte(lines+"\n"), 0o644)
}
