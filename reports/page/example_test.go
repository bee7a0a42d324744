package page_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/halfpeak/halfpeak/reports/page"
)

// A page that opens with CLIP. The program is that of a release, or of internal/wasm.
func ExampleWrite() {
	var html strings.Builder
	if err := page.Write(&html, page.Program{}, page.Start{Title: "CLIP", Show: []string{"clip"}}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.Contains(html.String(), "<title>CLIP"))
	// Output:
	// true
}
