package fit

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// Stages fits a line to each table, the stages of a pipeline in order, and returns their pipeline
// (CLIP §4.2.2.2 and appendix B). Messages are cut into the best packet of each size.
func Stages(tables []*benchfile.Table, m Method) ([]*Result, model.Pipeline, error) {
	p := model.Pipeline{Cut: model.Cut{Rule: model.CutBest}}
	var results []*Result
	for _, t := range tables {
		r, err := Linear(t, m)
		if err != nil {
			return nil, model.Pipeline{}, err
		}
		r.Model = "pipeline"
		results = append(results, r)
		p.Stages = append(p.Stages, model.Stage{Name: t.Name(), Beta: r.Segments[0].Beta.Value, Tau: r.Segments[0].Tau.Value})
	}
	if len(results) == 0 {
		return nil, model.Pipeline{}, fmt.Errorf("%w: no stages; a pipeline takes a CSV with columns stage, size_bytes, time_us", ErrNoData)
	}
	return results, p, nil
}

// An EndToEndResult has the parameters of a pipeline that the times of whole messages determine.
// Messages of n bytes in K = n/p packets of p bytes take (CLIP §4.2.2.2, equal packets)
//
//	T = Σt_i(p) + (K−1) t_b(p) = Σβ + pΣτ + (K−1)(β_b + pτ_b)
//
// where b is the bottleneck, the slowest stage. So the times show Σβ, Στ, β_b and τ_b only; they
// show neither the number of the other stages nor how these share Σβ and Στ.
type EndToEndResult struct {
	Name string
	// Packets are the packet sizes measured, from small to large.
	Packets []quantity.Bytes
	// Separate reports whether there are at least two packet sizes, so that β and τ are
	// identifiable.
	Separate bool
	// With Separate: β_b and τ_b of the bottleneck, and the sums over all stages.
	Beta, SumBeta Estimate[quantity.Micros]
	Tau, SumTau   Estimate[quantity.MicrosPerByte]
	// Without: the time of one packet in the bottleneck, t_b(p), and in all the other
	// stages together, the fill of the pipe.
	Packet, Fill Estimate[quantity.Micros]
	// Errors of the fit to all points.
	Errors
	Warnings []string
}

// EndToEnd fits the times of whole messages, in tables that state their packet size. It assumes
// that the same stage is the bottleneck at every packet size. Sizes that are not two or more whole
// packets are left out. A parameter below zero is an error.
func EndToEnd(tables ...*benchfile.Table) (*EndToEndResult, error) {
	r := &EndToEndResult{}
	points, packets, counts, left, err := r.wholePackets(tables)
	if err != nil {
		return nil, err
	}
	r.Separate = len(r.Packets) > 1
	parameters := 2
	if r.Separate {
		parameters = 4
	}
	if len(points) < parameters {
		return nil, fmt.Errorf("%w: %d times of messages of 2 whole packets or more; %d are needed: a CSV with columns size_bytes, packet_bytes, time_us, several sizes at each packet size", ErrNoData, len(points), parameters)
	}
	if left > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("%d sizes that are not 2 whole packets or more left out", left))
	}
	columns := func(i int) []float64 {
		if r.Separate {
			return []float64{1, packets[i], counts[i], counts[i] * packets[i]}
		}
		return []float64{1, counts[i]}
	}
	v, d, err := leastSquares(points, columns, parameters)
	if err != nil {
		return nil, err
	}
	// Values below zero by more than rounding are refused below.
	micros := func(v, d float64) Estimate[quantity.Micros] { return around[quantity.Micros](max(0, v), d) }
	perByte := func(i int) Estimate[quantity.MicrosPerByte] {
		return around[quantity.MicrosPerByte](max(0, v[i]), d[i])
	}
	r.Errors = errorsOf(points)
	names := []string{"the time of the first packet", "the bottleneck's time of a packet"}
	if r.Separate {
		names = []string{"Σβ", "Στ", "β of the bottleneck", "τ of the bottleneck"}
	}
	for i := range v {
		if v[i] < -1e-9*math.Abs(v[0]) {
			return nil, fmt.Errorf("%s: %s would be %.4g, below zero: these are not the times of equal packets in one pipeline, or another stage is the bottleneck at small packets", r.Name, names[i], v[i])
		}
	}
	if r.Separate {
		r.SumBeta, r.SumTau, r.Beta, r.Tau = micros(v[0], d[0]), perByte(1), micros(v[2], d[2]), perByte(3)
		r.Warnings = append(r.Warnings, "the sums are over all stages: how the other stages share them is not in end-to-end times")
	} else {
		r.Packet, r.Fill = micros(v[1], d[1]), micros(v[0]-v[1], math.Hypot(d[0], d[1]))
		r.Warnings = append(r.Warnings, fmt.Sprintf("one packet size only (%v): β and τ of the bottleneck are known as β + pτ; measure with a second packet size", r.Packets[0]))
		if v[0] < v[1] {
			return nil, fmt.Errorf("%s: the fill of the pipe would be %v: the first packet takes less than the bottleneck's time of a packet", r.Name, r.Fill.Value)
		}
	}
	return r, nil
}

