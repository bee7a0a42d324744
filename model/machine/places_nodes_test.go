package machine

import (
	"strconv"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/model"
)

// Four ranks on nodes of two cores, in groups of three nodes.
func TestPlaceNodes(t *testing.T) {
	layer := &model.Linear{Beta: 1}
	m := Machine{Levels: []Level{{Name: "node", Arity: 2, Layer: layer}, {Name: "group", Arity: 3, Layer: layer}, {Name: "cluster", Arity: 2, Layer: layer}}}
	flat := Machine{Levels: []Level{{Name: "node", Arity: 2, Layer: layer}, {Name: "cluster", Arity: 6, Layer: layer}}}
	single := Machine{Levels: []Level{{Name: "group", Arity: 3, Layer: layer}, {Name: "cluster", Arity: 2, Layer: layer}}}
	for _, test := range []struct {
		m             Machine
		nodes, groups string
		want          string // cores, or part of the error
	}{
		{m, "a a b b", "", "0,1,2,3"},
		{m, "a b a b", "", "0,2,1,3"},
		{m, "a b c d", "x x y y", "0,2,6,8"},
		{m, "a b c d", "y x x y", "0,6,8,2"},
		{flat, "a b c d", "", "0,2,4,6"},
		{single, "a b c d", "x y x y", "0,3,1,4"},
		{m, "a a a b", "", "more than 2 ranks"},
		{m, "a b c d", "x x x x", `node "d" is the 4. of its group, which has 3`},
		{m, "a b c d", "x y z x", "3 groups of nodes, and the machine has 2"},
		{m, "a a b b", "x y x x", "is in the groups"},
		{flat, "a b c d", "x x y y", "no level between its nodes and the whole machine"},
	} {
		places, err := test.m.placeNodes(strings.Fields(test.nodes), strings.Fields(test.groups))
		switch {
		case err == nil && strings.Join(list.Map(places, strconv.Itoa), ",") != test.want:
			t.Errorf("%s in %s: cores %v, want %s", test.nodes, test.groups, places, test.want)
		case err != nil && !strings.Contains(err.Error(), test.want):
			t.Errorf("%s in %s: %v; want %s", test.nodes, test.groups, err, test.want)
		}
	}
}
