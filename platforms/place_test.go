package platforms

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const runs = `
[stage.a]
beta = "1us"
tau = "0us/B"
host = "sender"
source = "x"
[stage.b]
beta = "1us"
tau = "0us/B"
resource = "bus"
at = "network"
queue = "8"
full = "drop"
source = "x"
[protocol.p]
credits = "8"
eager_threshold = "180B"
retry = "1ms"
rounds = true
inbox = "16"
full = "drop"
poll = "0.6us"
source = "x"
[layer.l]
model = "pipeline"
stages = ["a", "b"]
packets = "whole"
protocol = "p"
source = "x"
`

// How the engine runs a layer is read from its file, and each fault has its line.
func TestRunKeys(t *testing.T) {
	p, err := Parse("my.toml", []byte(runs))
	if err != nil {
		t.Fatal(err)
	}
	places := map[string]Place{"a": {Resource: "a", At: "sender"},
		"b": {Resource: "bus", At: "network", Queue: 8, Drop: true}}
	if diff := cmp.Diff(places, p.Places); diff != "" {
		t.Error(diff)
	}
	want := Protocol{Credits: 8, EagerThreshold: 180, Retry: 1000, Rounds: true, Inbox: 16,
		Drop: true, Poll: 0.6, Interrupt: -1}
	if diff := cmp.Diff(want, p.Layers[0].Protocol); diff != "" {
		t.Error(diff)
	}
	check := func(old, changed, want string) {
		t.Helper()
		_, err := Parse("my.toml", []byte(strings.Replace(runs, old, changed, 1)))
		if err == nil || err.Error() != want {
			t.Errorf("%q: error %v\nwant %s", changed, err, want)
		}
	}
	check(`at = "network"`, `at = "netwrok"`,
		`my.toml:11:1: stage.b.at: "netwrok"; did you mean "network"?`)
	check(`queue = "8"`, `queue = "0"`,
		`my.toml:12:1: stage.b.queue: "0": must be a whole number, at least 1`)
	check(`queue = "8"`, ``, `my.toml:13:1: stage.b.full: without queue there is always room`)
	check(`full = "drop"`, `full = "dorp"`,
		`my.toml:13:1: stage.b.full: "dorp"; did you mean "drop"?`)
	check(`host = "sender"`, "host = \"sender\"\nqueue = \"8\"",
		`my.toml:5:1: stage.a.host: a stage of a processor occupies that; leave out resource, `+
			`at and queue`)
	check(`resource = "bus"`, `resource = "A bus"`,
		`my.toml:10:1: stage.b.resource: invalid name "A bus"; use small letters, digits, - and _`)
	check(`protocol = "p"`, `protocol = "q"`,
		`my.toml:28:1: layer.l.protocol: no [protocol.q]; did you mean "p"?`)
	// Stages of a pipeline cannot share what they occupy: their formulas would not have it.
	shared := strings.Replace(runs, `host = "sender"`, "resource = \"bus\"\nat = \"network\"", 1)
	for _, c := range [][2]string{{shared, "my.toml:27:1: layer.l.stages.1: stages a and b both occupy bus of the network"},
		{strings.Replace(runs, "resource = \"bus\"\nat = \"network\"\nqueue = \"8\"\nfull = \"drop\"", `host = "sender"`, 1),
			"my.toml:23:1: layer.l.stages.1: stages a and b both occupy the processor of the sender"}} {
		want := c[1] + ", and the stages of a pipeline work at the same time; make them one stage, or let each occupy its own"
		if _, err := Parse("my.toml", []byte(c[0])); err == nil || err.Error() != want {
			t.Errorf("error %v\nwant %s", err, want)
		}
	}
	check(`retry = "1ms"`, ``,
		`my.toml:19:1: protocol.p.rounds: rounds send again what retry keeps; give retry too`)
	check(`poll = "0.6us"`, "poll = \"0.6us\"\ninterrupt = \"5us\"",
		`my.toml:23:1: protocol.p.interrupt: a processor that is interrupted does not poll; `+
			`leave one out`)
	check(`rounds = true`, `rounds = "true"`,
		`my.toml:19:1: protocol.p.rounds: must be true or false, without quotes`)
	check(`stages = ["a", "b"]`, `stages = "a"`,
		`my.toml:26:1: layer.l.stages: must be a list of texts, as in ["a", "b"]`)
	check(`queue = "8"`, `queue = ["8"]`,
		`my.toml:12:1: stage.b.queue: must be a text; write it in quotes`)
	check(`credits = "8"`, `credit = "8"`,
		`my.toml:16:1: protocol.p.credit: unknown key; did you mean "credits"?`)
}