// wholePackets sets the name and the packet sizes of the tables. It returns their points, p and K−1
// of each, and the number of sizes that are not at least two whole packets.
func (r *EndToEndResult) wholePackets(tables []*benchfile.Table) (points []Point, packets, counts []float64, left int, err error) {
	for _, t := range tables {
		if t.Packet <= 0 || t.Kind != benchfile.OneWay && t.Kind != benchfile.RoundTrip {
			continue
		}
		all, _, _, err := prepare(t)
		if err != nil {
			return nil, nil, nil, 0, err
		}
		r.Name = t.Name()
		r.Packets = append(r.Packets, t.Packet)
		for _, p := range all {
			k := float64(p.Size / t.Packet)
			if k < 2 || k != math.Trunc(k) {
				left++
				continue
			}
			points, packets, counts = append(points, p), append(packets, float64(t.Packet)), append(counts, k-1)
		}
	}
	r.Packets = stats.Ascending(r.Packets)
	return points, packets, counts, left, nil
}

// leastSquares fits a linear model by relative errors, with weights that follow the fit as in
// fitRelative, and sets Fitted. It returns the parameters and half the widths of their 95 %
// intervals.
func leastSquares(points []Point, columns func(i int) []float64, parameters int) (v, half []float64, err error) {
	n := len(points)
	a, y := mat.NewDense(n, parameters, nil), mat.NewVecDense(n, nil)
	var x mat.VecDense
	var qr mat.QR
	fitted := make([]float64, n)
	for i, p := range points {
		fitted[i] = float64(p.Time)
	}
	scale := make([]float64, parameters) // columns of one size, for the condition
	for i := range n {
		for j, c := range columns(i) {
			scale[j] = max(scale[j], math.Abs(c)/fitted[i])
		}
	}
	for range 20 {
		for i, p := range points {
			w := math.Sqrt(float64(p.Count)) / fitted[i]
			for j, c := range columns(i) {
				a.Set(i, j, w*c/scale[j])
			}
			y.SetVec(i, w*float64(p.Time))
		}
		qr.Factorize(a)
		if err := qr.SolveVecTo(&x, false, y); err != nil {
			return nil, nil, fmt.Errorf("%w: the sizes and packets measured do not identify the parameters (%v): vary both", ErrNoData, err)
		}
		for i := range points {
			fitted[i] = 0
			for j, c := range columns(i) {
				fitted[i] += c * x.AtVec(j) / scale[j]
			}
			fitted[i] = max(fitted[i], float64(points[i].Time)/10)
		}
	}
	var ss float64
	for i := range points {
		points[i].Fitted = quantity.Micros(fitted[i])
		e := float64(points[i].Time)/fitted[i] - 1
		ss += float64(points[i].Count) * e * e
	}
	var normal, inverse mat.Dense
	normal.Mul(a.T(), a)
	v, half = make([]float64, parameters), make([]float64, parameters)
	invertible := inverse.Inverse(&normal) == nil
	for j := range v {
		v[j], half[j] = x.AtVec(j)/scale[j], math.Inf(1)
		if n > parameters && invertible {
			half[j] = stats.T95(float64(n-parameters)) * math.Sqrt(ss/float64(n-parameters)*inverse.At(j, j)) / scale[j]
		}
	}
	return v, half, nil
}
