package forecast

import "math"

// Terms holds the terms of a weighted sum, which is the logarithm of the factor of an interval, in
// the order of the names below.
type Terms [7]float64

const (
	// floor is 1 between measured sizes; above them the distance in octaves, below them the
	// distance as a share of the first size.
	floor = iota
	// residual is the error of predicting the curve's own held-out sizes, multiplied by the
	// distance outside the measured sizes.
	residual
	// side is the distance from the middle to the farthest other prediction on that side.
	side
	// jump is the distance between the two sides of a gap. Above the measured sizes it is the
	// difference of the curve's slope from proportionality, times the distance: a curve that is
	// still flat has its protocol changes ahead.
	jump
	// grain is half of a step of the printed times.
	grain
	// noisy is the effect of the curve's noise on the prediction.
	noisy
	// wide is the width of a gap in octaves; outside the measured sizes the deviation of the sizes
	// next to the end from their line.
	wide
)

func (k Terms) dot(v Terms) (sum float64) {
	for i := range k {
		sum += k[i] * v[i]
	}
	return sum
}

// A Guess is a prediction of the logarithm of a time, with the terms of the logarithms of
// High/Middle and of Middle/Low.
type Guess struct {
	Middle   float64
	Up, Down Terms
}

// Parts holds the components of a prediction.
type Parts struct {
	From        Way
	Own, Shapes Guess   // from the curve itself, and from the shapes of other curves
	Low, High   float64 // logarithms of the times of a level and a proportional curve
	Bottom, Top float64 // logarithms of the two sides of a jump; else 0
	Width       float64 // of the gap, or above the measured sizes; in octaves
	Share       float64 // applicable share of the error of both
	Run         float64 // logarithm of the 95 % factor between runs
	Noise       float64 // logarithm of the 95 % factor of the noise of the sizes next to it
	Repeated    bool    // Run comes from the curve's own runs
}

// Half returns the logarithm of the factor between the middle and an end of an interval, from the
// weighted sum of the terms. At a measured size it is the difference between runs. The weights were
// learned from held-out sizes of the same run, so the difference between a curve's own runs is
// added. The sum is at least least.
func (p *Parts) Half(sum, least float64) float64 {
	sum = max(sum, least)
	switch {
	case p.From == Above || p.From == Below:
		return math.Hypot(p.Run, math.Hypot(p.Noise, sum))
	case p.Repeated:
		return math.Hypot(p.Run, p.Share*sum)
	}
	return p.Run + p.Share*(math.Hypot(p.Noise, sum)-p.Run)
}

// Up returns the distance from a middle to the upper side of a jump; 0 elsewhere.
func (p *Parts) Up(middle float64) float64 {
	if p.From != Jump {
		return 0
	}
	return max(0, p.Top-middle) + sides
}

// Down is like Up, for the lower side.
func (p *Parts) Down(middle float64) float64 {
	if p.From != Jump {
		return 0
	}
	return max(0, middle-p.Bottom) + sides
}

// sides is the distance of the ends of an interval from the two sides of a jump.
const sides = 0.02

// Weights holds the weights of the terms of the two predictions, and of their combination: its own
// error, and the distance between the two.
type Weights struct{ Own, Shapes, Up, Down Terms }

// Combine combines the two predictions with their inverse squared errors as weights. The first term
// of the result is the sum of its terms.
func (w *Weights) Combine(p Parts) Guess {
	g := w.Blend(p)
	g.Up[0], g.Down[0] = w.Up.dot(g.Up), w.Down.dot(g.Down)
	return g
}

// Blend is Combine without the sum of the terms.
func (w *Weights) Blend(p Parts) Guess {
	u1, d1 := w.Own.dot(p.Own.Up), w.Own.dot(p.Own.Down)
	u2, d2 := w.Shapes.dot(p.Shapes.Up), w.Shapes.dot(p.Shapes.Down)
	a, b := 1/(u1+d1)/(u1+d1), 1/(u2+d2)/(u2+d2)
	if !(u2+d2 > 0) || a > 1e12 {
		a, b = 1, 0
	}
	a, b = a/(a+b), b/(a+b)
	g := Guess{Middle: a*p.Own.Middle + b*p.Shapes.Middle}
	g.Up[0], g.Down[0] = u1, d1
	if b > 0 {
		g.Up[0] = 1 / math.Sqrt(1/(u1*u1+1e-12)+1/(u2*u2+1e-12))
		g.Down[0] = 1 / math.Sqrt(1/(d1*d1+1e-12)+1/(d2*d2+1e-12))
	}
	apart := math.Sqrt(a*b) * math.Abs(p.Own.Middle-p.Shapes.Middle)
	g.Up[1], g.Down[1] = apart, apart
	g.Up[2], g.Down[2] = max(0, p.High-g.Middle), max(0, g.Middle-p.Low)
	return g
}

// A Calibration holds the statistics of many curves that predictions of any other curve use.
type Calibration struct {
	// Inside, Above and Below are the weights of the terms for sizes between, above and below the
	// measured ones; Run holds those for another run at a measured size.
	Inside, Wide, Above, Far, Below Weights
	Run                             Terms
	// Breaks is the relative frequency of jumps in each octave from 2^i.
	Breaks [32]float64
	// Library holds the shapes of published curves.
	Library []Shape `json:",omitempty"`
}

// far is the width of a gap, and the distance above the measured sizes, in octaves, above which the
// weights for few sizes apply.
const far = 2.5

func (k *Calibration) weights(p *Parts) *Weights {
	switch {
	case p.From == Above && p.Width > far:
		return &k.Far
	case p.From == Above:
		return &k.Above
	case p.From == Below:
		return &k.Below
	case p.Width > far:
		return &k.Wide
	}
	return &k.Inside
}

// breaks returns the frequency of jumps between sizes a < b.
func (k *Calibration) breaks(a, b float64) float64 { return k.upTo(b) - k.upTo(a) }

func (k *Calibration) upTo(n float64) (sum float64) {
	x := math.Log2(n)
	i := 0
	for ; i < len(k.Breaks)-1 && float64(i+1) <= x; i++ {
		sum += k.Breaks[i]
	}
	return sum + (x-float64(i))*k.Breaks[i]
}
