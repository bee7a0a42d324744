package calibrate

import (
	"context"
	"fmt"
	"math"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/internal/calls"
	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// The bits of the variant of a [Beside] case.
const (
	besideSender   = 1 << iota // the sender computes between its call and its wait
	besideReceiver             // the receiver does
	besideLate                 // the receive is posted later than the send
	besideTests                // a rank that computes tests in the middle of it
	besideLong                 // it computes three times as long
)

// A need is how long a rank must be inside the library for a large message.
type need int

const (
	never need = iota
	once
	throughout
)

// presenceOf returns the keys of a level whose messages need their sender and receiver. A rank that
// the data need is needed at their begin as well.
func presenceOf(sender, receiver need) (handshake, data machine.Presence) {
	of := func(from need) machine.Presence {
		p := machine.Independent
		if sender >= from {
			p = machine.AtSender
		}
		if receiver >= from {
			p += machine.AtReceiver - machine.Independent
		}
		return p
	}
	return of(once), of(throughout)
}

// alikeMisfit is the difference of two misfits, in times of the message, at which measurements do
// not tell two protocols apart: a message that waits for a rank is late by at least its own time in
// half of the cases.
const alikeMisfit = 0.03

// presence returns which ranks large messages of a level need inside the library: those with which
// a simulation of such messages misses the cases of [Beside] least. Of protocols that miss them
// equally, it returns the one that needs least, and a note. It returns zeros if they were not
// measured.
func (c *Calibration) presence(level int, l machine.Level) (handshake, data machine.Presence) {
	var rows []Measurement
	for _, r := range c.Rows {
		if r.Measure == Beside && r.Level == level && r.Time > 0 {
			rows = append(rows, r)
		}
	}
	alone := quantity.Micros(math.Inf(1))
	for _, r := range rows {
		if r.Variant&(besideSender|besideReceiver) == 0 {
			alone = min(alone, r.Time)
		}
	}
	if math.IsInf(float64(alone), 1) || l.Eager == 0 || c.computing[level] <= 0 {
		return machine.NotMeasured, machine.NotMeasured
	}
	// The case without computations has the message and an answer.
	short := min(l.Layer.OneWay(1), alone/10)
	n := rows[0].Size
	l = machine.Level{Name: "pair", Arity: 2, Eager: l.Eager,
		Layer: &model.Linear{Beta: short, Tau: (alone - 2*short).Per(n)}}
	least, alike := math.Inf(1), []string(nil)
	for needs := range 3 * 3 {
		// Those that need less come first.
		sender, receiver := need(needs%3), need(needs/3)
		l.Handshake, l.Data = presenceOf(sender, receiver)
		misfit, err := c.misfitBeside(l, rows, c.computing[level])
		if err != nil {
			continue // the level is refused elsewhere
		}
		switch {
		case misfit < least-alikeMisfit:
			handshake, data, alike = l.Handshake, l.Data, nil
			least = misfit
		case misfit < least+alikeMisfit:
			alike = append(alike, InWords(l.Handshake, l.Data))
			least = min(least, misfit)
		}
	}
	c.noteBeside(level, handshake, data, least, alike)
	return handshake, data
}

// maxMisfit is the misfit above which no protocol describes the cases.
const maxMisfit = 0.3

func (c *Calibration) noteBeside(level int, handshake, data machine.Presence, misfit float64,
	alike []string) {
	name := c.Levels[level].Name
	switch {
	case misfit > maxMisfit:
		c.Notes = append(c.Notes,
			remark.BesideComputations(name, misfit, InWords(handshake, data)))
	case len(alike) > 0:
		c.Notes = append(c.Notes, remark.LikeProtocols(name, InWords(handshake, data), alike[0]))
	}
}

// InWords says which ranks must be inside the library for a large message; "" if that was not
// measured.
func InWords(handshake, data machine.Presence) string {
	if handshake == machine.NotMeasured && data == machine.NotMeasured {
		return ""
	}
	of := func(needs func(machine.Presence) bool) string {
		switch {
		case needs(data):
			return "throughout"
		case needs(handshake):
			return "once"
		}
		return ""
	}
	sender, receiver := of(machine.Presence.OfSender), of(machine.Presence.OfReceiver)
	switch {
	case sender == "" && receiver == "":
		return "large messages move while their ranks compute"
	case sender == receiver:
		return "large messages need both ranks in MPI " + sender
	case receiver == "":
		return "large messages need the sender in MPI " + sender
	case sender == "":
		return "large messages need the receiver in MPI " + receiver
	}
	return fmt.Sprintf("large messages need the sender in MPI %s and the receiver %s", sender,
		receiver)
}

// misfitBeside returns the mean difference between the cases and their simulation on a level of two
// ranks, in times of the message alone.
func (c *Calibration) misfitBeside(l machine.Level, rows []Measurement,
	computing quantity.Micros) (float64, error) {
	m := machine.Machine{Levels: []machine.Level{l}}
	on, err := simulate.FromMachine(m, machine.Places{0, 1}, simulate.NoLimit)
	if err != nil {
		return 0, err
	}
	sum := 0.0
	for _, r := range rows {
		t, err := besideTime(on, r, computing)
		if err != nil {
			return 0, err
		}
		sum += math.Abs(float64((t - r.Time) / computing))
	}
	return sum / float64(len(rows)), nil
}

// besideTime simulates a case of [Beside] as calibrate.c runs it.
func besideTime(on simulate.Machine, r Measurement, computing quantity.Micros) (
	quantity.Micros, error) {
	length := func(part quantity.Micros) uint64 { return uint64(part * 1000) } // ns
	work := computing
	if r.Variant&besideLong != 0 {
		work *= 3
	}
	b := schedule.NewBuilder(2)
	b.Calls()
	const ready, start, large, answer = 0, 1, 2, 3 // tags
	const sender, receiver = 0, 1
	// A test lets a rank in for a moment, as every end of a computation does.
	beside := func(to *calls.Rank, computes bool, q []uint32) {
		switch tests := r.Variant&besideTests != 0; {
		case computes && tests:
			to.Compute(length(work / 2))
			to.Compute(length(work / 2))
		case computes:
			to.Compute(length(work))
		}
		to.Wait(q...)
	}
	b.NextRank()
	to := calls.Rank{Builder: b}
	to.Blocking(schedule.Op{Kind: schedule.Recv, Peer: receiver, Tag: ready})
	to.Mark()
	to.Blocking(schedule.Op{Kind: schedule.Send, Peer: receiver, Tag: start})
	q := to.Begin(0, schedule.Op{Kind: schedule.Send, Size: uint64(r.Size), Peer: receiver,
		Tag: large})
	beside(&to, r.Variant&besideSender != 0, q)
	to.Blocking(schedule.Op{Kind: schedule.Recv, Peer: receiver, Tag: answer})

	b.NextRank()
	to = calls.Rank{Builder: b}
	in := schedule.Op{Kind: schedule.Recv, Size: uint64(r.Size), Peer: sender, Tag: large}
	late := r.Variant&besideLate != 0
	if !late {
		q = to.Begin(0, in)
	}
	to.Blocking(schedule.Op{Kind: schedule.Send, Peer: sender, Tag: ready})
	to.Blocking(schedule.Op{Kind: schedule.Recv, Peer: sender, Tag: start})
	if late {
		to.Compute(length(computing / 8))
		q = to.Begin(0, in)
	}
	beside(&to, r.Variant&besideReceiver != 0, q)
	to.Blocking(schedule.Op{Kind: schedule.Send, Peer: sender, Tag: answer})
	s, err := b.Build()
	if err != nil {
		return 0, err
	}
	p, err := simulate.New(s)
	if err != nil {
		return 0, err
	}
	result, err := p.Run(context.Background(), simulate.Setup{Machine: on})
	if err != nil {
		return 0, err
	}
	return result.Micros(result.Ranks[sender] - result.Marks[0].End), nil
}
