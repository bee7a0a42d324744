//go:build linux

package check

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/engine/live"
	"github.com/halfpeak/halfpeak/internal/engine/programs"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// A BenchQuestion asks for the times of programs on a transport with messages of these sizes. The
// programs stages and signature have a table of their own, that fit reads, and so must be
// alone.
type BenchQuestion struct {
	Pair    *live.Pair
	Sizes   []quantity.Bytes
	Options live.BenchOptions // all but its sizes and jobs; at least one program
}

// A Benched is the answer of a [BenchQuestion].
type Benched struct {
	rows    table.Rows
	picture table.Picture // of the signature; nil: none
	NetPIPE string        // the times of ping_bulk in NetPIPE's own format; empty: none
}

// Rows returns the table of the times.
func (b Benched) Rows() table.Rows { return b.rows }

// Figure returns the picture of a signature; nil of other programs.
func (b Benched) Figure() (table.Picture, error) { return b.picture, nil }

func (q BenchQuestion) Ask(context.Context) (Benched, error) {
	pair, sizes, o := q.Pair, q.Sizes, q.Options
	switch p, _ := programs.Find(o.Programs[0], programs.Real); p.Shape {
	case programs.BySignature:
		return benchSignature(pair, o.Credits, o.Budget)
	case programs.ByStage:
		o.Programs = nil
		rows, err := benchStages(pair, sizes, o)
		return Benched{rows: rows}, err
	}
	o.Sizes = list.Map(sizes, func(n quantity.Bytes) int { return int(n) })
	m := measured{transport: pair.Transport, within: o.Within, budget: o.Budget,
		clock: live.MeasureClock()}
	start := time.Now()
	var err error
	m.results, err = live.Bench(pair, o)
	m.took = time.Since(start)
	return Benched{rows: m.rows(), NetPIPE: m.netPIPE()}, err
}

// measured holds the times of programs on a transport, with what was asked for and what was
// reached: an interval that the budget did not narrow must not look like one that was.
type measured struct {
	transport live.Transport
	results   []live.Row
	within    float64 // wanted: half of each 95 % interval, as a fraction of its median
	took      time.Duration
	budget    time.Duration // wanted; took is more if the minimum number of repeats needs it
	clock     live.Clock
}

// rows returns the table of the times with their intervals. Notes have the conditions
// of a reader's trust: how many intervals are as narrow as wanted, and what reading
// the clock costs.
func (b *measured) rows() table.Rows {
	micros := func(v float64) quantity.Micros { return quantity.Micros(v) }
	rows := table.TableOf(b.results,
		table.Col("transport", "transport",
			func(live.Row) any { return string(b.transport) }).Ranked(6),
		table.Col("program", "program", func(r live.Row) any { return r.Program }),
		table.Col("size_bytes", "size", func(r live.Row) any { return quantity.Bytes(r.Size) }),
		table.Col("one_way_us", "time", func(r live.Row) any { return micros(r.Time.Value) }),
		table.Col("one_way_low_us", "low", func(r live.Row) any { return micros(r.Time.Low) }),
		table.Col("one_way_high_us", "high", func(r live.Row) any { return micros(r.Time.High) }),
		table.Col("p50_us", "p50", func(r live.Row) any { return r.P50 }).Ranked(3),
		table.Col("p99_us", "p99", func(r live.Row) any { return r.P99 }).Ranked(2),
		table.Col("bandwidth_mb_s", "bandwidth",
			func(r live.Row) any {
				return quantity.Bytes(r.Size).Over(micros(r.Time.Value))
			}).Ranked(1),
		table.Col("messages_per_s", "messages/s",
			func(r live.Row) any { return 1e6 / r.Time.Value }).Ranked(4),
		table.Col("repeats", "repeats",
			func(r live.Row) any { return int64(r.Repeats) }).Ranked(5),
	)
	done := 0
	for _, r := range b.results {
		if r.Done {
			done++
		}
	}
	// Only ping_bulk times each round trip; all other times are of many messages
	// between two readings.
	rows.Add(remark.Clock(float64(b.clock.Overhead), float64(b.clock.Resolution)))
	rows.Add(remark.Narrowed(done, len(b.results), b.within, b.took.Seconds(), b.budget,
		live.Fewest))
	rows.Verdict = b.closing()
	return rows
}

// closing returns the times of each program.
func (b *measured) closing() table.Sentence {
	programs := table.Groups(b.results, func(r live.Row) string { return r.Program })
	return table.Listed("; ", programs, func(of []live.Row) table.Sentence {
		closing := table.Closing{Subject: of[0].Program}
		for _, r := range of {
			closing.Values = append(closing.Values, table.Closed{Of: quantity.Bytes(r.Size),
				Value: table.Shown(quantity.DimTime, r.Time)})
		}
		return closing.Say()
	})
}

