package model

import (
	"fmt"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// PacketSize returns the size in bytes of the packets of an n-byte message, at most n.
func (l *Pipeline) PacketSize(n quantity.Bytes) quantity.Bytes {
	switch l.Cut.Rule {
	case CutFixed:
		return min(l.Cut.Size, n)
	case CutPaper:
		return paperPacket(l.Stages, n)
	case CutBest:
		size, _ := l.BestPacket(n)
		return size
	}
	return n
}

// OneWay returns the exact time of n bytes in packets of PacketSize(n).
func (l *Pipeline) OneWay(n quantity.Bytes) quantity.Micros {
	return l.OneWayIn(n, l.PacketSize(n))
}

// Gap returns the busy time of the busiest stage, max_i (Kβ_i + nτ_i): a stream of messages keeps
// that stage busy, and all other stages wait for it.
func (l *Pipeline) Gap(n quantity.Bytes) quantity.Micros {
	size := l.PacketSize(n)
	var gap quantity.Micros
	for i := range l.Stages {
		gap = max(gap, l.occupation(i, n, size))
	}
	return gap
}

// Overheads returns the busy times of the stages that occupy the sender's and the receiver's
// processor.
func (l *Pipeline) Overheads(n quantity.Bytes) (send, receive quantity.Micros) {
	size := l.PacketSize(n)
	for i, s := range l.Stages {
		switch s.Host {
		case Sender:
			send += l.occupation(i, n, size)
		case Receiver:
			receive += l.occupation(i, n, size)
		}
	}
	return send, receive
}

// Resources returns the resources of the stages. A processor runs the stages at its end of the
// pipeline that occupy it; each other stage is a hop with a resource of its name.
func (l *Pipeline) Resources() Resources {
	var r Route
	stages := l.Stages
	for len(stages) > 0 && stages[0].Host == Sender {
		r.Send = r.Send.plus(stages[0].cost())
		stages = stages[1:]
	}
	end := len(stages)
	for end > 0 && stages[end-1].Host == Receiver {
		end--
		r.Receive = r.Receive.plus(stages[end].cost())
	}
	for i := range stages[:end] {
		r.Hops = append(r.Hops, stages[i].hop())
	}
	if len(r.Hops) == 0 {
		// Only processors work, and a route has at least one hop: one that takes no time.
		r.Hops = oneHop(PacketCost{}).Hops
	}
	if l.Cut.Rule != CutNone { // nil also tells an engine that it need not ask for packets
		r.Packets = l
	}
	return r
}

// occupation returns the time for which n bytes in packets of a size occupy stage i.
func (l *Pipeline) occupation(i int, n, size quantity.Bytes) quantity.Micros {
	s, count := &l.Stages[i], packets(n, size)
	last := n - quantity.Bytes(count-1)*size
	switch {
	case s.Measured == nil:
		return s.busy(n, count)
	case count == 1:
		return s.Time(n)
	}
	busy := quantity.Micros(count-1)*s.timeIn(true, size) + s.timeIn(true, last)
	if i == 0 {
		busy += s.Time(size) - s.timeIn(true, size)
	}
	if i == len(l.Stages)-1 {
		busy += s.Time(last) - s.timeIn(true, last)
	}
	return busy
}

// hop returns the resource of the stage.
func (s *Stage) hop() Hop {
	if s.Measured == nil {
		return Hop{Resource: s.Name, Stage: s.Name, Delay: s.cost(), Busy: s.cost()}
	}
	alone := func(p quantity.Bytes) quantity.Micros { return s.timeIn(false, p) }
	among := func(p quantity.Bytes) quantity.Micros { return s.timeIn(true, p) }
	cost := PacketCost{Measured: &alone}
	return Hop{Resource: s.Name, Stage: s.Name, Delay: cost, Busy: cost, Overlapped: &among}
}

func (s *Stage) cost() PacketCost { return PacketCost{Beta: s.Beta, Tau: s.Tau} }

var pipelineKind = &Kind{
	Name: "pipeline", Cost: "exact time through the stages in packets", zero: &Pipeline{},
	Fields: []Field{
		{
			Key: "packets", Measure: Size, Phrase: "size of the packets", Words: CutWords(),
			At: func(l Layer) any { return &l.(*Pipeline).Cut },
		},
	},
	Stages: func(l Layer) *[]Stage { return &l.(*Pipeline).Stages },
	Check:  func(l Layer) (string, error) { return l.(*Pipeline).check() },
}

// MaxStages is the maximum number of stages of a pipeline. [Pipeline.OneWayAs] takes steps in
// proportion to its square; CLIP, the longest pipeline of the papers, has five stages.
const MaxStages = 256

func (l *Pipeline) check() (key string, err error) {
	switch {
	case len(l.Stages) > MaxStages:
		return "stages", fmt.Errorf("a pipeline must have at most %d stages (got %d)",
			MaxStages, len(l.Stages))
	case l.Cut.Rule == CutPaper && len(l.Stages) < PaperStages:
		return "packets", fmt.Errorf("eq10 needs three stages, but this pipeline has %d; use %q",
			len(l.Stages), "best")
	}
	return "", nil
}

func (*Pipeline) Kind() *Kind { return pipelineKind }

func (l *Pipeline) freeze(n quantity.Bytes) { l.Cut = Cut{CutFixed, l.PacketSize(n)} }
