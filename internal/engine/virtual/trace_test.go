package virtual_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/halfpeak/halfpeak/internal/engine"
	"github.com/halfpeak/halfpeak/internal/engine/virtual"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

var update = flag.Bool("update", false, "rewrite testdata; read the diff before committing it")

// The traces in testdata are what the engine does in scenes small enough to check by hand.
func TestTraces(t *testing.T) {
	cost := func(beta, tau float64) virtual.Cost {
		return virtual.Cost{Beta: quantity.Micros(beta), Tau: quantity.MicrosPerByte(tau)}
	}
	request := func(ep *engine.Endpoint) error {
		pong := ep.Handle(func(*engine.Message) {})
		ping := ep.Handle(func(m *engine.Message) { _ = m.Reply(pong) })
		if ep.Node() > 0 {
			return nil
		}
		if err := ep.Request(1, ping); err != nil {
			return err
		}
		return ep.Flush()
	}
	send := func(n int) func(ep *engine.Endpoint) error {
		return func(ep *engine.Endpoint) error {
			take := ep.Handle(func(*engine.Message) {})
			if ep.Node() == 0 {
				return nil
			}
			return ep.Send(0, take, make([]byte, n))
		}
	}
	clip := model.Pipeline{Cut: model.Cut{Rule: model.CutFixed, Size: 1024}, Stages: []model.Stage{ // table 4.2
		{Name: "copy-out", Beta: 3.0, Tau: 5.9 / 1024, Host: model.Sender}, {Name: "host-dma", Beta: 0.6, Tau: 7.6 / 1024},
		{Name: "wire", Beta: 1.3, Tau: 7.5 / 1024}, {Name: "host-dma-in", Beta: 0.5, Tau: 7.6 / 1024},
	}}
	bus := virtual.NewSystem("bus", virtual.Route{Send: cost(1, 0), Stages: []virtual.Stage{
		{Resource: "bus", Side: virtual.Network, Delay: cost(5, 0), Busy: cost(5, 0)},
	}, Receive: cost(2, 0)}, 0)
	retry := system(&hplam)
	retry.Options.Retry = 50
	for _, scene := range []struct {
		file, what string
		system     *virtual.System
		config     virtual.Config
		program    func(*engine.Endpoint) error
	}{
		{"request.txt", "A request and its reply on HP-LAM: 28.0 µs, o_s 2.9, L 5.3, o_r 5.8.", system(&hplam), virtual.Config{Nodes: 2}, request},
		{"pipeline.txt", "3 KiB through CLIP's stages 0-3 in packets of 1 KiB.", system(&clip), virtual.Config{Nodes: 2}, send(3072)},
		{"bus.txt", "Two nodes send to node 0 over one bus: it takes their packets in turn, and the lower node's first.", bus, virtual.Config{Nodes: 3}, send(1)},
		{"retry.txt", "Acknowledgements of the reply are lost: it is sent again after 50 µs, 100 and 200, and taken once.", retry, virtual.Config{Nodes: 2, Faults: virtual.Faults{Seed: 5, Drop: 0.5}}, request},
	} {
		var trace virtual.Trace
		scene.config.Trace = &trace
		report, err := virtual.Run(scene.system, scene.config, scene.program)
		if err != nil {
			t.Errorf("%s: %v", scene.file, err)
		}
		var b bytes.Buffer
		fmt.Fprintf(&b, "# %s\n#  start     end  node resource        packet\n", scene.what)
		for _, s := range trace.Spans {
			fmt.Fprintf(&b, "%8.3f%8.3f%5d  %-15s %d→%d #%d, %d bytes\n", float64(s.Start), float64(s.End), s.Node, s.Resource, s.Src, s.Dst, s.Packet, s.Bytes)
		}
		fmt.Fprintf(&b, "%v\n", report.Faults)
		path := filepath.Join("testdata", scene.file)
		if *update {
			if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(b.Bytes(), want) {
			t.Errorf("%s: got\n%s\nwant\n%s", path, b.Bytes(), want)
		}
		checkJSON(t, &trace)
	}
}

// checkJSON checks what Perfetto needs of a trace.
func checkJSON(t *testing.T, trace *virtual.Trace) {
	t.Helper()
	var b bytes.Buffer
	if err := trace.Write(&b); err != nil {
		t.Fatal(err)
	}
	var file struct {
		TraceEvents []struct {
			Ph, Name string
			Pid, Tid int
			Ts, Dur  float64
		}
	}
	if err := json.Unmarshal(b.Bytes(), &file); err != nil {
		t.Fatal(err)
	}
	type row struct{ pid, tid int }
	named, spans := map[row]bool{}, 0
	for _, e := range file.TraceEvents {
		switch at := (row{e.Pid, e.Tid}); {
		case e.Ph == "M" && e.Name == "thread_name":
			named[at] = true
		case e.Ph == "X":
			if spans++; !named[at] || e.Dur < 0 {
				t.Errorf("event %+v is on a row without a name", e)
			}
		}
	}
	if spans != len(trace.Spans) {
		t.Errorf("%d events of %d", spans, len(trace.Spans))
	}
}
