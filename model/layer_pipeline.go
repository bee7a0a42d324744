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

// resources returns the resources of the stages. A processor runs the stages at its end of the
// pipeline that occupy it; each other stage is a hop with a resource of its name.
func (l *Pipeline) resources() Resources {
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
	if l.Stages[i].Measured == nil {
		return l.Stages[i].busy(n, packets(n, size))
	}
	return l.Stages[i].hop().load(i == 0, i == len(l.Stages)-1, n, size)
}

// hop returns the resource of the stage.
func (s *Stage) hop() Hop {
	if s.Measured == nil {
		return Hop{Resource: s.Name, Stage: s.Name, Delay: s.cost(), Busy: s.cost()}
	}
	cost := PacketCost{Curve: s.curve(false)}
	return Hop{Resource: s.Name, Stage: s.Name, Delay: cost, Busy: cost, Overlapped: s.curve(true)}
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

// MaxStages is the maximum number of stages of a pipeline. The search for the best plan of packets
// takes some 20 s at 32 stages, and about five times as long for twice as many; CLIP, the longest
// pipeline of the papers, has five stages.
const MaxStages = 32

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

func (*Pipeline) kind() *Kind { return pipelineKind }

func (l *Pipeline) freeze(n quantity.Bytes) { l.Cut = Cut{CutFixed, l.PacketSize(n)} }
