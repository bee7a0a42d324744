package platforms

import (
	"fmt"

	"github.com/halfpeak/halfpeak/model/quantity"
)

func NewDocument(title string) Document {
	return Document{Keys: []Key{{Name: "title", Value: title}}}
}

// NewTable is a table with these texts: names of keys, and their values.
func NewTable(kind, name string, texts ...string) Table {
	t := Table{Kind: kind, Name: name}
	for i := 0; i < len(texts); i += 2 {
		t.Set(texts[i], texts[i+1])
	}
	return t
}

// ExactMicros and ExactInverse print 12 significant digits, as everything that programs read.
func ExactMicros(t quantity.Micros) string { return fmt.Sprintf("%.12gus", float64(t)) }

func ExactInverse(t quantity.MicrosPerByte) string {
	return fmt.Sprintf("%.12gus/KiB", quantity.PerKiB(t))
}
