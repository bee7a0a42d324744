package summary_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/summary"
)

// The page about a platform, as Markdown.
func ExampleNew() {
	document, err := summary.New("CLIP", []quantity.Bytes{64, 4 * quantity.KiB}, "clip")
	if err != nil {
		log.Fatal(err)
	}
	var text strings.Builder
	if err := document.WriteMarkdown(&text); err != nil {
		log.Fatal(err)
	}
	for line := range strings.Lines(text.String()) {
		if strings.HasPrefix(line, "## ") {
			fmt.Print(line)
		}
	}
	// Output:
	// ## Key numbers
	// ## Curves
	// ## Pipeline
	// ## Where the time goes
	// ## Roof
	// ## Papers and model
	// ## Layers
	// ## Parameters and their sources
}
