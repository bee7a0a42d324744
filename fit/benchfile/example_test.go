package benchfile_test

import (
	"fmt"
	"strings"

	"github.com/halfpeak/halfpeak/fit/benchfile"
)

// The format is recognised by what the file contains.
func Example() {
	const output = `mpirun: warning: no NUMA support
# OSU MPI Latency Test v7.3
# Size          Latency (us)
1                       1.52
1024                    4.25
`
	file, err := benchfile.Read(strings.NewReader(output), "latency.txt", benchfile.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, table := range file.Tables {
		fmt.Println(table.Format, table.Kind)
		for _, s := range table.Samples {
			fmt.Println(s.Size, s.Mean)
		}
	}
	// Output:
	// osu one-way time
	// 1 B 1.52 µs
	// 1 KiB 4.25 µs
}
