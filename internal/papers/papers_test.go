package papers

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

const header = "id,layer,role,class,quantity,printed,unit,rel,formula,size,bar,place,note\n"

func TestReadErrors(t *testing.T) {
	check := func(file, text, want string) {
		t.Helper()
		_, err := read(file, strings.NewReader(text))
		if err == nil || err.Error() != want {
			t.Errorf("read(%s, %q)\n got %v\nwant %s", file, text, err, want)
		}
	}
	row := func(changes ...string) string {
		fields := map[string]string{"id": "x", "layer": "clip/pio", "role": "measured", "class": "predicted", "quantity": "latency", "printed": "9.9", "unit": "us", "rel": "=",
			"formula": "one_way(4B)", "place": "sec. 5.2"}
		for i := 0; i < len(changes); i += 2 {
			fields[changes[i]] = changes[i+1]
		}
		cells := make([]string, len(columns))
		for i, c := range columns {
			cells[i] = fields[c]
		}
		return header + "# a comment and an empty line count too\n\n" + strings.Join(cells, ",") + "\n"
	}
	// The file.
	check("clip.csv", "", "clip.csv: EOF")
	check("clip.csv", "id,layer\n", "clip.csv: the columns are id,layer; want "+strings.TrimSpace(header))
	check("clip.csv", header+"x,clip/pio\n", "clip.csv: record on line 2: wrong number of fields")
	check("nosuch.csv", row(), `nosuch.csv:4: x: no paper; begin the file with its short name, as in "# CLIP: author, title"`)
	// The row.
	for _, class := range []string{"", "predict", "input"} {
		check("clip.csv", row("class", class), `clip.csv:4: x: class "`+class+`"; a measured number has one of predicted, fitted, same-table, repeated and copied, and no other number has any`)
	}
	check("clip.csv", row("role", "input"), `clip.csv:4: x: class "predicted"; a measured number has one of predicted, fitted, same-table, repeated and copied, and no other number has any`)
	check("clip.csv", row("class", "", "role", "measurd"), `clip.csv:4: x: role "measurd"; did you mean "measured"?`)
	check("clip.csv", row("class", "", "role", ""), `clip.csv:4: x: role ""; choose from input, stated, measured, none`)
	check("clip.csv", row("role", "none", "class", ""), "clip.csv:4: x: a number without a place in a model needs a note that says why")
	for _, must := range []string{"layer", "quantity", "formula", "place"} {
		check("clip.csv", row(must, ""), "clip.csv:4: x: id, layer, quantity, formula and place must not be empty")
	}
	for _, number := range []string{"", "ten", "44;4", "NaN", "Inf", "-inf", "1e999"} {
		check("clip.csv", row("printed", number), `clip.csv:4: x: printed "`+number+`" is not a number`)
	}
	check("clip.csv", row("unit", "furlong"), `clip.csv:4: x: unknown unit "furlong"`)
	check("clip.csv", row("rel", "=="), `clip.csv:4: x: rel "=="; want = ~ < <= > or >=`)
	check("clip.csv", row("rel", ""), `clip.csv:4: x: rel ""; want = ~ < <= > or >=`)
	check("clip.csv", row("formula", "10us/0.5us", "unit", ""), `clip.csv:4: x: formula "10us/0.5us" uses nothing of the platform; a number that no model computes has the role none`)
	if _, err := read("clip.csv", strings.NewReader(row("size", "10GBB"))); err == nil || !strings.HasPrefix(err.Error(), "clip.csv:4: x: ") || !strings.Contains(err.Error(), "10GBB") {
		t.Errorf("size 10GBB: %v", err)
	}
}

func TestCompareErrors(t *testing.T) {
	check := func(change func(*Fact), want string) {
		t.Helper()
		f := Fact{ID: "x", Layer: "clip/pio", Role: Measured, Printed: "9.9", Value: 9.9, Unit: "us", Relation: "=", Formula: "one_way(n)", Size: 4, At: "clip.csv:4"}
		change(&f)
		_, err := Compare(f)
		const at = "clip.csv:4: x: "
		if err == nil || !strings.HasPrefix(err.Error(), at) || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v\n got %v\nwant %s… %s", f, err, at, want)
		}
	}
	check(func(f *Fact) { f.Layer = "clip/pi" }, `platform clip has no layer "pi"; did you mean "pio"?`)
	check(func(f *Fact) { f.Formula = "one_wai(n)" }, `no parameter, constant or function "one_wai"; did you mean "one_way"?`)
	check(func(f *Fact) { f.Size = 0 }, `no parameter, constant or function "n"`)
	check(func(f *Fact) { f.Formula = "bandwidth(n)" }, `"bandwidth(n)" is a rate, but printed is a time`)
	check(func(f *Fact) { f.Unit = "" }, `"one_way(n)" is a time, but printed is a plain number`)
	check(func(f *Fact) { f.Bar = "10MB/s" }, `bar: "10MB/s" is a rate; the value is a time`)
	check(func(f *Fact) { f.Bar = "wide" }, `bar: "wide"`)
	check(func(f *Fact) { f.Unit, f.Formula, f.Bar, f.Size = "MB/s", "bandwidth(4B)", "10us", 0 }, `bar: "10us" is a time; the value is a rate`)
}

