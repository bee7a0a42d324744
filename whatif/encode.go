package whatif

import (
	"slices"

	"github.com/halfpeak/halfpeak/platforms"
)

// Encode is the design as a platform file, behind the comment: the layer and what it is made of, or
// the whole platform if nothing was changed. A changed layer has no measured points any more: they
// would stand for the next measurement of something that nobody has measured.
func (d Design) Encode(comment string) ([]byte, error) {
	doc := d.Platform.Document()
	if len(d.Changes) > 0 {
		doc.Tables = slices.DeleteFunc(doc.Tables, func(t platforms.Table) bool { return t.Kind == "measured" })
		for i, t := range doc.Tables {
			if t.Kind == "layer" {
				doc.Tables[i].Keys = slices.DeleteFunc(slices.Clone(t.Keys), func(k platforms.Key) bool { return k.Name == "measured" })
			}
		}
	}
	return doc.Encode(comment)
}
