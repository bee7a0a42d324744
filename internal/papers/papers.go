// Package papers reads the numbers that papers print about the platforms, from the files of package
// data, and compares them with the models.
//
// Inputs are parameters of a platform file or numbers that determine one. Stated numbers are
// computed in the paper, and the model must reproduce them. Measured numbers test the model if it
// does not depend on them. Only measured numbers of the class predicted are scored.
package papers

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/halfpeak/halfpeak/data"
	"github.com/halfpeak/halfpeak/internal/formula"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// Role is the use of a number in the models. It decides whether a difference between
// the paper and the model is an error of ours, the accuracy of the model, or nothing.
type Role string

// The roles of a number.
const (
	Input    Role = "input"
	Stated   Role = "stated"
	Measured Role = "measured"
	// None marks a number without a place in any model; its note gives the reason.
	None Role = "none"
)

// Class is the degree to which a measured number tests the model: not at all, if the model was made
// with it or with a number of the same measurement.
type Class string

// The classes of measured numbers. Only predicted ones count for the accuracy.
const (
	Predicted Class = "predicted"  // computed from parameters that were measured elsewhere
	Fitted    Class = "fitted"     // a constant of the formula comes from the same column or curve
	SameTable Class = "same-table" // computed from neighbours in the same table or sentence
	Repeated  Class = "repeated"   // a measurement that is an input or is scored elsewhere
	Copied    Class = "copied"     // computed from a number of another system
)

// Classes lists all classes; only the first one is scored.
var Classes = []Class{Predicted, Fitted, SameTable, Repeated, Copied}

// A Fact is a number that a paper prints: a row of a file. FORMAT.md in package
// platforms describes the columns.
type Fact struct {
	ID       string
	Paper    string // "CLIP"; from the file's first line
	Layer    string // the scope of the formula: "clip/system-buffer"
	Role     Role
	Class    Class // of a measured number; otherwise empty
	Quantity string
	Printed  string  // as printed, for its digits
	Value    float64 // Printed in Unit
	Unit     string  // "" for plain numbers
	Relation string  // = ~ < <= > >=
	Formula  string
	Size     quantity.Bytes // n of the formula; 0: none
	Bar      string         // half-width of the error bar, "10us" or "2%"; "": half a digit
	Place    string
	Note     string
	At       string // file:line, for errors
}

// columns is the header of each file. It is compared with the file's, since read takes the fields
// of a row by their positions.
var columns = []string{
	"id", "layer", "role", "class", "quantity", "printed", "unit",
	"rel", "formula", "size", "bar", "place", "note",
}

// papers maps the files to the short names of their papers, with which their first lines begin:
// "# CLIP: author, title". Completion asks for the names, so only these lines are read.
var papers = sync.OnceValue(func() map[string]string {
	files, err := fs.Glob(data.Files, "*.csv")
	if err != nil {
		panic(err) // the pattern is valid
	}
	names := map[string]string{}
	for _, file := range files {
		text, err := data.Files.ReadFile(file)
		if err != nil {
			panic(err) // embedded: cannot fail
		}
		line, _, _ := strings.Cut(string(text), "\n")
		name, _, _ := strings.Cut(line, ":")
		if name, isComment := strings.CutPrefix(name, "# "); isComment {
			names[file] = name
		}
	}
	return names
})

// Names returns the short names of the papers.
func Names() []string { return slices.Sorted(maps.Values(papers())) }

// facts reads all facts once, since every figure asks for its points. They are sorted by file name
// and then by row.
var facts = sync.OnceValues(func() ([]Fact, error) {
	files, err := data.Files.ReadDir(".")
	if err != nil {
		return nil, err
	}
	var all []Fact
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".csv") {
			continue
		}
		r, err := data.Files.Open(f.Name())
		if err != nil {
			return nil, err
		}
		facts, err := read(f.Name(), r)
		r.Close()
		if err != nil {
			return nil, err
		}
		all = append(all, facts...)
	}
	return all, nil
})