// netPIPE returns the times of ping_bulk in the format of NetPIPE's np.out: bytes,
// 2^20 bits/s, seconds. NetPIPE's program is a ping-pong, so only ping_bulk is the
// same measurement.
func (b *measured) netPIPE() string {
	var text strings.Builder
	for _, r := range b.results {
		if r.Program == "ping_bulk" {
			rate := float64(quantity.Bytes(r.Size).Over(quantity.Micros(r.Time.Value)))
			mebibits := rate * 8 * 1e6 / (1 << 20) // per second
			fmt.Fprintf(&text, "%8d %.6f %.12f\n", r.Size, mebibits, r.Time.Value/1e6)
		}
	}
	return text.String()
}

// benchStages measures the stages of packets of these sizes, each of one packet: all sizes of a
// stage before the next stage. Sizes that travel as several packets are left out.
func benchStages(pair *live.Pair, sizes []quantity.Bytes, o live.BenchOptions) (table.Rows,
	error) {
	for _, n := range sizes {
		// The stages of a message of several packets overlap, so their times would not add up.
		if int(n) <= pair.Largest() {
			o.Jobs = append(o.Jobs, live.Job{Program: "stages", Size: int(n), Check: o.Check})
		}
	}
	if len(o.Jobs) == 0 {
		return table.Rows{}, usage.Fields(usage.Error{Err: fmt.Errorf("no size fits into one "+
			"packet, and the times of stages are those of one; %s carries at most %s",
			pair.Transport, quantity.Bytes(pair.Largest()))}, "size")
	}
	measured, err := live.Bench(pair, o)
	if err != nil {
		return table.Rows{}, err
	}
	return stageRows(measured), nil
}

func stageRows(measured []live.Row) table.Rows {
	type cell struct {
		live.Row
		stage int
	}
	var cells []cell
	for k := range programs.Stages {
		for _, r := range measured {
			cells = append(cells, cell{r, k})
		}
	}
	rows := table.TableOf(cells,
		table.Col("stage", "stage", func(c cell) any { return programs.Stages[c.stage] }),
		table.Col("size_bytes", "size", func(c cell) any { return quantity.Bytes(c.Size) }),
		table.Col("time_us", "time", func(c cell) any { return c.Stages[c.stage] }),
		table.Col("repeats", "repeats", func(c cell) any { return int64(c.Repeats) }),
	)
	// Hand over is a difference of times, so noise can make it 0 or less. No line can
	// be fitted to that, hence 0.001 µs.
	rows.Add(remark.KeepsBusy())
	return rows
}

// benchSignature measures the LogP signature of a transport (HP-LAM §4.2) with a number
// of credits, and with computations Δ up to a few times the transport's gap. Each point
// is the median over some runs.
func benchSignature(pair *live.Pair, credits int, budget time.Duration) (Benched, error) {
	// LogP can be read only from computations both shorter and longer than the gap: g
	// shows at Δ = 0, o_s + o_r where Δ exceeds it. The gap of shared memory is far
	// shorter than that of sockets, and so are its Δ.
	deltas := []float64{0, 2, 4, 8, 16, 32} // µs
	if pair.Transport == live.Shm {
		deltas = []float64{0, 0.25, 0.5, 1, 2, 4}
	}
	bursts, err := live.Signature(pair, deltas, credits, budget)
	if err != nil {
		return Benched{}, err
	}
	return Benched{rows: burstRows(pair.Transport, bursts),
		picture: burstFigure(pair.Transport, bursts)}, nil
}

// burstRows has the keys of the reader of signatures.
func burstRows(transport live.Transport, bursts []benchfile.Burst) table.Rows {
	return table.TableOf(bursts,
		table.Col("transport", "transport", func(benchfile.Burst) any {
			return string(transport)
		}),
		table.Col("program", "program", func(benchfile.Burst) any { return "signature" }),
		table.Col("burst", "messages", func(b benchfile.Burst) any { return int64(b.Messages) }),
		table.Col("delta_us", "Δ", func(b benchfile.Burst) any { return b.Delta }),
		table.Col("interval_us", "interval", func(b benchfile.Burst) any { return b.Interval }),
	)
}

// burstFigure draws the interval against the number of messages, a series for each Δ. The
// axis of bursts is logarithmic as in HP-LAM's figure 4.1; the intervals are linear,
// since o_s, o_r and g are read off as distances.
func burstFigure(transport live.Transport, bursts []benchfile.Burst) table.Figure {
	return table.Figure{
		Title: "LogP signature of " + string(transport),
		X:     table.Axis{Label: "messages in the burst", Log: true, Twos: true},
		Y:     table.Axis{Label: "interval per message", Dim: quantity.DimTime},
		Series: signatureSeries(bursts, table.Points, func(delta quantity.Micros) string {
			return fmt.Sprintf("Δ = %.3g µs", float64(delta))
		}),
	}
}
