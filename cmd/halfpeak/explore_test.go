package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/reports/page"
)

// A platform with levels is shown as a machine, unless a layer is named.
func TestExploreStart(t *testing.T) {
	const rack = "../../internal/demo/files/rack.toml"
	start, err := startOf([]string{rack, "./" + rack + "/node", "clip"}) // one file, spelt in two ways
	if want := []string{"rack.toml", "rack.toml/node", "clip/system-buffer"}; err != nil || !slices.Equal(start.Show, want) {
		t.Errorf("%q (%v), want %q", start.Show, err, want)
	}
}

// The command lines that the page shows have only flags that cobra defines and help shows.
func TestExploreCommands(t *testing.T) {
	design := `"ref": "clip", "set": ["stage.host-dma.tau=3.8us/KiB"]`
	designs := `"designs": [{` + design + `}], "sizes": "64KiB"`
	x := page.New()
	for question, request := range map[string]string{
		"platforms": ``, "platform": design, "toml": design,
		"predict": designs, "curves": designs + `, "quantity": "bandwidth"`,
		"shares":     design + `, "sizes": "64KiB"`,
		"pipeline":   design + `, "size": "64KiB", "packet": "best"`,
		"collective": `"ref": "hp-lam", "collective": "bcast", "ranks": "8", "sizes": "64KiB"`,
		"places":     `"ref": "hp-lam", "collective": "bcast", "ranks": "8", "sizes": "64KiB"`,
		"schedule":   `"ref": "hp-lam", "collective": "bcast", "algorithm": "chain", "ranks": 8, "size": "64KiB", "segment": "4KiB"`,
		"fit":        `"name": "osu.txt", "model": "linear", "save": "my"`,
	} {
		var answer struct {
			Commands []string `json:"commands"`
			Error    string   `json:"error"`
		}
		if err := json.Unmarshal(x.Ask("command", []byte(`{"question": "`+question+`", "request": {`+request+`}}`)), &answer); err != nil || answer.Error != "" || len(answer.Commands) == 0 {
			t.Errorf("%s: %v %s", question, err, answer.Error)
		}
		for _, line := range answer.Commands {
			cmd, rest, err := newRoot().Find(strings.Fields(line)[1:])
			if err != nil {
				t.Errorf("%s: %v", line, err)
				continue
			}
			for _, word := range rest {
				name, long := strings.CutPrefix(word, "--")
				if f := cmd.Flags().Lookup(name); long && (f == nil || f.Hidden) {
					t.Errorf("%s: %s is not a flag of %s", line, word, cmd.CommandPath())
				}
			}
		}
	}
}