func TestBars(t *testing.T) {
	check := func(printed, unit, bar string, size quantity.Bytes, low, high float64) {
		t.Helper()
		facts, err := read("clip.csv", strings.NewReader(header+"x,clip/pio,measured,predicted,q,"+printed+","+unit+",=,one_way(4B),,"+bar+",p,\n"))
		if err != nil {
			t.Error(err)
			return
		}
		f := facts[0]
		f.Size = size
		u, _ := f.unit()
		got, err := f.bar(u)
		near := func(a, b float64) bool { return a == b || math.Abs(a-b) <= 1e-9*math.Abs(b) }
		if err != nil || !near(got.Low, low) || !near(got.High, high) {
			t.Errorf("%s %s ± %s at %s: [%v, %v] %v; want [%v, %v]", printed, unit, bar, size, got.Low, got.High, err, low, high)
		}
	}
	// Without a bar: half a unit of the last printed digit.
	check("9.9", "us", "", 0, 9.85, 9.95)
	check("3490", "B", "", 0, 3489.5, 3490.5)
	check("51.250", "MB/s", "", 0, 51.2495, 51.2505)
	check("1.5e3", "us", "", 0, 1450, 1550)
	check("2e-3", "us", "", 0, 0.0015, 0.0025)
	// A share, whatever the unit.
	check("100", "us", "2%", 0, 98, 102)
	check("100", "", "2%", 0, 98, 102)
	// In the unit's dimension.
	check("60", "us", "10us", 0, 50, 70)
	check("12", "s", "500ms", 0, 11.5, 12.5)
	// A time about a rate is one about the time that was measured: 1,024 bytes in 20 ± 10 µs.
	check("51.2", "MB/s", "10us", 1024, 1024./30, 1024./10)
	check("409.6", "Mbit/s", "10us", 1024, 8*1024./30, 8*1024./10)
	check("102.4", "MB/s", "10us", 1024, 51.2, math.Inf(1)) // 10 ± 10 µs
}

func TestRelations(t *testing.T) {
	check := func(relation, printed string, met bool, wantError float64) {
		t.Helper()
		facts, err := read("clip.csv", strings.NewReader(header+"x,clip/pio,measured,predicted,q,"+printed+",us,"+relation+",10us + 0*beta,,,p,\n"))
		if err != nil {
			t.Fatal(err)
		}
		r, err := Compare(facts[0])
		if err != nil {
			t.Fatal(err)
		}
		same := math.IsNaN(r.Error) && math.IsNaN(wantError) || math.Abs(r.Error-wantError) < 1e-12
		if r.Met != met || !same {
			t.Errorf("10 us %s %s: met %t, error %v; want %t, %v", relation, printed, r.Met, r.Error, met, wantError)
		}
	}
	nan := math.NaN() // a bound that is kept has no error
	check("=", "10", true, 0)
	check("=", "10.5", false, 10/10.5-1)
	check("=", "10.0", true, 0)
	check("~", "9.9", false, 10/9.9-1)
	check("=", "0", false, nan) // nothing is relative to 0
	check("<", "12", true, nan)
	check("<", "9", false, 10./9-1)
	check("<=", "10", true, nan)
	check(">", "9", true, nan)
	check(">=", "12", false, 10./12-1)
	check(">=", "10", true, nan)
}

func TestRoles(t *testing.T) {
	facts, err := read("clip.csv", strings.NewReader(header+
		"a,clip/pio,input,,q,9.9,us,=,beta,,,p,\n"+
		"b,,none,,q,four,nodes,,,,,p,equipment\n"))
	if err != nil {
		t.Fatal(err)
	}
	if r, err := Compare(facts[0]); err != nil || !math.IsNaN(r.Error) || !r.Met {
		t.Errorf("an input has no error: %+v, %v", r, err)
	}
	if f := facts[1]; f.Role != None || f.Printed != "four" || f.At != "clip.csv:3" {
		t.Errorf("%+v", f)
	}
}

