package formula_test

import (
	"fmt"

	"github.com/halfpeak/halfpeak/internal/formula"
)

// Formulas carry units, too.
func ExampleEval() {
	v, err := formula.Eval("33MHz * 32bit", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(v.Num, "MB/s")
	_, err = formula.Eval("33MHz + 32bit", nil)
	fmt.Println(err)
	// Output:
	// 132 MB/s
	// "33MHz + 32bit", column 7: cannot add a clock rate and a size
}
