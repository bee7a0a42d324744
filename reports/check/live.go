//go:build linux

package check

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/engine/live"
	"github.com/halfpeak/halfpeak/internal/engine/programs"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// The training set, and the sizes and windows that are held back from it.
var (
	// The training set, and the sizes and windows that are held back from it. The
	// training sizes are those of a benchmark, powers of two, with two between. A fit
	// must predict between them and not beyond: the largest held size is below 1 MiB.
	trainSizes = []int{
		1, 8, 16, 32, 64, 128, 256, 512,
		1 << 10, 2 << 10, 4 << 10, 8 << 10, 12 << 10, 16 << 10, 32 << 10, 48 << 10,
		64 << 10, 128 << 10, 256 << 10, 512 << 10, 1 << 20,
	}
	// No held size is a power of two or in the training set, so a fit cannot have seen it.
	heldSizes  = []int{24, 200, 768, 2500, 6000, 12_000, 24_000, 40_000, 150_000, 500_000}
	heldWindow = []int{1, 2, 4, 8}
)

const (
	// The sizes of the experiments with windows, packets and bursts. All numbers in bytes.
	windowed     = 4 << 10  // size of the messages that try windows: one piece on all transports
	trainMessage = 32 << 10 // size of the message that is cut into the packets of the training set
	heldMessage  = 64 << 10 // and into the packets that are held back, as CLIP's
	burst        = 512      // messages of the signature's bursts that predictions are for
)

// A trial is the part of the experiment that depends on the transport.
type trial struct {
	trainPackets, heldPackets []int
	trainDeltas, heldDeltas   []float64 // of the signature, in µs
}

// trialOf chooses packets up to the largest that the transport takes, and
// computations about its gap: below it to see g, above it to see the overheads. Held
// packets and computations lie between the trained ones, as held sizes do.
func trialOf(t live.Transport) trial {
	sockets := trial{
		trainPackets: []int{1 << 10, 4 << 10, 16 << 10},
		heldPackets:  []int{2 << 10, 3 << 10, 6 << 10, 8 << 10, 12 << 10, 24 << 10, 32 << 10},
		trainDeltas:  []float64{0, 4, 16, 32}, heldDeltas: []float64{12, 24},
	}
	switch t {
	case live.Shm:
		return trial{
			trainPackets: []int{512, 2 << 10, 8 << 10, 16 << 10},
			heldPackets:  []int{768, 1 << 10, 1536, 3 << 10, 4 << 10, 6 << 10, 12 << 10, 16 << 10},
			trainDeltas:  []float64{0, 1, 2, 4}, heldDeltas: []float64{1.5, 3},
		}
	// A datagram has at most 4 KiB, so larger packets are left out.
	case live.UDP:
		sockets.trainPackets = []int{512, 1 << 10, 4 << 10}
		sockets.heldPackets = []int{768, 1536, 2 << 10, 3 << 10}
	}
	return sockets
}

// A LiveQuestion asks for models of a transport of this machine, and how well they predict it. It
// measures a training set and fits models to it. It predicts and measures the times that are held
// back, of other sizes, credits, packets and computations between messages. One shuffled run within
// the budget measures both, since the speed of the machine changes from minute to minute: two runs
// would compare two machines.
type LiveQuestion struct {
	Pair   *live.Pair
	Budget time.Duration // of all measurements
}

// A LiveValidation holds the models of a transport, and their predictions of times
// that were held back from the fits. The fits see the training set alone, so this
// experiment can prove them wrong.
type LiveValidation struct {
	Transport live.Transport
	*liveMachine
	Results  []livePrediction
	HandOver quantity.Micros // a frame without data or endpoint
	Largest  quantity.Bytes  // packet that the transport takes
}

// A livePrediction is a time that was held back from the fits, with its prediction.
// Error may exceed the interval of Measured, which covers the noise of the
// measurement and not of the model.
type livePrediction struct {
	Program   string
	Size      quantity.Bytes
	Quantity  string
	Packet    quantity.Bytes // into which the message is cut; 0: as the transport does
	Predicted quantity.Micros
	Measured  quantity.Interval // 95 %, in µs
}

// relativeError returns predicted/measured − 1.
func (p livePrediction) relativeError() float64 { return float64(p.Predicted)/p.Measured.Value - 1 }

// Platform encodes the models as a platform file.
func (v *LiveValidation) Platform() (string, error) {
	return v.toml(string(v.Transport), v.Largest)
}

