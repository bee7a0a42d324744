package predict

import (
	"testing"

	"github.com/halfpeak/halfpeak/model/quantity"
)

func sizesOfText(t *testing.T, text string) []quantity.Bytes {
	t.Helper()
	sizes, err := quantity.ParseSizes(text)
	if err != nil {
		t.Fatal(err)
	}
	return sizes
}
