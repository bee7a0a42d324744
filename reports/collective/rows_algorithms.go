package collective

import (
	"strings"

	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// Rows tabulates the algorithms.
func (l Listing) Rows() table.Rows {
	all, col := l.algorithms, table.Col[listed]
	several := all[0].Collective != all[len(all)-1].Collective
	number := func(n int) any { return table.OrAbsent(n, n != 0) }
	rows := table.TableOf(all,
		col("collective", table.HeadIf(several, "collective"),
			func(e listed) any { return e.Collective }),
		col("algorithm", "algorithm", func(e listed) any { return e.Name }),
		col("open_mpi", "Open MPI", func(e listed) any { return number(e.OpenMPI) }),
		col("mpich", "MPICH", func(e listed) any { return table.OrNil(e.MPICH) }).Ranked(3),
		col("nccl", "NCCL", func(e listed) any { return table.OrNil(e.NCCL) }).Ranked(1),
		col("intel", "Intel", func(e listed) any { return number(e.Intel) }).Ranked(2),
		col("takes", "takes", func(e listed) any {
			return table.OrNil(strings.Join(e.parameters, " "))
		}).Ranked(4),
		col("help", "what it does", func(e listed) any { return e.Help }),
		col("otherwise", "", func(e listed) any { return table.OrNil(e.When) }),
	)
	if rows.List = true; len(l.usual) > 0 {
		rows.Add(remark.LibraryChoice(strings.Join(l.usual, ", ")))
	}
	rows.Verdict = table.Say("%s; --algorithm NAME writes the schedule of one",
		quantity.Plural(len(all), "algorithm"))
	return rows
}
