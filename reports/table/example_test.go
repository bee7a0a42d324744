package table_test

import (
	"fmt"
	"os"

	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// The same rows for people and for programs.
func Example() {
	rows := table.Rows{
		Columns: []table.Column{{Key: "size_bytes", Head: "size"},
			{Key: "time_us", Head: "time"}},
		Data: [][]any{{64 * quantity.KiB, quantity.Micros(589.3)}, {128 * quantity.KiB, nil}},
	}
	for _, format := range []table.TableFormat{table.Markdown, table.CSV} {
		if err := (table.Printer{Format: format}).Write(os.Stdout, rows); err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// | size | time |
	// | ---:| ---:|
	// | 64 KiB | 589 µs |
	// | 128 KiB | – |
	// size_bytes,time_us
	// 65536,589.3
	// 131072,
}
