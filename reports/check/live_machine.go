//go:build linux

package check

import (
	"errors"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// training holds the measurements of a transport that its models are fitted to: messages by size,
// packets, and bursts.
type training struct {
	oneWay, gap *benchfile.Table // one-way times, and intervals of a stream
	switches    []quantity.Bytes // the last sizes before protocol changes
	packets     []packetTimes    // two sizes or more: a line needs two points
	signature   *benchfile.Table // intervals of bursts
	short       quantity.Micros  // a message without data, one way
}

// packetTimes holds the times of packets of one size.
type packetTimes struct {
	size    quantity.Bytes
	stages  []quantity.Micros // of a packet alone, in the order of the stages' names
	alone   quantity.Micros   // through all of them
	message quantity.Micros   // of count packets, one behind the other
	count   int               // at least 2: one packet shows nothing of a packet behind it
}

// behind returns the time that each packet but the first adds to a message: (T −
// T_1)/(K − 1). If packets overlapped perfectly it would be the time of the slowest
// stage; it is measured, since stages that share a processor or a cache do not.
func (p packetTimes) behind() quantity.Micros {
	const least = 1e-3 // the clock's unit; noise may make the difference smaller
	return max(least, (p.message-p.alone)/quantity.Micros(p.count-1))
}

// A liveMachine holds the models of a transport of this machine. LogP is missing with
// a reason if the signature does not show it; everything else must be there.
type liveMachine struct {
	OneWay, Gap   *fit.Result     // by size
	Short         quantity.Micros // a message without data, one way
	LogP          model.LogP
	LogPError     error          // reason why the signature has no LogP, or nil
	Stages        []*fit.Result  // of a packet alone
	Pipeline      model.Pipeline // these
	Alone, Behind model.Linear   // a packet through all stages, and behind another
}

// fitMachine fits the models of a transport. stages names the stages of a packet; the
// last one is the receiver's. The lines are Huber's, since a live machine has
// outliers from interrupts, and break where the transport says that it changes its
// protocol. If the signature has no LogP, LogPError has the reason.
func fitMachine(d training, stages ...string) (*liveMachine, error) {
	m := &liveMachine{Short: d.short}
	var err error
	if m.OneWay, err = fit.Regimes(d.oneWay, fit.Huber, d.switches...); err != nil {
		return nil, err
	}
	if m.Gap, err = fit.Regimes(d.gap, fit.Huber, d.switches...); err != nil {
		return nil, err
	}
	if err := m.fitPackets(d.packets, stages); err != nil {
		return nil, err
	}
	// Without a round trip: L follows from the short message below, measured in the
	// same run as the sizes.
	r, err := fit.LogP(d.signature, 0)
	if m.LogPError = err; err == nil {
		m.LogP = r.Value
		// The overheads may overlap, and then exceed the one-way time.
		m.LogP.Latency = max(0, m.Short-m.LogP.SendOverhead-m.LogP.ReceiveOverhead)
	}
	return m, nil
}

// fitPackets fits a line over the sizes of packets to each stage, and to packets
// alone and behind each other. The lines minimise relative errors: the packets span a
// factor of 8 to 32, and absolute errors would fit the largest one only.
func (m *liveMachine) fitPackets(packets []packetTimes, stages []string) (err error) {
	alone := &benchfile.Table{Title: "packets alone", Kind: benchfile.OneWay}
	behind := &benchfile.Table{Title: "packets behind each other", Kind: benchfile.Gap}
	each := list.Map(stages, func(name string) *benchfile.Table {
		return &benchfile.Table{Title: name, Kind: benchfile.Stage}
	})
	for _, p := range packets {
		// A message of one packet shows nothing about a packet behind another.
		if len(p.stages) != len(stages) || p.count < 2 {
			return errors.New("times of packets are of each stage, and of messages of two " +
				"packets or more")
		}
		addSample(alone, p.size, p.alone)
		addSample(behind, p.size, p.behind())
		for k, t := range p.stages {
			addSample(each[k], p.size, t)
		}
	}
	if m.Alone, err = straight(alone); err != nil {
		return err
	}
	if m.Behind, err = straight(behind); err != nil {
		return err
	}
	m.Stages, m.Pipeline, err = fit.Stages(each, fit.Relative)
	return err
}

// addSample adds a measurement to a table that package fit takes. Line numbers stand
// for places in a file in its errors.
func addSample(t *benchfile.Table, n quantity.Bytes, time quantity.Micros) {
	t.Rows++
	t.Samples = append(t.Samples,
		benchfile.Sample{Size: n, Count: 1, Mean: time, Line: int(t.Rows)})
}

// straight fits one line to a table. A packet has one protocol, so there is no break
// to search.
func straight(t *benchfile.Table) (model.Linear, error) {
	r, err := fit.Linear(t, fit.Relative)
	if err != nil {
		return model.Linear{}, err
	}
	return r.Segments[0].Line(), nil
}

// inPackets returns the one-way time of n bytes in packets of p bytes, T_1 + (K − 1)
// times that behind; see [model.InPackets].
func (m *liveMachine) inPackets(n, p quantity.Bytes) quantity.Micros {
	return model.InPackets(n, p, m.Alone, m.Behind)
}

// inWindow returns the interval of messages of n bytes with w credits, if the receiver returns
// ⌈w/2⌉ of them at a time in a short message; see [model.WindowInterval]. The sender also
// receives that message, once for each batch.
func (m *liveMachine) inWindow(n quantity.Bytes, w int) quantity.Micros {
	// As the engine does by default: half of the credits at a time.
	batch := (w + 1) / 2
	receive := m.Pipeline.Stages[len(m.Pipeline.Stages)-1].Beta
	gap := m.Gap.Time(n) + receive/quantity.Micros(batch)
	return model.WindowInterval(gap, m.OneWay.Time(n)+m.Short, w, batch)
}
