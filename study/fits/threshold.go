package fits

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports"
)

// A Threshold is the largest message for which the first of two protocols is better, such as eager
// and rendezvous. Each was measured at all sizes, or is the line on one side of a break.
type Threshold struct {
	Names  [2]string
	Sizes  []ThresholdSize
	Best   quantity.Bytes // 0: the second protocol is never slower
	Always bool           // the first is never slower: Best is the largest size of both
	// Low and High are a 95 % interval of Best, from the scatter of neighbouring sizes.
	Low, High quantity.Bytes
	InUse     quantity.Bytes // of a file with a break, where that is; else 0
}

// A ThresholdSize is a size that both files have.
type ThresholdSize struct {
	Size          quantity.Bytes
	First, Second quantity.Micros
	// Mean and Worst are the costs of a threshold of this size over the better protocol, as
	// fractions of its time: the mean over all sizes, and the greatest, at WorstAt.
	Mean, Worst float64
	WorstAt     quantity.Bytes
}

// Against finds the threshold between the protocols of two files. If both are the same file, the
// protocols are the lines before and after its greatest break.
func Against(first, second string, o Options) (*Threshold, error) {
	if first == second {
		return acrossBreak(first, o)
	}
	var tables [2]*benchfile.Table
	t := &Threshold{Names: [2]string{first, second}}
	for i, name := range t.Names {
		f, err := benchfile.Open(name, o.Trace)
		if err != nil {
			return nil, err
		}
		tables[i] = &f.Tables[0]
	}
	if tables[0].Kind != tables[1].Kind {
		return nil, fmt.Errorf("%s has times of a %v and %s of a %v; give two files of the same benchmark, with one protocol forced in each", first, tables[0].Kind, second, tables[1].Kind)
	}
	for _, a := range tables[0].Samples {
		i := slices.IndexFunc(tables[1].Samples, func(b benchfile.Sample) bool { return b.Size == a.Size })
		if i >= 0 && a.Size > 0 {
			t.Sizes = append(t.Sizes, ThresholdSize{Size: a.Size, First: a.Median, Second: tables[1].Samples[i].Median})
			if last := &t.Sizes[len(t.Sizes)-1]; last.First <= 0 || last.Second <= 0 {
				last.First, last.Second = a.Mean, tables[1].Samples[i].Mean
			}
		}
	}
	if len(t.Sizes) < minThresholdSizes {
		return nil, fmt.Errorf("%s and %s have %d sizes in common; a threshold needs at least %d", first, second, len(t.Sizes), minThresholdSizes)
	}
	t.solve(nil)
	return t, nil
}

const (
	minThresholdSizes = 4
	thresholdDraws    = 2000
)

// acrossBreak finds the threshold between the lines before and after the greatest break of a file,
// over the sizes of both.
func acrossBreak(name string, o Options) (*Threshold, error) {
	file, err := benchfile.Open(name, o.Trace)
	if err != nil {
		return nil, err
	}
	r, err := fit.Piecewise(&file.Tables[0], 0)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(r.Breaks) == 0 {
		return nil, fmt.Errorf("%s has no break, so only one protocol shows; measure with each protocol forced, and give both files", name)
	}
	greatest := 0
	for k, b := range r.Breaks {
		if math.Abs(float64(b.Jump.Value)) > math.Abs(float64(r.Breaks[greatest].Jump.Value)) {
			greatest = k
		}
	}
	before, after := r.Segments[greatest], r.Segments[greatest+1]
	t := &Threshold{Names: [2]string{fmt.Sprintf("the line up to %s", before.To), fmt.Sprintf("the line from %s", after.From)}, InUse: before.To}
	for _, p := range r.Points {
		if p.Size >= before.From && p.Size <= after.To {
			t.Sizes = append(t.Sizes, ThresholdSize{Size: p.Size, First: before.Time(p.Size), Second: after.Time(p.Size)})
		}
	}
	if len(t.Sizes) < minThresholdSizes || min(before.Points, after.Points) < 3 {
		return nil, fmt.Errorf("%s: a threshold needs at least 3 sizes on each side of the break at %s; measure more", name, before.To)
	}
	t.solve(func(random *rand.Rand, drawn []float64) {
		a, b := drawnLine(random, before), drawnLine(random, after)
		for i, s := range t.Sizes {
			drawn[i] = math.Log(max(a(s.Size), 1e-6) / max(b(s.Size), 1e-6))
		}
	})
	return t, nil
}

// drawnLine draws a line from the intervals of a segment.
func drawnLine(random *rand.Rand, s fit.Segment) func(quantity.Bytes) float64 {
	x, y := random.NormFloat64(), random.NormFloat64()
	y = s.Correlation*x + math.Sqrt(1-s.Correlation*s.Correlation)*y
	beta := float64(s.Beta.Value) + x*reports.Finite(float64(s.Beta.High-s.Beta.Low))/3.92
	tau := float64(s.Tau.Value) + y*reports.Finite(float64(s.Tau.High-s.Tau.Low))/3.92
	return func(n quantity.Bytes) float64 { return beta + tau*float64(n) }
}

