package summary_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/summary"
)

// The page about a platform, as Markdown.
func ExampleQuestion_Ask() {
	document, err := summary.Question{Title: "CLIP",
		Sizes: []quantity.Bytes{64, 4 * quantity.KiB}, Refs: []string{"clip"}}.Ask(context.Background())
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
