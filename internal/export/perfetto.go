package export

import (
	"encoding/json"
	"fmt"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// An event is one of the trace-event format.
// A viewer draws a process for each PID, and in it a row for each TID.
type event struct {
	Phase string         `json:"ph"`
	Name  string         `json:"name"`
	PID   int            `json:"pid"`
	TID   int            `json:"tid"`
	Start float64        `json:"ts"` // µs
	Dur   float64        `json:"dur,omitempty"`
	Args  map[string]any `json:"args,omitempty"`
}

// perfetto writes one message of the largest size for each level: its packets in the stages of a
// pipeline, or its times on the processors and the network.
func perfetto(f *File, m Machine, s Sizes) error {
	var all []event
	name := func(what string, pid, tid int, is string) {
		args := map[string]any{"name": is}
		// M: metadata, which names a process or a row.
		all = append(all, event{Phase: "M", Name: what, PID: pid, TID: tid, Args: args})
	}
	box := func(what string, pid, tid int, start, end quantity.Micros) {
		// A box without width cannot be seen.
		if end > start {
			all = append(all, event{
				// X: a complete event, with its start and duration in one.
				Phase: "X", Name: what, PID: pid, TID: tid,
				Start: float64(start), Dur: float64(end - start),
			})
		}
	}
	n := s.To
	for pid, l := range m.Levels {
		name("process_name", pid, 0, fmt.Sprintf("%s, level %s: %s", m.Name, l.Name, n))
		pipe, ok := model.At(l.Layer, n).(*model.Pipeline)
		if !ok {
			send, receive := l.Layer.Overheads(n)
			end := l.Layer.OneWay(n)
			for tid, row := range []string{"sender", "network", "receiver"} {
				name("thread_name", pid, tid, row)
			}
			box("o_s", pid, 0, 0, send)
			// With overheads longer than the one-way time the way has no box, and none is negative.
			box("way", pid, 1, min(send, end-receive), end-receive)
			box("o_r", pid, 2, end-receive, end)
			continue
		}
		plan := model.EqualPlan(n, model.PacketSize(pipe, n))
		if boxes := plan.Packets() * len(pipe.Stages); boxes > maxBoxes {
			return fmt.Errorf("%s is %d packets in %d stages; export a range of smaller sizes",
				n, plan.Packets(), len(pipe.Stages))
		}
		for tid, stage := range pipe.Stages {
			name("thread_name", pid, tid, stage.Name)
		}
		for _, slot := range pipe.Schedule(plan) {
			box(fmt.Sprintf("packet %d", slot.Packet), pid, slot.Stage, slot.Start, slot.End)
		}
	}
	f.lose("all other activity: the trace shows one message alone")
	// ts and dur are in µs by the format; this changes the display alone.
	text, err := json.Marshal(map[string]any{"displayTimeUnit": "ns", "traceEvents": all})
	f.Text = string(text) + "\n"
	return err
}

// maxBoxes is the number of boxes that a viewer shows without delay.
const maxBoxes = 100000
