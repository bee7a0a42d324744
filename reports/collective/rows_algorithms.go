package collective

import (
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/reports/table"
)

// AlgorithmRows tabulates the algorithms.
func AlgorithmRows(a Algorithms) table.Rows {
	type entry = collective.Entry
	col := table.Col[entry]
	number := func(n int) any { return table.OrAbsent(n, n != 0) }
	takes := func(e entry) any {
		return table.OrNil(strings.Join(ParametersOf(e), " "))
	}
	rows := table.TableOf(a,
		col("collective", table.HeadIf(a[0].Collective != a[len(a)-1].Collective, "collective"),
			func(e entry) any { return e.Collective }),
		col("algorithm", "algorithm", func(e entry) any { return e.Name }),
		col("open_mpi", "Open MPI", func(e entry) any { return number(e.OpenMPI) }),
		col("mpich", "MPICH", func(e entry) any { return table.OrNil(e.MPICH) }).Ranked(3),
		col("nccl", "NCCL", func(e entry) any { return table.OrNil(e.NCCL) }).Ranked(1),
		col("intel", "Intel", func(e entry) any { return number(e.Intel) }).Ranked(2),
		col("takes", "takes", takes).Ranked(4),
		col("help", "what it does", func(e entry) any { return e.Help }),
		col("otherwise", "", func(e entry) any { return table.OrNil(e.When) }),
	)
	rows.List, rows.Notes = true, usual(a)
	return rows
}

// usual says which algorithms run where none is named.
func usual(a Algorithms) []string {
	var all []string
	for _, e := range a {
		u, known := collective.Library{}.Default(e.Collective, 2, 0)
		text := u.Name
		if u.Collective != e.Collective {
			text = u.Collective + " " + text
		}
		if text = e.Collective + ": " + text; known && !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return []string{"Where no algorithm is named, the library's choice runs if the platform says " +
		"library = \"openmpi\" or \"mpich\" and the choice is known, else " +
		strings.Join(all, ", ") + "."}
}