// solve finds the best threshold and its interval, from draws of the logarithms of first over
// second. If draw is nil, they are drawn from the scatter.
func (t *Threshold) solve(draw func(random *rand.Rand, drawn []float64)) {
	n := len(t.Sizes)
	slower := make([]float64, n) // logarithm of first over second
	for i, s := range t.Sizes {
		slower[i] = math.Log(float64(s.First / s.Second))
	}
	t.Best = t.crossing(slower)
	t.Always = t.Best == t.Sizes[n-1].Size
	if draw == nil {
		draw = t.scattered(slower)
	}
	random := rand.New(rand.NewPCG(1, 0))
	drawn, found := make([]float64, n), make([]float64, thresholdDraws)
	for k := range found {
		draw(random, drawn)
		found[k] = float64(t.crossing(drawn))
	}
	slices.Sort(found)
	t.Low, t.High = quantity.Bytes(math.Round(stats.Quantile(found, 0.025))), quantity.Bytes(math.Round(stats.Quantile(found, 0.975)))
	t.addCosts(slower)
}

// scattered draws logarithms with the scatter of neighbouring sizes.
func (t *Threshold) scattered(slower []float64) func(random *rand.Rand, drawn []float64) {
	n := len(slower)
	// A residual from the line between two neighbours has 3/2 of the variance of one size.
	var scatter []float64
	for i := 1; i+1 < n; i++ {
		x := math.Log(float64(t.Sizes[i].Size/t.Sizes[i-1].Size)) / math.Log(float64(t.Sizes[i+1].Size/t.Sizes[i-1].Size))
		scatter = append(scatter, math.Abs(slower[i]-(1-x)*slower[i-1]-x*slower[i+1]))
	}
	sigma := 1.4826 * stats.Median(scatter) / math.Sqrt(1.5)
	return func(random *rand.Rand, drawn []float64) {
		for i := range drawn {
			drawn[i] = slower[i] + sigma*random.NormFloat64()
		}
	}
}

func (t *Threshold) addCosts(slower []float64) {
	n := len(t.Sizes)
	for i := range t.Sizes {
		at := &t.Sizes[i]
		for k, s := range t.Sizes {
			lost := max(0, slower[k]) // the first protocol up to the threshold
			if k > i {
				lost = max(0, -slower[k])
			}
			at.Mean += math.Expm1(lost) / float64(n)
			if math.Expm1(lost) > at.Worst {
				at.Worst, at.WorstAt = math.Expm1(lost), s.Size
			}
		}
	}
}

// crossing returns the threshold with the least cost over all sizes; between the two sizes about
// it, where a line through the logarithms crosses zero.
func (t *Threshold) crossing(slower []float64) quantity.Bytes {
	cost := 0.0 // of a threshold below all sizes, less what none can avoid
	for _, x := range slower {
		cost -= min(0, x)
	}
	best, at := cost, -1
	for i, x := range slower {
		if cost += x; cost < best {
			best, at = cost, i
		}
	}
	switch {
	case at < 0:
		return 0
	case at == len(slower)-1:
		return t.Sizes[at].Size
	}
	x := 0.
	if slower[at] < 0 && slower[at+1] > 0 {
		x = slower[at] / (slower[at] - slower[at+1])
	}
	return quantity.Bytes(math.Floor(float64(t.Sizes[at].Size) * math.Pow(float64(t.Sizes[at+1].Size/t.Sizes[at].Size), x)))
}

// Rows returns the table of the sizes, with the recommendation beneath.
func (t *Threshold) Rows() reports.Rows {
	percent := reports.PercentText("%.1f %%")
	rows := reports.TableOf(t.Sizes,
		reports.Col("size_bytes", "size", func(s ThresholdSize) any { return s.Size }),
		reports.Col("first_us", "first", func(s ThresholdSize) any { return s.First }),
		reports.Col("second_us", "second", func(s ThresholdSize) any { return s.Second }),
		reports.Col("first_slower_percent", "first slower by", func(s ThresholdSize) any { return 100 * float64(s.First/s.Second-1) }).Texted(reports.PercentText("%+.1f %%")),
		reports.Col("mean_cost_percent", "mean cost", func(s ThresholdSize) any { return 100 * s.Mean }).Texted(percent),
		reports.Col("worst_cost_percent", "max cost", func(s ThresholdSize) any { return 100 * s.Worst }).Texted(percent),
		reports.Col("worst_at_bytes", "at size", func(s ThresholdSize) any { return reports.OrAbsent(s.WorstAt, s.Worst > 0) }),
	)
	var advice string
	switch last := t.Sizes[len(t.Sizes)-1].Size; {
	case t.Always:
		advice = fmt.Sprintf("Threshold: at least %s. %s is faster at all of these sizes; measure larger ones to find the threshold.", last, t.Names[0])
	case t.Best == 0:
		advice = fmt.Sprintf("Threshold: 0. %s is faster at all sizes.", t.Names[1])
	default:
		advice = fmt.Sprintf("Threshold: %s (95 %%: %s to %s). Send messages up to it as in %s, and larger ones as in %s.", t.Best, t.Low, t.High, t.Names[0], t.Names[1])
	}
	if t.InUse > 0 {
		advice += fmt.Sprintf(" In use: %s.", t.InUse)
	}
	rows.Notes = []string{advice, "A row has the cost of a threshold at its size, relative to the faster protocol: the mean over all sizes, and the maximum."}
	return rows
}
