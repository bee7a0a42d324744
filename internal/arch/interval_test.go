package arch

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// TestOneInterval holds that the ends of an interval are those of quantity.Interval: no struct has
// a pair of fields for them. Keys of a file format, which have tags, are its interface.
func TestOneInterval(t *testing.T) {
	other := []string{
		"Estimate", // several parameters, as one value of their model
		"Spread",   // columns of a table
	}
	set := token.NewFileSet()
	found := 0
	for _, f := range sources(t, set) {
		ast.Inspect(f.File, func(n ast.Node) bool {
			d, is := n.(*ast.TypeSpec)
			if !is {
				return true
			}
			s, is := d.Type.(*ast.StructType)
			if !is || f.dir == "model/quantity" {
				return true
			}
			if pair := pairOf(s); pair != "" {
				if slices.Contains(other, d.Name.Name) {
					found++
				} else {
					t.Errorf("%s: %s has %s; use quantity.Interval", set.Position(s.Pos()), d.Name.Name, pair)
				}
			}
			return true
		})
	}
	if found != len(other) {
		t.Errorf("%d of the types %q have pairs of ends; list those alone", found, other)
	}
}

// pairOf returns two fields of a struct for both ends of an interval, or "".
func pairOf(s *ast.StructType) string {
	names := map[string]bool{}
	for _, field := range s.Fields.List {
		for _, name := range field.Names {
			if field.Tag == nil {
				names[strings.ToLower(name.Name)] = true
			}
		}
	}
	for name := range names {
		for low, high := range map[string]string{"low": "high", "lo": "hi", "lower": "upper"} {
			if begin, is := strings.CutSuffix(name, low); is && names[begin+high] {
				return name + " and " + begin + high
			}
		}
	}
	return ""
}

// TestOneDoor holds that what people ask about is opened by halfpeak.Open: each command then takes
// the same platforms. The page has its own files, which no disk has.
func TestOneDoor(t *testing.T) {
	openers := []string{"platforms.Open", "fits.MachineDesign"}
	set := token.NewFileSet()
	for _, f := range sources(t, set) {
		asks := strings.HasPrefix(f.dir, "cmd/") || strings.HasPrefix(f.dir, "internal/reports/")
		if !asks || f.dir == "internal/reports/page" {
			continue
		}
		ast.Inspect(f.File, func(n ast.Node) bool {
			s, is := n.(*ast.SelectorExpr)
			if !is {
				return true
			}
			x, is := s.X.(*ast.Ident)
			if is && slices.Contains(openers, x.Name+"."+s.Sel.Name) {
				t.Errorf("%s: %s.%s; use halfpeak.Open", set.Position(s.Pos()), x.Name, s.Sel.Name)
			}
			return true
		})
	}
}
