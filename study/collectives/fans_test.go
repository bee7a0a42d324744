package collectives

import (
	"context"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/fit/contention"
	"github.com/halfpeak/halfpeak/internal/sharedtest"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/study/fits"
)

// Times of a machine with fans say that no collective was measured there.
func TestTimesOfFans(t *testing.T) {
	times, fans := sharedtest.Fans(t)
	f, err := fits.Fit([]string{times}, fansOptions(t, fans))
	if err != nil {
		t.Fatal(err)
	}
	text, err := f.TOML()
	if err != nil {
		t.Fatal(err)
	}
	p, err := platforms.Parse("machine", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	m, _ := p.Machine()
	i := contention.IntervalsOf(p)
	answer, err := Question{Machine: m, Loop: true, Within: i,
		Calls: Calls{Collective: "bcast", Algorithm: "binomial", Ranks: []int{2, 32}, Sizes: []quantity.Bytes{1, 4096}}}.Compute(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range answer.Times {
		if c.From != Looped || !(c.Average > 0 && c.Average <= c.Time) {
			t.Errorf("%d ranks, %d B: %v, average %v, %s", c.Ranks, c.Call.Bytes, c.Time, c.Average, c.From)
		}
	}
	rows := answer.Rows()
	if note := strings.Join(rows.Notes, "\n"); !strings.Contains(note, "no collective was measured on this machine") {
		t.Errorf("the notes are %q", note)
	}
}
