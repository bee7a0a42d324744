package virtual

import (
	"bufio"
	"fmt"
	"io"
	"strconv"

	"github.com/halfpeak/halfpeak/internal/engine"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Trace records when each resource was busy.
type Trace struct {
	Spans []Span
	kinds []kind
	nodes int
}

// A Span is the time for which a resource served a packet.
type Span struct {
	Node       int    // node of the resource; -1 for resources of the network
	Resource   string // "processor", or a name of the platform's file
	Start, End quantity.Micros
	// The packet; Bytes is -1 if the processor computed.
	Src, Dst int
	Kind     engine.Kind
	Packet   uint32 // its number between the two nodes, from 0
	Bytes    int

	row int
}

func (t *Trace) start(s *System, nodes int) {
	t.Spans, t.kinds, t.nodes = t.Spans[:0], s.kinds, nodes
}

// add records a span of a resource, or of the processor of the node −1−at: at is at least 0
// for a resource.
func (t *Trace) add(at int32, start, end quantity.Micros, f *engine.Frame) {
	s := Span{Node: int(-1 - at), Resource: "processor", Start: start, End: end, Bytes: -1}
	if at >= 0 {
		s.row = 1 + int(at)%len(t.kinds)
		s.Node, s.Resource = int(at)/len(t.kinds), t.kinds[s.row-1].name
		// There is one such resource for all nodes.
		if t.kinds[s.row-1].side == model.AtNetwork {
			s.Node = -1
		}
	}
	if f != nil {
		s.Src, s.Dst, s.Kind = int(f.Src), int(f.Dst), f.Kind
		s.Packet, s.Bytes = f.Seq, len(f.Payload)
	}
	t.Spans = append(t.Spans, s)
}

var kindNames = [...]string{"one way", "request", "reply", "ack", "restart"}

// Write prints the trace in the format of Chrome's tracing (Trace Event Format, JSON object),
// which Perfetto opens as well: a process for each node, a row for each resource, times in
// µs.
//
//	{"displayTimeUnit":"ns","traceEvents":[
//	{"ph":"M","pid":0,"name":"process_name","args":{"name":"node 0"}},
//	{"ph":"M","pid":0,"tid":1,"name":"thread_name","args":{"name":"bus"}},
//	{"ph":"X","pid":0,"tid":1,"ts":3,"dur":5.6,"name":"0→1","args":{"packet":0,"bytes":512}}]}
//
// "M" events name processes and rows, "X" events are spans with their duration. The text is
// written by hand: a trace has millions of spans, and encoding/json would take most of the
// run's time.
func (t *Trace) Write(w io.Writer) error {
	b := bufio.NewWriter(w)
	b.WriteString(`{"displayTimeUnit":"ns","traceEvents":[`)
	fmt.Fprintf(b, "\n"+`{"ph":"M","pid":-1,"name":"process_name","args":{"name":"network"}}`)
	for node := range t.nodes {
		fmt.Fprintf(b, ",\n"+`{"ph":"M","pid":%d,"name":"process_name","args":{"name":"node %d"}}`,
			node, node)
		fmt.Fprintf(b,
			",\n"+`{"ph":"M","pid":%d,"tid":0,"name":"thread_name","args":{"name":"processor"}}`,
			node)
	}
	for i, k := range t.kinds {
		// Resources of the network have one row, in the process −1: the loop below runs once, for
		// that.
		nodes := t.nodes
		if k.side == model.AtNetwork {
			nodes = 0
		}
		for node := min(0, nodes-1); node < nodes; node++ {
			fmt.Fprintf(b,
				",\n"+`{"ph":"M","pid":%d,"tid":%d,"name":"thread_name","args":{"name":%s}}`,
				node, i+1, strconv.Quote(k.name))
		}
	}
	for _, s := range t.Spans {
		fmt.Fprintf(b, ",\n"+`{"ph":"X","pid":%d,"tid":%d,"ts":%s,"dur":%s,`, s.Node, s.row,
			micros(s.Start), micros(s.End-s.Start))
		if s.Bytes < 0 {
			b.WriteString(`"name":"compute"}`)
			continue
		}
		fmt.Fprintf(b, `"name":"%d→%d","cat":"%s","args":{"packet":%d,"bytes":%d}}`, s.Src, s.Dst,
			kindNames[s.Kind], s.Packet, s.Bytes)
	}
	b.WriteString("\n]}\n")
	return b.Flush()
}

// micros prints 12 significant digits, as all output for programs: sums of costs such as 0.1
// + 0.2 do not show their rounding.
func micros(t quantity.Micros) string { return strconv.FormatFloat(float64(t), 'g', 12, 64) }
