package papers

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/halfpeak/halfpeak/internal/papers"
	"github.com/halfpeak/halfpeak/internal/study"
)

// An accuracy is what one can count on one's fingers.
func TestAccuracy(t *testing.T) {
	nan := math.NaN()
	row := func(class papers.Class, relation string, e float64, met bool) papers.Result {
		role := papers.Measured
		if class == "" {
			role = papers.Stated
		}
		return papers.Result{Fact: papers.Fact{Role: role, Class: class, Relation: relation, ID: "id", Printed: "1"}, Error: e, Met: met}
	}
	r := Reproduction{
		row(papers.Predicted, "=", -0.3, false), row(papers.Predicted, "~", 0.1, true), row(papers.Predicted, "=", 0.05, false),
		row(papers.Predicted, ">", -0.9, false), row(papers.Predicted, "<=", nan, true),
		row(papers.Fitted, "=", 0.001, true), row(papers.Repeated, "=", 0.002, true), row(papers.Repeated, "=", 0, true),
		row("", "=", 0.5, false),
	}
	a := r.Of(papers.Predicted)
	if a.Numbers != 5 || len(a.Errors) != 4 || a.median() != 0.2 || a.worst() != 0.9 || a.within(0.1) != 2 || a.Bounds != 2 || a.BoundsKept != 1 {
		t.Errorf("%+v", a)
	}
	if got := r.unscoredCounts(); got != "1 fitted, 2 repeated" {
		t.Errorf("others: %s", got)
	}
	if none := r.Of(papers.Copied); !math.IsNaN(none.median()) || !math.IsNaN(none.worst()) || none.Sentence() != "" {
		t.Errorf("%+v", none)
	}
	if worst := r.misses(1); len(worst) != 1 || worst[0].Error != -0.9 { // a bound that is crossed
		t.Errorf("%+v", worst)
	}
	if err := r.Unexplained(); err == nil || !strings.Contains(err.Error(), "id (printed 1, ours 0)") {
		t.Errorf("%v", err)
	}
	r[8].Note = "a reason"
	if err := r.Unexplained(); err != nil {
		t.Errorf("%v", err)
	}
}

func TestReproduce(t *testing.T) {
	all, err := Question{}.Ask(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	sum := 0
	for _, paper := range papers.Names() {
		one, err := Question{Of: paper}.Ask(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		sum += len(one)
	}
	if sum != len(all) || len(all) < 300 {
		t.Errorf("%d numbers, %d of the papers one by one", len(all), sum)
	}
	if err := all.Unexplained(); err != nil {
		t.Error(err)
	}
	for _, class := range papers.Classes {
		if all.Of(class).Numbers == 0 {
			t.Errorf("no number is %s", class)
		}
	}
	if _, err := (Question{Of: "clop"}).Ask(t.Context()); err == nil {
		t.Error("no error of an unknown paper")
	}
	if tables := all.Summary(); len(tables) != 2 || len(tables[0].Data) != len(papers.Names())+1 {
		t.Errorf("%d tables", len(tables))
	}
}

// What this project measured itself changes nothing about the papers: not their total, not their
// notes, not the list of the farthest misses.
func TestOwnNumbersApart(t *testing.T) {
	all, err := Question{}.Ask(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	printed := all.filter(func(r papers.Result) bool { return r.Paper != own })
	if len(printed) == 0 || len(printed) == len(all) {
		t.Fatalf("%d of %d numbers are of papers", len(printed), len(all))
	}
	with, without := all.Summary(), printed.Summary()
	lines := with[0].Data
	last := len(lines) - 1
	if lines[last-1][0] != "papers" || lines[last][0] != own {
		t.Errorf("the last lines are %v and %v", lines[last-1][0], lines[last][0])
	}
	if diff := cmp.Diff(without[0].Data, lines[:last], cmpopts.EquateNaNs()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(without[1].Data, with[1].Data, cmpopts.EquateNaNs()); diff != "" {
		t.Error(diff)
	}
	notes := with[0].Notes
	if diff := cmp.Diff(without[0].Notes, notes[:len(notes)-1]); diff != "" {
		t.Error(diff)
	}
}

// The error that is stated where a time has no interval is that of all predicted numbers.
func TestStatedError(t *testing.T) {
	all, err := Question{}.Ask(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	a := all.papers().predicted()
	// Both are rounded to a tenth of a percent.
	if math.Abs(100*a.median()-study.PaperMedianError) > 0.05 ||
		math.Abs(100*a.worst()-study.PaperWorstError) > 0.05 {
		t.Errorf("%.1f %% in the median, %.1f %% at worst", 100*a.median(), 100*a.worst())
	}
}
