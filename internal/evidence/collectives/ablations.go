package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/halfpeak/halfpeak/internal/evidence/judge"
)

// An ablation is a change of a file of internal/fitted that switches a term off, or gives a number
// another value.
type ablation struct{ term, file, old, new string }

// number is a named constant with another value, usually one at which its term has no effect.
func number(name, file, value, other string) ablation {
	return ablation{name + " " + value + " → " + other, file, name + " = " + value,
		name + " = " + other}
}

var ablations = []ablation{
	{"none", "blend.go", "", ""},
	{"one form, the first", "forms.go", "tried := searched[d.Of.Collective]",
		"tried := searched[d.Of.Collective][:1:1]"},
	{"protocols of MPI by the step", "local.go", "!has && t.inside", "false && !has && t.inside"},
	{"links of one node apart", "local.go", "if len(own) == 0 {", "if true || len(own) == 0 {"},
	{"base of at most maxBase steps", "local.go", "t.between + maxBase, t.inside",
		"1 + 0*maxBase, t.inside"},
	number("launchSteps", "local.go", "11", "1"),
	number("latencyBytes", "local.go", "4096", "1"),
	number("sizeRange", "local.go", "0.35", "1"),
	{"wider ranges between sparse sizes", "local.go", "return max(1, second)", "return 1"},
	{"residuals nearby", "local.go", "math.Log(t) + l.residual(&c, without)", "math.Log(t)"},
	{"trend between places", "blend.go", "append(all, b.trend(p, n))", "append(all, math.NaN())"},
	{"weights by back-tests", "blend.go", "w[i] = 1 / (e * e)", "w[i] = 1 + 0*e"},
	number("evidenceRange", "blend.go", "4", "1e9"),
	number("evidenceFloor", "blend.go", "0.05", "0.001"),
	{"growth beside the forms", "blend.go", "h.growth = h.shareOfGrowth()", "h.growth = 0"},
	{"growth of known machines", "table.go", "growth = (growth + max(0, own)) / 2", "growth = own"},
	{"own growth", "table.go", "growth = (growth + max(0, own)) / 2", "growth += 0 * own"},
	{"more than one hold-out beyond", "blend.go", "{1.25, 2, 4}", "{2}"},
	{"larger sizes by the forms", "blend.go", "{byForms, byLine, byPower}",
		"{byLine, byLine, byPower}"},
	{"larger sizes by a line", "blend.go", "{byForms, byLine, byPower}",
		"{byForms, byForms, byPower}"},
	{"larger sizes by a power", "blend.go", "{byForms, byLine, byPower}",
		"{byForms, byLine, byLine}"},
	{"errors of held-out places", "interval.go", "(testPrior*usual*usual + squares) / free",
		"usual * usual + 0*squares"},
	number("testPrior", "interval.go", "4", "1"),
	{"Student's distribution", "interval.go", "stats.T95(free)/quantile95",
		"stats.T95(1e9)/quantile95"},
	number("minOctaves", "interval.go", "0.3", "1e-9"),
	number("partSpread", "interval.go", "0.6", "0"),
	number("lean", "interval.go", "0.2", "0"),
	number("sizeOctave", "interval.go", "0.23", "0"),
	number("partApart", "interval.go", "0.66", "0"),
	number("surprise", "interval.go", "2", "1e9"),
	number("plateau", "interval.go", "0.05", "0"),
}

// packagePath is the package from the folder of the module.
const packagePath = "../fitted"

// changed returns the text of the file with the change.
func (a ablation) changed() (string, error) {
	text, err := os.ReadFile(filepath.Join(packagePath, a.file))
	if err != nil {
		return "", err
	}
	// Constants of a block are aligned by spaces.
	squeezed := string(text)
	for strings.Contains(squeezed, "  = ") {
		squeezed = strings.ReplaceAll(squeezed, "  = ", " = ")
	}
	if a.old == "" {
		return squeezed, nil
	}
	if n := strings.Count(squeezed, a.old); n != 1 {
		return "", fmt.Errorf("%s: %s has %d times %q", a.term, a.file, n, a.old)
	}
	return strings.Replace(squeezed, a.old, a.new, 1), nil
}

// ablated are the halves that terms are chosen on.
var ablated = []judge.Half{judge.Choose, judge.Made}

// ablate writes the mean log error and interval score of each question for each ablation, on the
// measured machines that terms are chosen on and on those made up. Each ablation is a program of
// its own, built with the changed file.
func ablate(w io.Writer, _ []series) error {
	folder, err := os.MkdirTemp("", "ablations")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	out := csv.NewWriter(w)
	header := []string{"without"}
	for _, half := range ablated {
		for _, name := range names {
			name += ", " + string(half)
			header = append(header, name+", log error", name+", score")
		}
	}
	if err := out.Write(header); err != nil {
		return err
	}
	for _, a := range ablations {
		row, err := a.run(folder)
		if err != nil {
			return fmt.Errorf("%s: %w", a.term, err)
		}
		if err := out.Write(append([]string{a.term}, row...)); err != nil {
			return err
		}
		out.Flush()
	}
	return out.Error()
}

// run returns the means of the questions with the change.
func (a ablation) run(folder string) (means []string, err error) {
	text, err := a.changed()
	if err != nil {
		return nil, err
	}
	file, err := filepath.Abs(filepath.Join(packagePath, a.file))
	if err != nil {
		return nil, err
	}
	in := func(name string) string { return filepath.Join(folder, name) }
	if err := os.WriteFile(in(a.file), []byte(text), 0o600); err != nil {
		return nil, err
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {file: in(a.file)}})
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(in("overlay.json"), overlay, 0o600); err != nil {
		return nil, err
	}
	build := exec.Command("go", "build", "-overlay", in("overlay.json"), "-o", in("program"),
		"./collectives")
	if message, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, message)
	}
	answered, err := exec.Command(in("program"), "-only", "questions").Output()
	if err != nil {
		return nil, err
	}
	rows, err := csv.NewReader(bytes.NewReader(answered)).ReadAll()
	if err != nil {
		return nil, err
	}
	for _, half := range ablated {
		for _, name := range names {
			mean := []string{"", ""}
			for _, row := range rows {
				if row[0] == name+", "+string(half) {
					mean = []string{row[4], row[9]}
				}
			}
			means = append(means, mean...)
		}
	}
	return means, nil
}
