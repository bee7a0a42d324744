package simulate_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/simulate"
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

// times are the finish times of all ranks in ns.
func times(r *simulate.Result) string {
	var list []string
	for _, t := range r.Ranks {
		list = append(list, strconv.FormatFloat(1e3*float64(r.Micros(t)), 'f', -1, 64))
	}
	return strings.Join(list, " ")
}
