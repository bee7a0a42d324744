package collectives

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// measuredFits are those of a file with two tables of the average and one of the slowest rank, whose fits
// cross on 8 ranks: it was measured on others only.
func measuredFits(t *testing.T) []fitOf {
	t.Helper()
	text := ""
	tables := map[string][]string{
		"a-average": {"9us 10us 11us", "12us 13us 14us", "30us 33us 36us"},
		"b-average": {"2us 3us 4us", "3us 4us 5us", "4us 5us 6us"},
		"c-slowest": {"10us 11us 12us", "13us 14us 15us", "31us 34us 37us"},
	}
	for _, name := range []string{"a-average", "b-average", "c-slowest"} {
		rows := tables[name]
		_, statistic, _ := strings.Cut(name, "-")
		text += fmt.Sprintf("[collective.%s]\ncollective = \"allreduce\"\nstatistic = %q\nranks = [\"2\", \"4\", \"16\"]\nsizes = [\"8B\", \"64B\", \"512B\"]\ntimes = [%q, %q, %q]\nsource = \"by hand\"\n",
			name, statistic, rows[0], rows[1], rows[2])
	}
	file := filepath.Join(t.TempDir(), "my.toml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := platforms.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Calls{Collective: "allreduce"}.Basis(d)
	if err != nil {
		t.Fatal(err)
	}
	return b.fits
}

// Of two tables the first is taken, and a note says so; by its name each can be asked for. The
// average is never above the time of the slowest rank.
func TestMeasuredTables(t *testing.T) {
	fits := measuredFits(t)
	q := Basis{fits: fits, Calls: Calls{Collective: "allreduce",
		Algorithm: "all", Ranks: []int{2, 3, 8, 16, 32, 64},
		Sizes: []quantity.Bytes{8, 100, 512, 4096}}}
	times := func(ctx context.Context) (*Times, error) {
		p, err := q.Plan(ctx, q.Calls)
		if err != nil {
			return nil, err
		}
		return p.Times(ctx)
	}
	answer, err := times(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if notes := strings.Join(remark.Texts(answer.Notes), "\n"); !strings.Contains(notes, "selects another one") {
		t.Error(notes)
	}
	for _, c := range answer.Times {
		if c.Average > c.Time || c.Within.High < float64(c.Time) || c.Within.Low > float64(c.Time) {
			t.Errorf("%d ranks, %d B: average %v, slowest %v (%v to %v)", c.Ranks, c.Call.Bytes, c.Average, c.Time, c.Within.Low, c.Within.High)
		}
	}
	q.Algorithm, q.Ranks, q.Sizes = "b-average", []int{2}, []quantity.Bytes{8}
	answer, err = times(t.Context())
	if err != nil || len(answer.Times) != 1 || answer.Times[0].Average != 2 {
		t.Error(answer, err)
	}
	for _, f := range q.fits {
		if f.Data.Name == "c-slowest" && f.Result == nil {
			t.Error("what was fitted before is fitted again")
		}
	}
	q.Map.By = "node"
	if _, err := times(t.Context()); err == nil || !slices.Contains(usage.FieldsOf(err), "map-by") {
		t.Error(err)
	}
	q.Map.By, q.Algorithm = "", "ring"
	if _, err := times(t.Context()); err == nil || !strings.Contains(err.Error(), `no measurement of allreduce by "ring"; there are those of library's (average), library's (slowest)`) {
		t.Error(err)
	}
	q.Algorithm, q.fits = "all", measuredFits(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := times(ctx); err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
