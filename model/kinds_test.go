package model

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// The registry is whole: each kind has a layer in the tests, makes layers of itself, and what a
// file calls its parameters is told apart.
func TestKinds(t *testing.T) {
	tested := map[*Kind]bool{}
	for _, l := range layers {
		walk(l, func(l Layer) { tested[l.kind()] = true })
	}
	for _, k := range Kinds {
		if !tested[k] {
			t.Errorf("no test has a %s", k.Name)
		}
		if k.New().kind() != k {
			t.Errorf("%s makes a %s", k.Name, k.New().kind().Name)
		}
		named := func(other *Kind) bool { return other.Name == k.Name }
		if Kinds[slices.IndexFunc(Kinds, named)] != k {
			t.Errorf("two kinds have the name %s", k.Name)
		}
		if keys := k.Keys(); len(keys) == 0 || len(slices.Compact(slices.Sorted(slices.Values(keys)))) != len(keys) {
			t.Errorf("%s has the keys %v", k.Name, keys)
		}
		if k.Cost == "" {
			t.Errorf("%s: no cost", k.Name)
		}
		for _, f := range k.Fields {
			if f.Phrase == "" || f.Measure == Plain || f.Measure.Cost() && f.Symbol == "" {
				t.Errorf("%s.%s must have a phrase, a measure that is not Plain, and a symbol if that is Time or PerByte: %+v", k.Name, f.Key, f)
			}
		}
	}
}

// A copy has nothing in common with the layer that it was made of: whatever is set in it leaves
// the other as it is.
func TestCloneIsApart(t *testing.T) {
	for name, l := range layers {
		one, gap := l.OneWay(65537), l.Gap(65537)
		c := clone(l)
		if diff := cmp.Diff(l, c); diff != "" {
			t.Errorf("%s: (-layer +copy)\n%s", name, diff)
		}
		walk(c, func(l Layer) {
			k := l.kind()
			for i := range k.Fields {
				f := &k.Fields[i]
				if list, ok := f.At(l).(*[]quantity.Micros); ok {
					for i := range *list {
						(*list)[i] = 7
					}
				} else if !f.List {
					put(f.At(l), 7)
				}
			}
			if k.Branches != nil {
				for i := range *k.Branches(l) {
					(*k.Branches(l))[i].UpTo = 3
				}
			}
			if k.Stages != nil {
				for i := range *k.Stages(l) {
					s := &(*k.Stages(l))[i]
					s.Beta, s.Tau = 1, 1
				}
			}
		})
		if l.OneWay(65537) != one || l.Gap(65537) != gap {
			t.Errorf("%s changed with its copy", name)
		}
	}
}

// A frozen layer costs the same at the size for which it was frozen, and keeps its ways.
func TestFreeze(t *testing.T) {
	for name, l := range layers {
		for _, n := range []quantity.Bytes{1, 300, 4097, 65537} {
			c := clone(l)
			Freeze(c, n)
			if got, want := c.OneWay(n), l.OneWay(n); math.Abs(float64(got-want)) > 1e-9*float64(want) {
				t.Errorf("%s, %s: frozen %v, before %v", name, n, got, want)
			}
		}
	}
}

// The quantities of the table are those of the functions.
func TestQuantities(t *testing.T) {
	for i := range Quantities {
		q := &Quantities[i]
		if found, ok := FindQuantity(q.Name); !ok || found != q || q.Title == "" {
			t.Errorf("%+v", q)
		}
		for name, l := range layers {
			const n, p = 65537, 1024
			v := q.Of(l, n, p)
			if err := q.Check(l, n); err == nil && (math.IsNaN(v) || v < 0) {
				t.Errorf("%s of %s: %v, though it has it", q.Name, name, v)
			} else if math.IsNaN(v) && err == nil {
				t.Errorf("%s of %s is missing without a reason", q.Name, name)
			}
		}
	}
}

// Without its switches a layer costs what it did at the size that they were resolved for, if no
// piece takes another branch.
func TestServing(t *testing.T) {
	for name, l := range layers {
		if contains(l, func(l Layer) bool { return l.kind().Name == "segmented" }) {
			continue
		}
		for _, n := range []quantity.Bytes{1, 300, 65537} {
			s := Serving(l, n)
			if Regime(s, n) != "" {
				t.Errorf("%s: a switch is left", name)
			}
			near := func(got, want quantity.Micros) bool { return math.Abs(float64(got-want)) <= 1e-12*float64(want) }
			if !near(s.OneWay(n), l.OneWay(n)) || !near(s.Gap(n), l.Gap(n)) {
				t.Errorf("%s, %v: %v and %v; want %v and %v", name, n, s.OneWay(n), s.Gap(n), l.OneWay(n), l.Gap(n))
			}
		}
	}
}
