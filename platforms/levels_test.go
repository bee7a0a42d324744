package platforms

import (
	"strings"
	"testing"
)

// rack is a machine in nine lines.
const rack = `title = "Two nodes"
level.socket = { arity = "64", layer = "socket", source = "s" }
level.node = { arity = "2", layer = "node", lanes = "8", ports = "1.5", ` +
	`eager_threshold = "8KiB", source = "s" }
level.cluster = { arity = "2", layer = "network", source = "s" }
layer.socket = { model = "linear", beta = "0.3us", tau = "0.07us/KiB", source = "s" }
layer.node = { model = "linear", beta = "0.6us", tau = "0.09us/KiB", source = "s" }
layer.flow = { model = "linear", beta = "0.2us", tau = "0.02us/KiB", times_of = "stream", ` +
	`source = "s" }
layer.network = { model = "loggp", o = "0.3us", L = "0.7us", g = "0.4us", ` +
	`G = "1/(12.5GB/s)", source = "s" }
`

// shared has all layers that a level can have.
const shared = `
[level.node]
arity = "2*4"
layer = "x"
send = "x"
receive = "x"
shared = "x"
port = "x"
source = "s"

[level.all]
arity = "3"
layer = "x"
source = "s"

` + oneLayer

func TestMachine(t *testing.T) {
	p, err := Parse("my.toml", []byte(rack))
	if err != nil {
		t.Fatal(err)
	}
	m, ok := p.Machine()
	if !ok || m.String() != "2 node × 2 socket × 64 core" || m.Cores() != 256 {
		t.Fatalf("%v %s", ok, m)
	}
	node := m.Levels[1]
	if node.Lanes != 8 || node.Ports != 1.5 || node.Eager != 8<<10 || node.Send != nil {
		t.Errorf("%+v", node)
	}
	if got := node.Layer.OneWay(1024); got != 0.69 {
		t.Errorf("1 KiB in a node takes %v", got)
	}
	one, err := p.with(domain{layer: "node"}) // the other layers are left out, and the machine with them
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := one.Machine(); ok {
		t.Error("a machine with layers that are left out")
	}
	encoded(t, one)
	p, err = Parse("my.toml", []byte(shared))
	if err != nil {
		t.Fatal(err)
	}
	if m, _ := p.Machine(); m.Levels[0].Arity != 8 || m.Levels[0].Shared == nil ||
		m.Levels[0].Port == nil || m.Levels[0].Send == nil || m.Levels[0].Receive == nil {
		t.Errorf("%+v", m)
	}
	if _, ok := (Platform{}).Machine(); ok {
		t.Error("a machine of no platform")
	}
}

// The machine of ten lines in docs/machines.md is the one of which that page speaks.
func TestTenLines(t *testing.T) {
	d, err := Open("../internal/demo/files/rack.toml")
	if err != nil {
		t.Fatal(err)
	}
	if m, ok := d.Platform.Machine(); !ok || m.String() != "2 node × 2 socket × 64 core" {
		t.Errorf("%s", m)
	}
}