// read reads the rows of a file, and checks each: a fault is found by any test, not
// by the figure that uses the number.
func read(file string, r io.Reader) ([]Fact, error) {
	c := csv.NewReader(r)
	// The lines before the header, behind #, name the paper.
	c.Comment = '#'
	header, err := c.Read()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if !slices.Equal(header, columns) {
		return nil, fmt.Errorf("%s: the columns are %s; want %s",
			file, strings.Join(header, ","), strings.Join(columns, ","))
	}
	paper := papers()[file]
	var facts []Fact
	for {
		row, err := c.Read()
		if errors.Is(err, io.EOF) {
			return facts, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		// Comments and quoted line ends make the line differ from the number of the row.
		line, _ := c.FieldPos(0)
		f := Fact{
			ID: row[0], Paper: paper, Layer: row[1],
			Role: Role(row[2]), Class: Class(row[3]),
			Quantity: row[4], Printed: row[5], Unit: row[6], Relation: row[7], Formula: row[8],
			Bar: row[10], Place: row[11], Note: row[12],
			At: fmt.Sprintf("%s:%d", file, line),
		}
		if err := f.check(row[9]); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", f.At, f.ID, err)
		}
		facts = append(facts, f)
	}
}

// check validates the row and fills in the values of its texts.
func (f *Fact) check(size string) error {
	// A class says how far a measurement tests the model, so it belongs to measurements alone.
	noClass := f.Role != Measured && f.Class == ""
	oneClass := f.Role == Measured && slices.Contains(Classes, f.Class)
	if !noClass && !oneClass {
		return fmt.Errorf("class %q; a measured number has one of predicted, fitted, same-table, "+
			"repeated and copied, and no other number has any", f.Class)
	}
	var err error
	f.Value, err = strconv.ParseFloat(f.Printed, 64)
	switch f.Role {
	case None:
		if f.Note == "" {
			return errors.New("a number without a place in a model needs a note that says why")
		}
		if err != nil {
			f.Value = math.NaN() // printed in words
		}
		return nil
	// A model computes these, so the checks below demand a formula and a scope.
	case Input, Stated, Measured:
	default:
		roles := []string{string(Input), string(Stated), string(Measured), string(None)}
		return fmt.Errorf("role %q%s", f.Role, usage.Hint(string(f.Role), roles))
	}
	if f.Paper == "" {
		return errors.New("no paper; begin the file with its short name, " +
			`as in "# CLIP: author, title"`)
	}
	required := []string{f.ID, f.Quantity, f.Formula, f.Place, f.Layer}
	if slices.Contains(required, "") {
		return errors.New("id, layer, quantity, formula and place must not be empty")
	}
	// ParseFloat reads NaN and Inf, which no paper prints.
	if err != nil || math.IsNaN(f.Value) || math.IsInf(f.Value, 0) {
		return fmt.Errorf("printed %q is not a number", f.Printed)
	}
	if _, ok := f.unit(); !ok {
		return fmt.Errorf("unknown unit %q", f.Unit)
	}
	// A formula that needs no scope would compare a constant with itself.
	if _, err := formula.Eval(f.Formula, nil); err == nil && f.Role != Input {
		return fmt.Errorf("formula %q uses nothing of the platform; "+
			"a number that no model computes has the role none", f.Formula)
	}
	if !slices.Contains([]string{"=", "~", "<", "<=", ">", ">="}, f.Relation) {
		return fmt.Errorf("rel %q; want = ~ < <= > or >=", f.Relation)
	}
	if size != "" {
		if f.Size, err = quantity.ParseBytes(size); err != nil {
			return err
		}
	}
	return nil
}

// Bound reports whether the paper prints a bound ("over 250"), which is kept or
// crossed. A kept bound has no error: any value beyond it agrees with the paper.
func (f *Fact) Bound() bool { return f.Relation != "=" && f.Relation != "~" }

// unit returns the unit as a value, by which numbers are divided: 1 for plain
// numbers.
func (f *Fact) unit() (quantity.Value, bool) {
	if f.Unit == "" {
		return quantity.Value{Num: 1}, true
	}
	return quantity.Unit(f.Unit)
}

// digit returns one unit of the last printed digit: 0.1 for "9.9", 1 for "3490". Half of it is the
// error of rounding, the bar of a number without another one.
func (f *Fact) digit() float64 {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(f.Printed), "e")
	_, decimals, _ := strings.Cut(mantissa, ".")
	e, _ := strconv.Atoi(exponent) // Printed is a number
	return math.Pow(10, float64(e-len(decimals)))
}

// A Result is a fact with its computed number.
type Result struct {
	Fact
	Computed float64 // in the fact's unit
	// Error is (Computed − Value)/Value; NaN for an input, for a bound that is kept, and where
	// Value is 0. A bound that is crossed has the distance to it: the true error is at least that.
	Error  float64
	Within quantity.Interval // the printed value with its error bar, in its unit
	// Met reports whether the computed number agrees with the paper: whether it is within the error
	// bar, or on the right side of a bound.
	Met bool
}

