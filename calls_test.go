package halfpeak_test

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak"
	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// Calls that no machine makes, such as those whose fields were forgotten, are errors that say what
// is missing.
func TestCallsOfNoSense(t *testing.T) {
	allreduce := func(ranks int, size float64) halfpeak.Call {
		return halfpeak.Collective{Name: "allreduce", Ranks: ranks, Size: quantity.Bytes(size)}
	}
	message := func(size float64) halfpeak.Call {
		return halfpeak.Message{Size: quantity.Bytes(size)}
	}
	for _, ref := range []string{"clip", "hp-lam", "parnass"} {
		d, err := halfpeak.Open(ref)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			call halfpeak.Call
			want string
		}{
			{halfpeak.Collective{}, "no collective"},
			{allreduce(0, 8), "0 ranks: a collective has 1 to 1048576"},
			{allreduce(-1, 8), "-1 ranks"},
			{allreduce(1<<40, 8), "1099511627776 ranks"},
			{allreduce(4, -5), "-5 bytes: a collective has 0 to 2⁵³"},
			{allreduce(4, math.NaN()), "NaN bytes"},
			{allreduce(4, math.Inf(1)), "+Inf bytes"},
			{message(0), "0 bytes: a message has 1 to 2⁵³"},
			{message(-1), "-1 bytes"},
			{message(math.NaN()), "NaN bytes"},
			{message(math.Inf(1)), "+Inf bytes"},
			{halfpeak.Program{}, "schedule"},
		} {
			_, err := d.Ask(t.Context(), c.call)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s, %+v: %v, want %q", ref, c.call, err, c.want)
			}
			if _, err := d.Study(t.Context(), c.call); err == nil {
				t.Errorf("%s, %+v: a study without an error", ref, c.call)
			}
		}
	}
}

// A program that was read runs the schedule that it was given since.
func TestGivenScheduleRuns(t *testing.T) {
	d, err := halfpeak.Open("clip")
	if err != nil {
		t.Fatal(err)
	}
	var ends []quantity.Micros
	var last *schedule.Schedule
	for _, calc := range []string{"1000", "1000000"} {
		path := filepath.Join(t.TempDir(), "a.goal")
		text := "num_ranks 1\nrank 0 {\nl1: calc " + calc + "\n}\n"
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		p, err := halfpeak.Read(t.Context(), []string{path}, halfpeak.Reading{}, d)
		if err != nil {
			t.Fatal(err)
		}
		if last != nil {
			p.Schedule = last
		}
		last = p.Schedule
		e, err := d.Ask(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		ends = append(ends, e.Time())
	}
	if ends[0] != 1 || ends[1] != 1 {
		t.Errorf("finishes at %v; want 1 µs, that of the first schedule, twice", ends)
	}
}
