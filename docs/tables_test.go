package docs

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A row is a line of a table by the names of its columns.
type row map[string]string

// number returns a cell, NaN if it is empty.
func (r row) number(column string) float64 {
	v, err := strconv.ParseFloat(r[column], 64)
	if err != nil {
		return math.NaN()
	}
	return v
}

// read returns the lines of a table.
func read(t *testing.T, name string) (rows []row) {
	t.Helper()
	f, err := os.Open("tables/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil || len(lines) < 2 {
		t.Fatalf("%s: %d lines, %v", name, len(lines), err)
	}
	for _, line := range lines[1:] {
		r := row{}
		for i, column := range lines[0] {
			r[column] = line[i]
		}
		rows = append(rows, r)
	}
	return rows
}

// shown fails unless the page has each of the texts.
func shown(t *testing.T, page string, texts ...string) {
	t.Helper()
	content, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	flat := strings.Join(strings.Fields(string(content)), " ")
	for _, text := range texts {
		if !strings.Contains(flat, text) {
			t.Errorf("%s lacks %q", page, text)
		}
	}
}

// digits prints a number with so many digits, or whole.
func digits(v float64, n int) string {
	before := max(1, len(strconv.Itoa(int(math.Round(math.Abs(v))))))
	if math.Abs(v) < 1 {
		before = 0
	}
	return strconv.FormatFloat(v, 'f', max(0, n-before), 64)
}

func percent(part float64) string { return fmt.Sprintf("%.0f %%", 100*part) }

// spread prints a share with its standard error over machines.
func spread(r row) string {
	right, err := percent(r.number("right")), r.number("right_spread")
	if math.IsNaN(err) {
		return right
	}
	return strings.TrimSuffix(right, " %") + " ± " + percent(err)
}

// The first table of accuracy.md has rows of messages.csv and collectives.csv, of the machines that
// are only reported, with the better of two rivals.
func TestAccuracy(t *testing.T) {
	all := map[string]row{}
	for _, r := range slices.Concat(read(t, "messages.csv"), read(t, "collectives.csv")) {
		all[r["name"]] = r
	}
	for head, asked := range map[string]string{
		"Latency, every third size":         "Latencies, every third size held out",
		"Latency, the two largest sizes":    "Latencies, the two largest sizes held out",
		"Latency, one octave above":         "Latencies, one octave above",
		"Latency, two octaves":              "Latencies, two octaves above",
		"Latency, three octaves":            "Latencies, three octaves above",
		"Latency, four octaves":             "Latencies, four octaves above",
		"Stream, every third size":          "Streams, every third size held out",
		"Stream, one octave above":          "Streams, one octave above",
		"Stream, two octaves":               "Streams, two octaves above",
		"Stream, four octaves":              "Streams, four octaves above",
		"Operation, every third size":       "Operations, every third size held out",
		"Operation, one octave above":       "Operations, one octave above",
		"Operation, three octaves":          "Operations, three octaves above",
		"Collective, twice the nodes":       "×2",
		"Collective, four times the nodes":  "×4",
		"Collective, eight times the nodes": "×8",
	} {
		const half = ", only reported"
		r, has := all[asked+half]
		if !has {
			t.Fatalf("no row of %s", asked)
		}
		rival := all[asked+", rival"+half].number("interval_score")
		if own, has := all[asked+", rival of own width"+half]; has {
			rival = min(rival, own.number("interval_score"))
		}
		shown(t, "accuracy.md", fmt.Sprintf("| %s | %s, %s | %s | ×%s | %.0f %% | %s | %.2f | %.2f |",
			head, r["answers"], r["machines"], spread(r), digits(r.number("width"), 2),
			100*r.number("median_error"), percent(1-r.number("intervals")/r.number("answers")),
			r.number("interval_score"), rival))
	}
	far, twice := all["Latencies, four octaves above, only reported"], all["×2, only reported"]
	rival := all["×2, rival, only reported"]
	shown(t, "../README.md",
		fmt.Sprintf("A collective on twice the measured nodes is off by %s to %s in the median.",
			strings.TrimSuffix(percent(all["×2, chosen on"].number("median_error")), " %"),
			percent(twice.number("median_error"))),
		fmt.Sprintf("off by [%s](docs/accuracy.md), and %s of the answers have no interval",
			percent(far.number("median_error")), percent(1-far.number("intervals")/far.number("answers"))),
		fmt.Sprintf("%s of the intervals hold, ×%s wide; with the last growth continued, %s at ×%s",
			percent(twice.number("right")), digits(twice.number("width"), 2),
			percent(rival.number("right")), digits(rival.number("width"), 2)))
}

