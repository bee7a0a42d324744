package forecast

import "math"

// Terms are the terms of a weighted sum, the logarithm of an interval's factor. They are in the
// order of the names below.
type Terms [7]float64

const (
	// floor is 1 between measured sizes; beyond them the distance: in octaves above, as the
	// share of the first size below.
	floor = iota
	// residual is the error of the curve's own sizes when they are left out; beyond the measured
	// sizes it is multiplied by the distance.
	residual
	// side is the distance from the middle to the farthest other prediction on that side.
	side
	// jump is the distance between the two sides of a gap; above the measured sizes, how far the
	// curve is from being proportional to the size, times the distance: a curve that is still flat
	// has its protocol changes ahead.
	jump
	// grain is half of a step of the printed times.
	grain
	// noisy is the curve's noise, as it passes through the prediction.
	noisy
	// wide is the width of a gap in octaves; beyond the measured sizes the deviation of the sizes
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

// Parts are what a prediction is combined from.
type Parts struct {
	From        Way
	Own, Shapes Guess   // from the curve itself, and from the shapes of other curves
	Low, High   float64 // logarithms of times between which a curve that is level to proportional stays
	Bottom, Top float64 // logarithms of the two sides of a jump; else 0
	Width       float64 // of the gap, or above the measured sizes; in octaves
	Share       float64 // of the error of the two that applies
	Run         float64 // logarithm of the 95 % factor between runs
	Noise       float64 // logarithm of the 95 % factor of the noise of the sizes next to it
	Repeated    bool    // Run comes from the curve's own runs
}

// Half returns the logarithm of the factor between the middle and an end of an interval, from the
// weighted sum of the terms. At a measured size it is the difference between runs. Held-out sizes,
// from which the weights were learned, are of the same run: a curve's own runs add to them. The sum
// is at least least.
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

// Up and Down are the distances from a middle to the sides of a jump; 0 elsewhere.
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

// sides is how far an interval reaches beyond the two sides of a jump.
const sides = 0.02

// Weights weigh the terms of the two predictions, and those of their combination: its own error,
// and how far the two are apart.
type Weights struct{ Own, Shapes, Up, Down Terms }

// Combine weighs the two predictions by their inverse squared errors. The first term of the result
// is the sum of its terms.
func (w *Weights) Combine(p Parts) Guess {
	g := w.Blend(p)
	g.Up[0], g.Down[0] = w.Up.dot(g.Up), w.Down.dot(g.Down)
	return g
}

// Blend is Combine before the terms are summed up.
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

// A Calibration is what many curves have taught about any one of them.
type Calibration struct {
	// Inside, Above and Below are the weights of the terms for sizes between the measured ones,
	// above and below them; Run are those for another run at a measured size.
	Inside, Wide, Above, Far, Below Weights
	Run                             Terms
	// Breaks tells, for each octave from 2^i on, how often curves jump there, to
	// compare with other octaves.
	Breaks [32]float64
	// Library are the shapes of published curves.
	Library []Shape `json:",omitempty"`
}

// far is the width of a gap, and the distance above the measured sizes, in octaves, from which on
// the weights are those of few sizes.
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

// breaks is how often curves jump between sizes a < b.
func (k *Calibration) breaks(a, b float64) float64 { return k.upTo(b) - k.upTo(a) }

func (k *Calibration) upTo(n float64) (sum float64) {
	x := math.Log2(n)
	i := 0
	for ; i < len(k.Breaks)-1 && float64(i+1) <= x; i++ {
		sum += k.Breaks[i]
	}
	return sum + (x-float64(i))*k.Breaks[i]
}
