package programs_test

import (
	"testing"

	"github.com/halfpeak/halfpeak/ask/programs"
	"github.com/halfpeak/halfpeak/engine/schedule/program"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/platforms"
)

// Each program that the binary carries runs on each platform that it carries, and on the machine of
// ten lines in docs/machines.md.
func TestExamplesEverywhere(t *testing.T) {
	var machines []platforms.Design
	all, err := platforms.All()
	if err != nil {
		t.Fatal(err)
	}
	names := list.Map(all, func(p platforms.Platform) string { return p.Name })
	for _, name := range append(names, "../../internal/demo/files/rack.toml") {
		d, err := platforms.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		machines = append(machines, d)
	}
	for _, e := range program.Examples() {
		s, err := programs.Scale(t.Context(), e.Name, programs.Reading{Ranks: []int{4, 8}},
			programs.Setup{Eager: simulate.NoLimit}, machines...)
		if err != nil {
			t.Errorf("%s: %v", e.Name, err)
			continue
		}
		if len(s.Rows) != 2*len(machines) {
			t.Errorf("%s: %d rows for %d machines", e.Name, len(s.Rows), len(machines))
		}
		for _, row := range s.Rows {
			parts := row.Computing + row.Messages + row.Waiting
			if !(row.Finish > 0) || parts < row.Finish*0.999999 || parts > row.Finish*1.000001 {
				t.Errorf("%s, %d ranks on %s: the finish is %v, its parts are %v, %v and %v", e.Name,
					row.Ranks, row.Machine, row.Finish, row.Computing, row.Messages, row.Waiting)
			}
		}
	}
}