// The table of measure.md is that of programs.csv.
func TestPrograms(t *testing.T) {
	kinds := []string{"error_traced_percent", "error_percent", "error_from_other_percent"}
	cells := map[string]string{}
	var names []string
	all := make([][]float64, len(kinds))
	for _, r := range read(t, "programs.csv") {
		var parts []string
		for i, kind := range kinds {
			if v := r.number(kind); !math.IsNaN(v) {
				text := strings.Replace(fmt.Sprintf("%+.0f", v), "-", "−", 1)
				if math.Round(v) == 0 {
					text = "0"
				}
				parts, all[i] = append(parts, text), append(all[i], math.Abs(v))
			}
		}
		if cells[r["program"]] == "" {
			names = append(names, r["program"])
		}
		cells[r["program"]] += " | " + strings.Join(parts, "/")
	}
	for _, name := range names {
		shown(t, "measure.md", "| "+name+cells[name]+" |")
	}
	var medians, worst []any
	for _, errors := range all {
		slices.Sort(errors)
		n := len(errors)
		medians = append(medians, (errors[(n-1)/2]+errors[n/2])/2)
		worst = append(worst, errors[n-1])
	}
	shown(t, "measure.md", fmt.Sprintf("The median errors are %.1f, %.1f and %.1f %%, ", medians...)+
		fmt.Sprintf("the worst ones %.0f, %.0f and %.0f %%.", worst...))
}

// The table of fleet.md has rows of fleet.csv, and that of live.md the columns of live.csv.
func TestFleetAndLive(t *testing.T) {
	found := 0
	page, err := os.ReadFile("fleet.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range read(t, "fleet.csv") {
		head := fmt.Sprintf("| %s | %s %% | %s | ", r["nodes"], r["noise_percent"], r["tails"])
		if !strings.Contains(string(page), head) {
			continue
		}
		found++
		line := head + r["false_alarm_percent"] + " %"
		for _, of := range []string{"pair", "node"} {
			for _, by := range []string{"5", "10", "20"} {
				line += fmt.Sprintf(" | %.0f %%", r.number(of+"_"+by+"_percent"))
			}
		}
		shown(t, "fleet.md", line+" |")
	}
	if found < 5 {
		t.Errorf("fleet.md has only %d rows of fleet.csv", found)
	}
	times := map[string]string{}
	for _, r := range read(t, "live.csv") {
		times[r["bytes"]] += " | " + digits(r.number("peer_us"), 3) + " | " +
			digits(r.number("halfpeak_us"), 3)
	}
	for bytes, size := range map[string]string{"1": "1", "1024": "1,024", "65536": "65,536",
		"1048576": "1,048,576"} {
		shown(t, "live.md", "| "+size+times[bytes]+" |")
	}
}

// What gpus.md says of intervals is in laws.csv.
func TestLaws(t *testing.T) {
	least := map[string]float64{}
	for _, r := range read(t, "laws.csv") {
		kind := r["question"]
		if kind == "nodes" {
			kind = r["measured_nodes"] + " to " + r["asked_nodes"]
		} else if r["algorithm"] != "known" {
			continue
		} else {
			kind = "changed"
		}
		if v, ok := least[kind]; !ok || r.number("right") < v {
			least[kind] = r.number("right")
		}
	}
	if least["2 4 8 16 to 64"] != 1 {
		t.Errorf("gpus.md says that intervals from 2 to 16 nodes held for all, and %s did",
			percent(least["2 4 8 16 to 64"]))
	}
	shown(t, "gpus.md", "1, 2 and 4 nodes gave intervals on 64 that held for "+
		percent(least["1 2 4 to 64"])+", and 2 to 16 nodes for all",
		"For known laws it held for "+strings.TrimSuffix(percent(least["changed"]), " %")+" to 100 %;")
}

// The page of training has the errors of the published steps that were not fitted.
func TestTraining(t *testing.T) {
	type sum struct{ n, mean, worst float64 }
	ours, calculon := map[string]*sum{"reducing": {}, "sc21": {}}, &sum{}
	for _, r := range read(t, "training.csv") {
		if r["fitted"] == "yes" {
			continue
		}
		add := func(s *sum, e float64) {
			s.n++
			s.mean += math.Abs(e)
			if math.Abs(e) > math.Abs(s.worst) {
				s.worst = e
			}
		}
		add(ours[r["source"]], r.number("halfpeak_error_percent"))
		if r["source"] == "reducing" {
			add(calculon, r.number("calculon_error_percent"))
		}
	}
	text := func(s *sum, between string) string {
		worst := strings.Replace(fmt.Sprintf("%+.1f", s.worst), "-", "−", 1)
		return fmt.Sprintf("%.1f %%%s%s %%", s.mean/s.n, between, worst)
	}
	shown(t, "training.md", text(ours["reducing"], " | "), text(ours["sc21"], " | "),
		text(calculon, ", "))
	if s := ours["reducing"]; s.mean/s.n > 4 || math.Abs(s.worst) > 7 {
		t.Errorf("steps that were not fitted are off by %.1f %% in the mean, %.1f %% at worst",
			s.mean/s.n, s.worst)
	}
}
