package mpitrace_test

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/halfpeak/halfpeak/internal/mpitrace"
)

// A SimGrid trace of two ranks on processors of 2 Gflop/s.
func ExampleRead() {
	const trace = `0 init
1 init
0 compute 1e6
0 isend 1 0 1e3
1 recv 0 0 1e3
0 wait 0 1 0
0 finalize
1 finalize
`
	o := mpitrace.Defaults
	o.FlopsPerSecond = 2e9
	s, _, err := mpitrace.Read([]mpitrace.Source{{
		Name: "trace.txt",
		Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(trace)), nil },
	}}, o)
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := s.WriteText(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// num_ranks 2
	//
	// rank 0 {
	// calc_3: calc 500000
	// isend_4: send 1000b to 1 tag 0
	// isend_4 requires calc_3
	// wait_6: calc 0
	// wait_6 requires isend_4
	// wait_6 irequires isend_4
	// }
	//
	// rank 1 {
	// recv_5: recv 1000b from 0 tag 0
	// }
}
