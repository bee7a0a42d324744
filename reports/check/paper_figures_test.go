package check

import (
	"testing"

	"github.com/halfpeak/halfpeak/internal/papers"
	"github.com/halfpeak/halfpeak/internal/sharedtest"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/table"
)

// The figures of the papers are all drawn.
func TestPaperFigures(t *testing.T) {
	all, err := papers.Figures()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range all {
		if drawn, err := (FigureQuestion{f}).Ask(t.Context()); err != nil {
			t.Error(err)
		} else if len(drawn.Rows().Data) == 0 {
			t.Errorf("%s shows nothing", f.Name)
		}
	}
}

// Titles name all platforms, in the order given. Series name one only where there are several.
func TestTitlesNameAll(t *testing.T) {
	hp := sharedtest.Must(t, platforms.Open, "hp-lam")
	meiko := sharedtest.Must(t, platforms.Open, "meiko-cs2")
	for _, test := range []struct {
		designs      []platforms.Design
		title, first string
		lines        int
	}{
		{[]platforms.Design{hp}, "hp-lam/gam: LogP signature", "Δ = 0.00 µs", 6},
		{[]platforms.Design{meiko, hp}, "meiko-cs2/gam, hp-lam/gam: LogP signature",
			"meiko-cs2/gam: Δ = 0.00 µs", 4},
	} {
		f, err := signature(test.designs)
		if err != nil {
			t.Fatal(err)
		}
		if f.Title != test.title || f.Series[0].Name != test.first || len(f.Series) != test.lines {
			t.Errorf("%q begins with %q, %d lines", f.Title, f.Series[0].Name, len(f.Series))
		}
	}
	v := Validation{Results: []validated{
		{Program: "latency", Quantity: "one way", Platform: "a", Layer: "x", Size: 8, Model: 2, Engine: 2}}}
	for _, want := range []string{"model", "a/x: model"} {
		p, err := v.Figure()
		if err != nil {
			t.Fatal(err)
		}
		if f := p.(table.Figure); f.Series[0].Name != want {
			t.Errorf("%q: %q, want %q", f.Title, f.Series[0].Name, want)
		}
		again := v.Results[0]
		again.Platform = "b"
		v.Results = append(v.Results, again)
	}
}
