package simulate

import (
	"bufio"
	"encoding/json"
	"io"
	"iter"
	"strconv"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Timeline holds the activities of the ranks over time, for pictures. Between its spans a rank
// waits or is idle.
type Timeline struct {
	Ranks    int
	Finish   quantity.Micros
	Spans    iter.Seq[Span]    // of processors, by start
	Messages iter.Seq[Message] // from processor to processor, likewise
}

// A Span is one uninterrupted activity of a processor.
type Span struct {
	Rank, CPU int
	// What is "compute", "send", "request", "grant", "send data" or "receive". Of [Timeline.Waits]
	// it is "wait" or, while the awaited message is on its way, "flight".
	What       string
	Op         uint32 // that does it, or that is waited for
	Label      string
	Start, End quantity.Micros
	Sent       quantity.Micros // of a receive: its sender's processor began with the message
	Critical   bool            // on the path of the rank that finishes last
}

// A Message went from a send to its receive.
type Message struct {
	From, To       int // ranks
	FromCPU, ToCPU int
	Size           uint64
	Tag            uint32
	Sent           quantity.Micros // its sender's processor began with it
	Received       quantity.Micros // its receiver's processor began with it
	Critical       bool            // the path of the rank that finishes last goes along it
}

// Timeline returns what the run recorded.
func (r *Result) Timeline() (*Timeline, error) {
	path, err := r.Path()
	if err != nil {
		return nil, err
	}
	run := r.record
	t := &Timeline{Ranks: len(r.Ranks)}
	t.Finish, _ = r.Finish()
	onPath := map[[2]uint64]bool{} // operation and beginning
	for _, s := range path.Segments {
		onPath[[2]uint64{uint64(s.Op), s.From}] = true
	}
	sent := make([]uint32, len(run.ops)) // the step that sends the data, plus 1
	for i := range run.acts {
		if a := &run.acts[i]; a.step == stepSend || a.step == stepData {
			sent[a.op] = uint32(i) + 1
		}
	}
	t.Spans = func(yield func(Span) bool) {
		for i := range run.acts {
			a := &run.acts[i]
			if a.step == stepPost || a.step == stepTake || a.queued { // these occupy no processor
				continue
			}
			span := Span{
				Rank:     int(run.rank(a.op)),
				CPU:      int(run.ops[a.op].CPU),
				What:     stepNames[a.step],
				Op:       a.op,
				Label:    run.s.Label(a.op),
				Start:    r.Micros(a.start),
				End:      r.Micros(a.end),
				Critical: onPath[[2]uint64{uint64(a.op), a.start}],
			}
			if a.step == stepReceive {
				if by := sent[run.partners[a.op]]; by > 0 {
					span.Sent = r.Micros(run.acts[by-1].start)
				}
			}
			if !yield(span) {
				return
			}
		}
	}
	t.Messages = func(yield func(Message) bool) {
		for i := range run.acts {
			a := &run.acts[i]
			send := run.partners[a.op]
			if a.step != stepReceive || sent[send] == 0 {
				continue
			}
			b, from := &run.acts[sent[send]-1], &run.ops[send]
			sendOnPath := onPath[[2]uint64{uint64(send), b.start}]
			receiveOnPath := onPath[[2]uint64{uint64(a.op), a.start}]
			message := Message{
				From:     int(run.rank(send)),
				To:       int(run.rank(a.op)),
				FromCPU:  int(from.CPU),
				ToCPU:    int(run.ops[a.op].CPU),
				Size:     from.Size,
				Tag:      from.Tag,
				Sent:     r.Micros(b.start),
				Received: r.Micros(a.start),
				Critical: sendOnPath && receiveOnPath,
			}
			if !yield(message) {
				return
			}
		}
	}
	return t, nil
}

// Waits returns the gaps between the spans of each processor, and before its first, by end. A gap
// before a receive is divided where the sender's processor begins with the message: before, the
// receiver waits for its sender, and then for the bytes.
func (t *Timeline) Waits() iter.Seq[Span] {
	return func(yield func(Span) bool) {
		free := map[[2]int]quantity.Micros{} // since when, by rank and processor
		for s := range t.Spans {
			at := [2]int{s.Rank, s.CPU}
			since := free[at]
			free[at] = s.End
			if s.Start <= since {
				continue
			}
			wait := s // for the operation that comes after it
			wait.What, wait.Start, wait.End, wait.Critical = "wait", since, s.Start, false
			if s.What != "receive" {
				wait.Sent = s.Start
			}
			flight := wait
			flight.What, flight.Start = "flight", max(since, wait.Sent)
			wait.End = flight.Start
			for _, part := range []Span{wait, flight} {
				if part.Start < part.End && !yield(part) {
					return
				}
			}
		}
	}
}

// WriteTrace writes the timeline in the trace-event format of JSON that Perfetto and
// chrome://tracing show: a process for each rank, a thread for each of its processors, and
// arrows for messages. Times are µs. The error is w's.
func (t *Timeline) WriteTrace(w io.Writer) error {
	b := bufio.NewWriter(w)
	first := true
	event := func(phase, name string, pid, tid int, at quantity.Micros, more string) {
		if !first {
			b.WriteString(",\n")
		}
		first = false
		quoted, _ := json.Marshal(name) // a string: cannot fail
		b.WriteString(`{"ph":"` + phase + `","name":`)
		b.Write(quoted)
		b.WriteString(`,"pid":` + strconv.Itoa(pid) + `,"tid":` + strconv.Itoa(tid))
		b.WriteString(`,"ts":` + strconv.FormatFloat(float64(at), 'f', -1, 64) + more + "}")
	}
	b.WriteString("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n")
	named := make([]bool, t.Ranks)
	for s := range t.Spans {
		if !named[s.Rank] {
			named[s.Rank] = true
			process := `,"args":{"name":"rank ` + strconv.Itoa(s.Rank) + `"}`
			event("M", "process_name", s.Rank, 0, 0, process)
		}
		name := s.What
		if s.Label != "" {
			name += " " + s.Label
		}
		length := strconv.FormatFloat(float64(s.End-s.Start), 'f', 6, 64) // to the picosecond
		more := `,"dur":` + length + `,"cat":"` + s.What + `"`
		if s.Critical {
			more += `,"args":{"critical":true}`
		}
		event("X", name, s.Rank, s.CPU, s.Start, more)
	}
	number := 0
	for m := range t.Messages {
		id := `,"cat":"message","id":` + strconv.Itoa(number)
		number++
		name := "message of " + strconv.FormatUint(m.Size, 10) + " B"
		if m.Tag != 0 && m.Tag != schedule.Any {
			name += ", tag " + strconv.FormatUint(uint64(m.Tag), 10)
		}
		event("s", name, m.From, m.FromCPU, m.Sent, id)
		event("f", name, m.To, m.ToCPU, m.Received, id+`,"bp":"e"`)
	}
	b.WriteString("\n]}\n")
	return b.Flush()
}
