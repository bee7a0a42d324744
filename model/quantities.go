package model

import (
	"errors"
	"fmt"
	"math"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// Quantities lists the quantities of a layer that can be predicted, for formulas of platform files,
// what-if questions and help.
var Quantities = []Quantity{
	{Name: "one_way", Title: "one-way time", Dim: quantity.DimTime, Sizes: 1, Of: func(l Layer, n, _ quantity.Bytes) float64 { return float64(l.OneWay(n)) }},
	{Name: "rtt", Title: "round-trip time", Dim: quantity.DimTime, Sizes: 1, Of: func(l Layer, n, _ quantity.Bytes) float64 { return float64(RTT(l, n)) }},
	{Name: "gap", Title: "gap", Dim: quantity.DimTime, Sizes: 1, Stream: true, Of: func(l Layer, n, _ quantity.Bytes) float64 { return float64(l.Gap(n)) }},
	{Name: "bandwidth", Title: "bandwidth", Dim: quantity.DimRate, Sizes: 1, Of: func(l Layer, n, _ quantity.Bytes) float64 { return float64(Bandwidth(l, n)) }},
	{Name: "throughput", Title: "throughput", Dim: quantity.DimRate, Sizes: 1, Stream: true, Of: func(l Layer, n, _ quantity.Bytes) float64 { return float64(Throughput(l, n)) }},
	{Name: "send_overhead", Title: "send overhead", Dim: quantity.DimTime, Sizes: 1, Lacks: lacksOverheads, Of: func(l Layer, n, _ quantity.Bytes) float64 {
		send, _ := l.Overheads(n)
		return float64(send)
	}},
	{Name: "receive_overhead", Title: "receive overhead", Dim: quantity.DimTime, Sizes: 1, Lacks: lacksOverheads, Of: func(l Layer, n, _ quantity.Bytes) float64 {
		_, receive := l.Overheads(n)
		return float64(receive)
	}},
	{Name: "packet", Title: "packet", Dim: quantity.DimSize, Sizes: 1, Lacks: func(l Layer, n quantity.Bytes) error {
		if _, ok := At(l, n).(Packetizer); !ok {
			return errors.New("its messages are not cut into packets")
		}
		return nil
	}, Of: func(l Layer, n, _ quantity.Bytes) float64 { return float64(PacketSize(l, n)) }},
	{Name: "r_inf", Title: "r∞", Dim: quantity.DimRate, Lacks: lacksPeak, Of: func(l Layer, _, _ quantity.Bytes) float64 { return float64(Asymptote(l)) }},
	{Name: "n_half", Title: "n½", Dim: quantity.DimSize, Lacks: lacksPeak, Of: func(l Layer, _, _ quantity.Bytes) float64 { return orNaN(HalfPeak(l)) }},
	{Name: "threshold", Title: "threshold", Dim: quantity.DimSize, Lacks: func(l Layer, _ quantity.Bytes) error {
		if _, ok := Threshold(l); !ok {
			return errors.New("the layer is one for all sizes; it must be a switch or an envelope")
		}
		return nil
	}, Of: func(l Layer, _, _ quantity.Bytes) float64 { return orNaN(Threshold(l)) }},
	{Name: "paper_packet", Title: "packet of eq. 10", Dim: quantity.DimSize, Sizes: 1, Lacks: lacksPipeline,
		Of: ofPipeline(func(l *Pipeline, n, _ quantity.Bytes) float64 { return float64(l.PaperPacket(n)) })},
	{Name: "best_packet", Title: "best packet", Dim: quantity.DimSize, Sizes: 1, Lacks: lacksPipeline,
		Of: ofPipeline(func(l *Pipeline, n, _ quantity.Bytes) float64 {
			p, _ := l.BestPacket(n)
			return float64(p)
		})},
	{Name: "paper_bound", Title: "bound of eq. 8", Dim: quantity.DimTime, Sizes: 2, Lacks: lacksPipeline,
		Of: ofPipeline(func(l *Pipeline, n, p quantity.Bytes) float64 { return float64(l.PaperBound(n, p)) })},
	{Name: "one_way_in", Title: "one-way time in packets", Dim: quantity.DimTime, Sizes: 2, Lacks: lacksPipeline,
		Of: ofPipeline(func(l *Pipeline, n, p quantity.Bytes) float64 { return float64(l.OneWayIn(n, min(p, n))) })},
}

// A Quantity is a quantity of a layer.
type Quantity struct {
	Name   string // in formulas: "one_way"
	Title  string // for people
	Dim    quantity.Dimension
	Sizes  int  // number of its size arguments: the message, its packets
	Stream bool // of a steady stream of messages, so that it follows from the gap

	// Of returns the quantity for messages of n bytes in packets of p, in µs and bytes; size
	// arguments beyond Sizes are ignored. It is NaN or infinite if the layer has no such quantity.
	Of func(l Layer, n, p quantity.Bytes) float64
	// Lacks returns the reason why the quantity is undefined or meaningless for the layer; nil: it
	// is defined for every layer.
	Lacks func(l Layer, n quantity.Bytes) error
}

// FindQuantity returns the row with the name.
func FindQuantity(name string) (*Quantity, bool) {
	for i := range Quantities {
		if Quantities[i].Name == name {
			return &Quantities[i], true
		}
	}
	return nil, false
}

// Check returns the reason why the layer lacks the quantity, or nil.
func (q *Quantity) Check(l Layer, n quantity.Bytes) error {
	if q.Lacks == nil {
		return nil
	}
	return q.Lacks(l, n)
}

func lacksOverheads(l Layer, n quantity.Bytes) error {
	if send, receive := l.Overheads(n); send == 0 && receive == 0 {
		return errors.New("the times of messages on the processors are unknown")
	}
	return nil
}

func lacksPeak(l Layer, _ quantity.Bytes) error {
	if _, ok := HalfPeak(l); !ok {
		return errors.New("no cost is per byte, so bandwidth has no peak")
	}
	return nil
}

func lacksPipeline(l Layer, n quantity.Bytes) error {
	if p, ok := At(l, n).(*Pipeline); !ok || len(p.Stages) < PaperStages {
		return fmt.Errorf("the layer has no pipeline of %d stages at %s", PaperStages, n)
	}
	return nil
}

// ofPipeline evaluates the pipeline that serves n bytes.
func ofPipeline(of func(l *Pipeline, n, p quantity.Bytes) float64) func(Layer, quantity.Bytes, quantity.Bytes) float64 {
	return func(l Layer, n, p quantity.Bytes) float64 {
		pipe, ok := At(l, n).(*Pipeline)
		if !ok || len(pipe.Stages) < PaperStages {
			return math.NaN()
		}
		return of(pipe, n, p)
	}
}

func orNaN(n quantity.Bytes, ok bool) float64 {
	if !ok {
		return math.NaN()
	}
	return float64(n)
}
