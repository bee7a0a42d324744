package quantity_test

import (
	"fmt"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// Units are types, and bytes over µs are MB/s.
func Example() {
	size, err := quantity.ParseBytes("64KiB")
	if err != nil {
		fmt.Println(err)
		return
	}
	perByte, err := quantity.ParseMicrosPerByte("7.6us/KB")
	if err != nil {
		fmt.Println(err)
		return
	}
	time := perByte.Times(size)
	fmt.Println(size, "take", time, "at", size.Over(time))
	// Output:
	// 64 KiB take 486.4 µs at 135 MB/s
}