func (q LiveQuestion) Ask(context.Context) (*LiveValidation, error) {
	pair, budget := q.Pair, q.Budget
	x := trialOf(pair.Transport)
	jobs := func(program string, sizes []int) []live.Job {
		return list.Map(sizes, func(n int) live.Job { return live.Job{Program: program, Size: n} })
	}
	train := append(jobs("ping_bulk", trainSizes), jobs("thru_bulk", trainSizes)...)
	for _, p := range x.trainPackets {
		train = append(train, live.Job{Program: "stages", Size: p, Piece: p},
			live.Job{Program: "ping_bulk", Size: trainMessage, Piece: p})
	}
	// fit takes the rows in this order.
	train = append(train, live.Job{Program: "ping_pong", Size: 16},
		live.Job{Program: "hand_over", Size: 1})
	held := append(jobs("ping_bulk", heldSizes), jobs("thru_bulk", heldSizes)...)
	for _, w := range heldWindow {
		held = append(held, live.Job{Program: "thru_bulk", Size: windowed, Credits: w})
	}
	for _, p := range x.heldPackets {
		held = append(held, live.Job{Program: "ping_bulk", Size: heldMessage, Piece: p})
	}
	deltas := slices.Concat(x.trainDeltas, x.heldDeltas)
	// A tenth of the budget goes to the signature, the rest to all other times.
	signature, err := live.Signature(pair, deltas, 0, budget/10)
	if err != nil {
		return nil, err
	}
	all, err := live.Bench(pair, live.BenchOptions{
		// The seed makes the shuffle the same in each run.
		Jobs: slices.Concat(train, held), Within: 0.01, Budget: budget * 9 / 10, Seed: 1,
	})
	if err != nil {
		return nil, err
	}
	v := &LiveValidation{Transport: pair.Transport, Largest: quantity.Bytes(pair.Largest())}
	if err := v.fit(x, all[:len(train)], signature); err != nil {
		return nil, err
	}
	for i, j := range held {
		p := v.predict(j)
		row := all[len(train)+i]
		p.Measured = row.Time
		v.Results = append(v.Results, p)
	}
	// A transport without LogP still has its other predictions; the notes say why.
	if v.LogPError != nil {
		return v, nil
	}
	for _, b := range signature {
		if b.Messages == burst && slices.Contains(x.heldDeltas, float64(b.Delta)) {
			v.Results = append(v.Results, livePrediction{
				Program: "signature", Size: 1,
				Quantity:  fmt.Sprintf("interval, Δ = %.3g µs", float64(b.Delta)),
				Predicted: v.LogP.Interval(b.Delta),
				Measured:  b.Within,
			})
		}
	}
	return v, nil
}

// fit fits the models to the training set, whose rows are in the order of its jobs:
// next takes them off one program at a time. Only here measurements enter a model, so
// this is the place to check that none was held back.
func (v *LiveValidation) fit(x trial, rows []live.Row, signature []benchfile.Burst) (err error) {
	next := func(n int) []live.Row {
		part := rows[:n]
		rows = rows[n:]
		return part
	}
	d := training{
		oneWay:    liveTable("ping_bulk", benchfile.OneWay, next(len(trainSizes))),
		gap:       liveTable("thru_bulk", benchfile.Gap, next(len(trainSizes))),
		signature: &benchfile.Table{Title: "signature", Kind: benchfile.Interval},
	}
	d.switches = list.Map(v.Transport.Switches(), func(n int) quantity.Bytes {
		return quantity.Bytes(n)
	})
	for _, p := range x.trainPackets {
		pair := next(2)
		alone, message := pair[0], pair[1]
		d.packets = append(d.packets, packetTimes{
			size: quantity.Bytes(p), stages: alone.Stages[:],
			alone:   quantity.Micros(alone.Time.Value),
			message: quantity.Micros(message.Time.Value), count: trainMessage / p,
		})
	}
	d.short = quantity.Micros(next(1)[0].Time.Value)
	v.HandOver = quantity.Micros(next(1)[0].Time.Value)
	for _, b := range signature {
		if slices.Contains(x.trainDeltas, float64(b.Delta)) {
			d.signature.Bursts = append(d.signature.Bursts,
				benchfile.Burst{Messages: b.Messages, Delta: b.Delta, Interval: b.Interval})
		}
	}
	v.liveMachine, err = fitMachine(d, programs.Stages[:]...)
	return err
}

// liveTable returns measurements as a table for package fit. Each is a median with
// its interval, so it counts as one.
func liveTable(title string, kind benchfile.Kind, rows []live.Row) *benchfile.Table {
	t := &benchfile.Table{Title: title, Format: "halfpeak", Kind: kind}
	for i, r := range rows {
		t.Samples = append(t.Samples, benchfile.Sample{
			Size: quantity.Bytes(r.Size), Count: 1, Line: i + 1,
			Mean: quantity.Micros(r.Time.Value), Median: quantity.Micros(r.Time.Value),
			Min: quantity.Micros(r.Time.Low), Max: quantity.Micros(r.Time.High),
		})
		t.Rows++
	}
	return t
}

