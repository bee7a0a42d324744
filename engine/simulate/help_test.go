package simulate_test

import (
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/model/quantity"
)

func parse(t testing.TB, text string) *schedule.Schedule {
	t.Helper()
	s, err := schedule.Read(strings.NewReader(text), "test.goal")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func quantityOf(ps float64) quantity.Micros       { return quantity.Micros(ps / 1e6) }
func perByteOf(ps float64) quantity.MicrosPerByte { return quantity.MicrosPerByte(ps / 1e6) }
