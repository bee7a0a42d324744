package export_test

import (
	"fmt"

	"github.com/halfpeak/halfpeak/internal/export"
)

// The programs that read what is written, with the versions against which it was checked.
func ExampleFind() {
	target, err := export.Find("loggopsim")
	fmt.Println(target.Name, err)
	// Output:
	// loggopsim <nil>
}
