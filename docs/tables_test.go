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

// The tables of accuracy.md are those of messages.csv and collectives.csv.
func TestAccuracy(t *testing.T) {
	messages := map[string]row{}
	for _, r := range read(t, "messages.csv") {
		messages[r["name"]] = r
	}
	for head, asked := range map[string]string{
		"every third one":       "every third size held out",
		"the two largest":       "the two largest sizes held out",
		"one octave above":      "one octave above",
		"two octaves":           "two octaves above",
		"three octaves":         "three octaves above",
		"four octaves":          "four octaves above",
		"another run, from two": "another run, from two runs",
	} {
		line := "| " + head
		for _, kind := range []string{"Latencies", "Streams", "Operations"} {
			for _, half := range []string{"chosen on", "only reported"} {
				r, has := messages[kind+", "+asked+", "+half]
				if !has {
					line += " | –"
					continue
				}
				median, decimals := 100*r.number("median_error"), 0
				if median < 1 {
					decimals = 1
				}
				line += fmt.Sprintf(" | %.*f, %.0f, %.0f; ×%s", decimals, median, 100*r.number("right"), 100*(1-r.number("intervals")/r.number("answers")),
					digits(r.number("width"), 2))
			}
		}
		shown(t, "accuracy.md", line+" |")
	}
	twice := map[string]string{} // the median error on twice the nodes, by half
	for _, r := range read(t, "collectives.csv") {
		times, half, _ := strings.Cut(r["name"], ", ")
		if !slices.Contains([]string{"chosen on", "only reported", "made up"}, half) ||
			!slices.Contains([]string{"×2", "×4", "×8", "×16"}, times) {
			continue
		}
		shown(t, "accuracy.md", fmt.Sprintf("| %s | %s %s | %.3f | %s, %s | %s | %s | ×%s |", times,
			r["machines"], half, r.number("log_error"), percent(r.number("median_error")),
			percent(r.number("p90_error")), percent(1-r.number("intervals")/r.number("answers")),
			percent(r.number("right")), digits(r.number("width"), 2)))
		if times == "×2" {
			twice[half] = percent(r.number("median_error"))
		}
	}
	shown(t, "../README.md", "A collective on twice the measured nodes is off by "+
		strings.TrimSuffix(twice["chosen on"], " %")+" to "+twice["only reported"]+" in the median.")
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