func TestLevelErrors(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{`layer = "node", `, ``,
			"my.toml:3:7: level.node: no layer; write layer = \"NAME\" of a [layer.NAME]"},
		{`layer = "node"`, `layer = "nod"`,
			`my.toml:3:29: level.node.layer: no layer "nod"; did you mean "node"?`},
		{`layer = "node"`, `layer = "flow"`,
			`my.toml:3:29: level.node.layer: the layer "flow" has times of a stream; times of ` +
				`a message are needed here, with times_of = "message" in its table`},
		{`level.node = { arity = "2", `, `level.node = { `,
			"my.toml:3:7: level.node: no arity; write how many units of the level inside it, " +
				"or cores, make one, as in arity = \"2\""},
		{`arity = "64"`, `arity = "0"`,
			`my.toml:2:18: level.socket.arity: "0": must be a whole number, at least 1`},
		{`arity = "64"`, `arity = "1.5"`,
			`my.toml:2:18: level.socket.arity: "1.5": must be a whole number, at least 1`},
		{`arity = "64"`, `arity = "1000000000"`,
			`my.toml:3:16: level.node.arity: makes more than 2^30 cores (got "2")`},
		{`lanes = "8"`, `lanes = "0.5"`,
			`my.toml:3:45: level.node.lanes: "0.5": must be 1 to 2^30, since a single transfer ` +
				`runs at full speed; omit it if nothing is shared`},
		{`lanes = "8"`, `lanes = "1e300"`,
			`my.toml:3:45: level.node.lanes: "1e300": must be 1 to 2^30, since a single transfer ` +
				`runs at full speed; omit it if nothing is shared`},
		{`lanes = "8"`, `lanes = ""`,
			`my.toml:3:45: level.node.lanes: is empty; write its value, or omit it`},
		{`layer = "network", `, `layer = "network", topology = "torus 2x2", `,
			`my.toml:4:51: level.cluster.topology: must have sizes of at least 1 with blanks ` +
				`between them, as in "torus 4 4", for at most 2^30 units (got "torus 2x2")`},
		{`lanes = "8"`, `lanes = "0"`,
			`my.toml:3:45: level.node.lanes: "0": must be 1 to 2^30, since a single transfer ` +
				`runs at full speed; omit it if nothing is shared`},
		{`ports = "1.5"`, `ports = "0"`,
			`my.toml:3:58: level.node.ports: "0": must be 1 to 2^30, since a single transfer ` +
				`runs at full speed; omit it if nothing is shared`},
		{`arity = "64"`, `arity = "4000000000"`,
			`my.toml:2:18: level.socket.arity: "4000000000": must be a whole number, at most ` +
				`1073741824`},
		{`lanes = "8"`, `lanes = "8us"`,
			`my.toml:3:45: level.node.lanes: "8us": must be a plain number with no unit, or % (got ` +
				`a time)`},
		{`lanes = "8"`, `lanes = "8", shared = "node"`,
			`my.toml:3:45: level.node.lanes: has the same meaning as shared; omit one of them ` +
				`(got "8")`},
		{`layer = "network", `, `layer = "network", ports = "1", `,
			`my.toml:4:51: level.cluster.ports: is for messages that leave a unit, and this is ` +
				`the whole machine; use lanes for those inside (got "1")`},
		{`layer = "network", `, `layer = "network", port = "node", `,
			`my.toml:4:51: level.cluster.port: is for messages that leave a unit, and this is ` +
				`the whole machine; use shared for those inside`},
		{`level.socket`, `level.core`,
			`my.toml:2:7: level.core: core is the innermost place, which holds one rank; ` +
				`choose another name`},
		{`level.socket`, `level.Socket`,
			`my.toml:2:7: level.Socket: invalid name "Socket"; use small letters, digits, - and _`},
		{`layer = "network", `, `layer = "network", topology = "mesh 2", `,
			`my.toml:4:51: level.cluster.topology: must be "torus X Y …" or "dragonfly ` +
				`GROUPS CHASSIS ROUTERS UNITS" (got "mesh 2")`},
		{`layer = "network", `, `layer = "network", topology = "torus 3", `,
			`my.toml:4:51: level.cluster.topology: "torus 3" connects 3 units, and the arity is 2`},
		{`layer = "network", `, `layer = "network", routes = "2", `,
			`my.toml:4:51: level.cluster.routes: must be at least 1, and is for a level with ` +
				`port or ports (got "2")`},
		{`layer = "network", `, `layer = "network", hop = "1us", `,
			`my.toml:4:7: level.cluster.topology: is missing; hop and link are of its links`},
		{`layer = "network", `, `layer = "network", reverse = "2", `,
			`my.toml:4:51: level.cluster.reverse: "2": must be 0 to 1`},
		{`lanes = "8"`, `lane = "8"`,
			`my.toml:3:45: level.node.lane: unknown key; did you mean "lanes"?`},
	} {
		text := strings.Replace(rack, c.old, c.new, 1)
		if _, err := Parse("my.toml", []byte(text)); err == nil || err.Error() != c.want {
			t.Errorf("%s\n got %v\nwant %s", c.new, err, c.want)
		}
	}
}