// predict returns the prediction of a job, by the model that a user would take for
// the question: packets by the stages, windows by the credits, and else the line over
// sizes.
func (v *LiveValidation) predict(j live.Job) livePrediction {
	n := quantity.Bytes(j.Size)
	p := livePrediction{Program: j.Program, Size: n, Packet: quantity.Bytes(j.Piece)}
	switch {
	case j.Piece > 0:
		p.Quantity = fmt.Sprintf("one way, packets of %s", p.Packet)
		p.Predicted = v.inPackets(n, p.Packet)
	case j.Credits > 0:
		p.Quantity = fmt.Sprintf("interval, %d credits", j.Credits)
		p.Predicted = v.inWindow(n, j.Credits)
		if j.Credits == 1 {
			p.Quantity = "interval, 1 credit"
		}
	case j.Program == "thru_bulk":
		p.Quantity, p.Predicted = "interval", v.Gap.Time(n)
	default:
		p.Quantity, p.Predicted = "one way", v.OneWay.Time(n)
	}
	return p
}

// Figure returns no picture.
func (v *LiveValidation) Figure() (table.Picture, error) { return nil, nil }

// Rows returns the table of the predictions, with the models beneath. The columns are
// those of [Validation.Rows], so that a script reads both; there is no engine between
// model and machine, and its column is empty.
func (v *LiveValidation) Rows() table.Rows {
	rows := table.TableOf(v.Results,
		table.Col("platform", "platform", func(livePrediction) any { return "live" }),
		table.Col("layer", "", func(livePrediction) any { return string(v.Transport) }),
		table.Col("program", "program", func(p livePrediction) any { return p.Program }),
		table.Col("size_bytes", "size", func(p livePrediction) any { return p.Size }),
		table.Col("quantity", "quantity", func(p livePrediction) any { return p.Quantity }),
		table.Col("model", "predicted", func(p livePrediction) any {
			return float64(p.Predicted)
		}),
		table.Col("engine", "", func(livePrediction) any { return nil }),
		table.Col("measured", "measured", func(p livePrediction) any {
			return p.Measured.Value
		}),
		table.Col("unit", "unit", func(livePrediction) any { return "µs" }),
		table.Col("error_percent", "error",
			func(p livePrediction) any { return 100 * p.relativeError() }).
			Texted(table.PercentText("%+.1f %%")),
		table.Col("measured_low", "low", func(p livePrediction) any { return p.Measured.Low }),
		table.Col("measured_high", "high", func(p livePrediction) any { return p.Measured.High }),
	)
	rows.Verdict = v.verdict()
	rows.Add(remark.Advised(v.packet()))
	for _, text := range v.models() {
		rows.Add(remark.Described(text))
	}
	return rows
}

// verdict returns the errors of the predictions.
func (v *LiveValidation) verdict() table.Sentence {
	errs := list.Map(v.Results, func(p livePrediction) float64 {
		return math.Abs(p.relativeError())
	})
	return table.Say("median error %.1f %% over %d points that no fit has seen; worst %.1f %%",
		100*stats.Median(errs), len(errs), 100*slices.Max(errs))
}

// packet returns the cost of the packet that the predictions choose. A user acts on the choice, so
// what it costs matters more than the error of a time: a flat optimum forgives much.
func (v *LiveValidation) packet() string {
	var chosen, fastest *livePrediction
	for i := range v.Results {
		p := &v.Results[i]
		if p.Packet == 0 {
			continue
		}
		if chosen == nil || p.Predicted < chosen.Predicted {
			chosen = p
		}
		if fastest == nil || p.Measured.Value < fastest.Measured.Value {
			fastest = p
		}
	}
	return fmt.Sprintf("best packet for %s: %s predicted, %s measured; the predicted one takes "+
		"%.1f %% more time than the best",
		chosen.Size, chosen.Packet, fastest.Packet,
		100*(chosen.Measured.Value/fastest.Measured.Value-1))
}

// models describes the models, so that a reader can tell which part was wrong.
func (v *LiveValidation) models() []string {
	notes := []string{
		fmt.Sprintf("one way: %s, median error %.1f %%; interval: %s, %.1f %% (training set)",
			v.OneWay.Model, 100*v.OneWay.Median, v.Gap.Model, 100*v.Gap.Median),
		fmt.Sprintf("a frame without data or endpoint is handed over in %.3g µs, a short "+
			"message takes %.3g µs", float64(v.HandOver), float64(v.Short)),
	}
	stages := list.Map(v.Pipeline.Stages, func(s model.Stage) string {
		return fmt.Sprintf("%s %.3g + %.3g/KiB", s.Name, float64(s.Beta), quantity.PerKiB(s.Tau))
	})
	notes = append(notes,
		fmt.Sprintf("stages of a packet alone, µs: %s; behind another %.3g + %.3g/KiB",
			strings.Join(stages, "; "), float64(v.Behind.Beta), quantity.PerKiB(v.Behind.Tau)))
	if v.LogPError != nil {
		return append(notes, fmt.Sprintf("no LogP: %v", v.LogPError))
	}
	return append(notes,
		fmt.Sprintf("signature: o_s %.3g, o_r %.3g, L %.3g, g %.3g µs",
			float64(v.LogP.SendOverhead), float64(v.LogP.ReceiveOverhead), float64(v.LogP.Latency),
			float64(v.LogP.GapTime)))
}
