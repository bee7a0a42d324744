package fit

import (
	"errors"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// MachineData holds the measurements of a transport: messages by size, packets, and bursts.
type MachineData struct {
	OneWay, Gap *benchfile.Table // one-way times, and intervals of a stream
	Switches    []quantity.Bytes // the last sizes before protocol changes
	Packets     []PacketTimes    // two sizes or more
	Signature   *benchfile.Table // intervals of bursts
	Short       quantity.Micros  // a message without data, one way
}

// PacketTimes holds the times of packets of one size.
type PacketTimes struct {
	Size    quantity.Bytes
	Stages  []quantity.Micros // of a packet alone, in the order of the stages' names
	Alone   quantity.Micros   // through all of them
	Message quantity.Micros   // of Count packets, one behind the other; Count ≥ 2
	Count   int
}

// behind returns the time that each packet but the first adds to a message: (T − T_1)/(K − 1).
func (p PacketTimes) behind() quantity.Micros {
	const least = 1e-3 // the clock's unit; noise may make the difference smaller
	return max(least, (p.Message-p.Alone)/quantity.Micros(p.Count-1))
}

// A Machine holds the models of a transport.
type Machine struct {
	OneWay, Gap   *Result         // by size
	Short         quantity.Micros // a message without data, one way
	LogP          model.LogP
	LogPError     error          // reason why the signature has no LogP, or nil
	Stages        []*Result      // of a packet alone
	Pipeline      model.Pipeline // these
	Alone, Behind model.Linear   // a packet through all stages, and behind another
}

// FitMachine fits the models of a transport. stages names the stages of a packet; the last one is
// the receiver's. If the signature has no LogP, LogPError has the reason.
func FitMachine(d MachineData, stages ...string) (*Machine, error) {
	m := &Machine{Short: d.Short}
	var err error
	if m.OneWay, err = Regimes(d.OneWay, Huber, d.Switches...); err != nil {
		return nil, err
	}
	if m.Gap, err = Regimes(d.Gap, Huber, d.Switches...); err != nil {
		return nil, err
	}
	alone := &benchfile.Table{Title: "packets alone", Kind: benchfile.OneWay}
	behind := &benchfile.Table{Title: "packets behind each other", Kind: benchfile.Gap}
	each := list.Map(stages, func(s string) *benchfile.Table { return &benchfile.Table{Title: s, Kind: benchfile.Stage} })
	for _, p := range d.Packets {
		if len(p.Stages) != len(stages) || p.Count < 2 {
			return nil, errors.New("times of packets are of each stage, and of messages of two packets or more")
		}
		addSample(alone, p.Size, p.Alone)
		addSample(behind, p.Size, p.behind())
		for k, t := range p.Stages {
			addSample(each[k], p.Size, t)
		}
	}
	if m.Alone, err = straight(alone); err != nil {
		return nil, err
	}
	if m.Behind, err = straight(behind); err != nil {
		return nil, err
	}
	if m.Stages, m.Pipeline, err = Stages(each, Relative); err != nil {
		return nil, err
	}
	r, err := LogP(d.Signature, 0)
	if m.LogPError = err; err == nil {
		m.LogP = r.Layer()
		// The overheads may overlap.
		m.LogP.Latency = max(0, m.Short-m.LogP.SendOverhead-m.LogP.ReceiveOverhead)
	}
	return m, nil
}

func addSample(t *benchfile.Table, n quantity.Bytes, time quantity.Micros) {
	t.Rows++
	t.Samples = append(t.Samples, benchfile.Sample{Size: n, Count: 1, Mean: time, Line: int(t.Rows)})
}

func straight(t *benchfile.Table) (model.Linear, error) {
	r, err := Linear(t, Relative)
	if err != nil {
		return model.Linear{}, err
	}
	return model.Linear{Beta: r.Segments[0].Beta.Value, Tau: r.Segments[0].Tau.Value}, nil
}

// InPackets returns the one-way time of n bytes in packets of p bytes; see [model.InPackets].
func (m *Machine) InPackets(n, p quantity.Bytes) quantity.Micros {
	return model.InPackets(n, p, m.Alone, m.Behind)
}

// InWindow returns the interval of messages of n bytes with w credits, if the receiver returns
// ⌈w/2⌉ of them at a time in a short message; see [model.WindowInterval]. The sender also receives
// that message, once for each batch.
func (m *Machine) InWindow(n quantity.Bytes, w int) quantity.Micros {
	batch := (w + 1) / 2
	receive := m.Pipeline.Stages[len(m.Pipeline.Stages)-1].Beta
	gap := m.Gap.Time(n) + receive/quantity.Micros(batch)
	return model.WindowInterval(gap, m.OneWay.Time(n)+m.Short, w, batch)
}
