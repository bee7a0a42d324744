package platforms

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const measuredBroadcast = `[collective.bcast-binomial]
collective = "bcast"
algorithm = "binomial"
statistic = "slowest"
ranks = ["2", "4"]
sizes = ["8B", "1KiB"]
times = ["1us 2us", "2us -"]
runs = ["20 -", "1 -"]
deviations = ["0.1us -", "- -"]
source = "by hand"
`

// A file of collectives has no layer, and says so to who asks for one.
func TestMeasuredCollectives(t *testing.T) {
	file := filepath.Join(t.TempDir(), "my.toml")
	if err := os.WriteFile(file, []byte(measuredBroadcast), 0o600); err != nil {
		t.Fatal(err)
	}
	collectivesOf := func(ref, name string) ([]MeasuredCollective, error) {
		d, err := Open(ref)
		if err == nil {
			d, err = d.OfRanks()
		}
		return d.Collectives(name), err
	}
	all, err := collectivesOf(file, "bcast")
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	if c := all[0]; c.Of.Name != "binomial" || c.Statistic != "slowest" || c.Ranks[1] != 4 ||
		c.Sizes[1] != 1024 || c.Times[0][1] != 2 || c.Times[1][1] != 0 || c.Runs[0][0] != 20 ||
		c.Deviations[0][0] != 0.1 || c.Runs[0][1] != 0 {
		t.Errorf("%+v", c)
	}
	if all, err := collectivesOf(file, "reduce"); err != nil || len(all) > 0 {
		t.Error(all, err)
	}
	if all, err := collectivesOf("clip", "bcast"); err != nil || len(all) > 0 {
		t.Error(all, err)
	}
	if _, _, err := find(file); err == nil ||
		!strings.Contains(err.Error(), `use "halfpeak collective bcast my.toml"`) {
		t.Error(err)
	}
}

func TestMeasuredCollectiveErrors(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{`"bcast"`, `""`, "no collective"},
		{`"slowest"`, `"fastest"`, `"fastest": over ranks, "average" or "slowest"`},
		{`"slowest"`, "\"slowest\"\nlibrary_algorithm = \"hier\"", `"hier" beside the algorithm "binomial"`},
		{`["2", "4"]`, `["4", "2"]`, `"2": numbers of ranks`},
		{`["8B", "1KiB"]`, `["8B", "8B"]`, `"8B": sizes`},
		{`"2us -"`, `"2us"`, "1 times on 4 ranks for 2 sizes"},
		{`"2us -"`, `"2us 0us"`, `"0us": a measured time must be above zero`},
		{`"20 -"`, `"20"`, "1 runs on 2 ranks for 2 sizes"},
		{`"20 -"`, `"0 -"`, `"0": a number of repeats`},
		{`"0.1us -"`, `"-0.1us -"`, `a time cannot be negative`},
		{`, "- -"`, ``, "1 texts for 2 numbers of ranks"},
		{`, "2us -"`, ``, "1 texts of times for 2 numbers of ranks"},
	} {
		_, err := Parse("my.toml", []byte(strings.Replace(measuredBroadcast, c.from, c.to, 1)))
		if err == nil || !strings.Contains(err.Error(), c.want) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v, want one with %q", c.to, err, c.want)
		}
	}
}