// Compare computes the formula of a fact. A fact of the role None has no formula, and
// all computed numbers are NaN. The errors are those of the row: an unknown scope, a
// formula of another dimension, or an unreadable bar.
func Compare(f Fact) (Result, error) {
	if f.Role == None {
		nan, none := math.NaN(), quantity.Alone(quantity.Unknown)
		return Result{Fact: f, Computed: nan, Error: nan, Within: none}, nil
	}
	d, err := platforms.Open(f.Layer)
	if err != nil {
		return Result{}, fmt.Errorf("%s: %s: %w", f.At, f.ID, err)
	}
	layer := d.Layer
	v, err := layer.Eval(f.Formula, f.Size)
	unit, _ := f.unit()
	if err == nil && v.Dim != unit.Dim {
		err = fmt.Errorf("%q is %s, but printed is %s", f.Formula, v.Dim, unit.Dim)
	}
	if err != nil {
		return Result{}, fmt.Errorf("%s: %s: %w", f.At, f.ID, err)
	}
	r := Result{Fact: f, Computed: v.Num / unit.Num, Error: math.NaN()}
	if r.Within, err = f.bar(unit); err != nil {
		return Result{}, fmt.Errorf("%s: %s: bar: %w", f.At, f.ID, err)
	}
	// A value on the edge of its bar is met, whatever the last bit of the arithmetic.
	const rounding = 1e-9 // of the arithmetic, where a value lies on the edge of the bar
	slack := rounding * math.Abs(f.Value)
	// A bound is broken on one side only, so the other end of its bar does not count.
	switch f.Relation {
	case "<", "<=":
		r.Met = r.Computed <= r.Within.High+slack
	case ">", ">=":
		r.Met = r.Computed >= r.Within.Low-slack
	default:
		r.Met = r.Within.Low-slack <= r.Computed && r.Computed <= r.Within.High+slack
	}
	// An input was put into the model, so its error would say nothing about the model.
	if f.Role != Input && f.Value != 0 && !(f.Bound() && r.Met) {
		r.Error = (r.Computed - f.Value) / f.Value
	}
	return r, nil
}

// bar returns the printed value with its range. The error bar of a rate may be in µs: it is then
// the bar of the time that was measured, and its ends are not equally far from the rate. A bar
// above that time leaves the rate without an upper end.
func (f *Fact) bar(unit quantity.Value) (in quantity.Interval, err error) {
	in.Value = f.Value
	if f.Bar == "" {
		half := f.digit() / 2
		in.Low, in.High = f.Value-half, f.Value+half
		return in, nil
	}
	b, err := formula.Eval(f.Bar, nil)
	switch {
	case err != nil:
		return in, err
	// A bar in percent is a part of the printed value.
	case b.Dim == quantity.DimNone:
		in.Low, in.High = f.Value*(1-b.Num), f.Value*(1+b.Num)
		return in, nil
	case b.Dim == unit.Dim:
		in.Low, in.High = f.Value-b.Num/unit.Num, f.Value+b.Num/unit.Num
		return in, nil
	case b.Dim == quantity.DimTime && unit.Dim == quantity.DimRate && f.Size > 0:
		// Rates are in bytes per µs, so t is in µs. 64 KiB at 111.2 MB/s take 589.35 µs: a bar
		// of 10 µs is the range from 109.3 to 113.1 MB/s.
		t := float64(f.Size) / (f.Value * unit.Num)
		in.Low, in.High = float64(f.Size)/(t+b.Num)/unit.Num, math.Inf(1)
		if t > b.Num {
			in.High = float64(f.Size) / (t - b.Num) / unit.Num
		}
		return in, nil
	}
	return in, fmt.Errorf("%q is %s; the value is %s", f.Bar, b.Dim, unit.Dim)
}

// Reproduce compares all facts with the models. An error is a row of the embedded files that cannot
// be compared.
func Reproduce() ([]Result, error) {
	facts, err := facts()
	if err != nil {
		return nil, err
	}
	var results []Result
	for _, f := range facts {
		r, err := Compare(f)
		if err != nil {
			return nil, err
		}
		results = append(results, r)
	}
	return results, nil
}

// WorthANote is the relative error from which a row carries the reason of its number. Below it,
// most of the papers' numbers differ by their rounding and their clocks.
const WorthANote = 0.1