func TestFiles(t *testing.T) {
	facts, err := facts()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{}
	for _, f := range facts {
		if at, twice := seen[f.ID]; twice {
			t.Errorf("%s: %s is at %s too", f.At, f.ID, at)
		}
		seen[f.ID] = f.At
	}
	results, err := Reproduce()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		if r.Role != None && (math.IsNaN(r.Computed) || math.IsInf(r.Computed, 0) || !(r.Within.Low <= r.Value && r.Value <= r.Within.High)) {
			t.Errorf("%s: %s: computed %v, printed %v in [%v, %v]", r.At, r.ID, r.Computed, r.Value, r.Within.Low, r.Within.High)
		}
	}
}

func TestPoints(t *testing.T) {
	points, err := Points("clip/system-buffer")
	if err != nil {
		t.Fatal(err)
	}
	var found bool
	for _, p := range points {
		if !(p.Within.Low <= p.Within.Value && p.Within.Value <= p.Within.High) || p.Size < 1 {
			t.Errorf("%+v", p)
		}
		if p.ID == "clip.t5_1.snoop.1024" {
			found = true
			// 1,024 bytes at 51.25 MB/s, known to 10 µs.
			for _, c := range [][2]float64{{float64(p.OneWay), 1024 / 51.25}, {p.Within.Low, 1024/51.25 - 10}, {p.Within.High, 1024/51.25 + 10}} {
				if math.Abs(c[0]-c[1]) > 1e-9 {
					t.Errorf("%v; want %v", c[0], c[1])
				}
			}
		}
	}
	if !found {
		t.Error("clip.t5_1.snoop.1024 is no point")
	}
	if points, err := Points("clip/nosuch"); err != nil || len(points) > 0 {
		t.Errorf("of a layer that nobody measured: %v, %v", points, err)
	}
}

// TestPapers holds the rows of each paper against their rules: an input is what the
// platform says, a stated number comes out, what misses has its reason, and no
// measured number is an input in disguise: where a number has a row of both roles, the
// measured one does not compute what the input gives. It logs how far the predicted ones are.
func TestPapers(t *testing.T) {
	for _, paper := range Names() {
		t.Run(paper, func(t *testing.T) { checkPaper(t, paper) })
	}
}

func checkPaper(t *testing.T, paper string) {
	all, err := Reproduce()
	if err != nil {
		t.Fatal(err)
	}
	results := slices.DeleteFunc(all, func(r Result) bool { return r.Paper != paper || r.Role == None })
	type value struct {
		layer, unit string
		value       float64
	}
	inputs := map[value]Result{}
	for _, r := range results {
		if r.Role == Input {
			inputs[value{r.Layer, r.Unit, r.Value}] = r
		}
	}
	off := map[string][]float64{}
	for _, r := range results {
		d, err := platforms.Open(r.Layer)
		if err != nil {
			t.Fatal(err)
		}
		p := d.Platform
		switch {
		case r.Role != Measured && !r.Met && r.Note == "":
			t.Errorf("%s: %s is %s, but comes out as %.6g %s of %s; correct the row or its formula, or give the reason in its note", r.At, r.ID, r.Role, r.Computed, r.Unit, r.Printed)
		case r.Role == Measured && math.Abs(r.Error) > 0.1 && r.Note == "":
			t.Errorf("%s: %s is off by %.1f %%; give the reason in its note", r.At, r.ID, 100*r.Error)
		}
		in, is := inputs[value{r.Layer, r.Unit, r.Value}]
		if is && r.Role == Measured && math.Abs(r.Computed-in.Computed) <= 1e-9*in.Computed {
			t.Errorf("%s: %s is measured, but %s is the same number and an input", r.At, r.ID, in.ID)
		}
		if r.Class == Predicted && !math.IsNaN(r.Error) {
			off[p.Name] = append(off[p.Name], math.Abs(r.Error))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(off)) {
		e := slices.Sorted(slices.Values(off[name]))
		t.Logf("%s: %d predicted, median error %.1f %%, worst %.1f %%", name, len(e), 100*(e[(len(e)-1)/2]+e[len(e)/2])/2, 100*e[len(e)-1])
	}
}
