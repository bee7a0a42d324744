package collectives

import (
	"strings"

	"github.com/halfpeak/halfpeak/ask/collectives"
	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/reports"
)

// AlgorithmRows tabulates the algorithms.
func AlgorithmRows(a collectives.Algorithms) reports.Rows {
	type entry = collective.Entry
	col := reports.Col[entry]
	number := func(n int) any { return reports.OrAbsent(n, n != 0) }
	takes := func(e entry) any {
		return reports.OrNil(strings.Join(collectives.ParametersOf(e), " "))
	}
	return reports.TableOf(a,
		col("collective", "collective", func(e entry) any { return e.Collective }),
		col("algorithm", "algorithm", func(e entry) any { return e.Name }),
		col("open_mpi", "Open MPI", func(e entry) any { return number(e.OpenMPI) }),
		col("mpich", "MPICH", func(e entry) any { return reports.OrNil(e.MPICH) }).Ranked(3),
		col("nccl", "NCCL", func(e entry) any { return reports.OrNil(e.NCCL) }).Ranked(1),
		col("intel", "Intel", func(e entry) any { return number(e.Intel) }).Ranked(2),
		col("takes", "takes", takes).Ranked(4),
		col("help", "what it does", func(e entry) any { return e.Help }),
		col("otherwise", "", func(e entry) any { return reports.OrNil(e.When) }),
	)
}
