package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// plantedRows returns rows like those of a collective: columns of very different sizes, and values
// with some noise. Each parameter but the first is 0 in half of the cases.
func plantedRows(random *rand.Rand) (rows [][MaxColumns]float64, y, w []float64) {
	planted := [MaxColumns]float64{3, 0.5 * float64(random.IntN(2)), 0.02 * float64(random.IntN(2)), 1e-4 * float64(random.IntN(2))}
	for range 6 + random.IntN(40) {
		ranks, size := math.Exp2(float64(1+random.IntN(10))), math.Exp2(float64(random.IntN(24)))
		x := [MaxColumns]float64{1, math.Log2(ranks), random.Float64() * ranks, size * (ranks - 1) / ranks}
		t := (planted[0] + planted[1]*x[1] + planted[2]*x[2] + planted[3]*x[3]) * math.Exp(0.2*random.NormFloat64())
		rows, y, w = append(rows, x), append(y, t), append(w, (0.5+random.Float64())/(t*t))
	}
	return rows, y, w
}

func gramOf(rows [][MaxColumns]float64, y, w []float64) (g Gram) {
	for i := range rows {
		g.Add(&rows[i], y[i], w[i])
	}
	return g
}

// Over any set of columns the parameters, the sum of squares and the inverse are those of gonum's
// QR decomposition of the rows. Normal equations lose twice as many digits as QR.
func TestSolve(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		rows, y, w := plantedRows(random)
		g := gramOf(rows, y, w)
		set := 1 + random.IntN(1<<MaxColumns-1)
		var of []int
		for k := range MaxColumns {
			if set>>k&1 == 1 {
				of = append(of, k)
			}
		}
		a, b := mat.NewDense(len(rows), len(of), nil), mat.NewVecDense(len(rows), nil)
		for i, x := range rows {
			for j, k := range of {
				a.Set(i, j, x[k]*math.Sqrt(w[i]))
			}
			b.SetVec(i, y[i]*math.Sqrt(w[i]))
		}
		var want, e mat.VecDense
		if err := want.SolveVec(a, b); err != nil {
			continue // columns of random ranks may be alike
		}
		e.MulVec(a, &want)
		e.SubVec(b, &e)
		var normal, inverse mat.Dense
		normal.Mul(a.T(), a)
		s, got, ok := g.Solve(set, 1e-12)
		if !ok || inverse.Inverse(&normal) != nil {
			continue
		}
		if squares := mat.Dot(&e, &e); math.Abs(s.Squares-squares) > 1e-9*squares {
			t.Errorf("set %b: squares %v, want %v", set, s.Squares, squares)
		}
		for j, k := range of {
			d := math.Sqrt(inverse.At(j, j)) // a parameter is known to no more than this
			if math.Abs(s.Value[k]-want.AtVec(j)) > 1e-8*(math.Abs(want.AtVec(j))+d) {
				t.Errorf("set %b: parameter %d is %v, want %v", set, k, s.Value[k], want.AtVec(j))
			}
			if math.Abs(got[k][k]-inverse.At(j, j)) > 1e-8*inverse.At(j, j) {
				t.Errorf("set %b: inverse of %d is %v, want %v", set, k, got[k][k], inverse.At(j, j))
			}
		}
	}
}

// The best subset is the minimum under the bounds: there, the squares fall with no parameter that
// is 0 and stay with the others (Karush, Kuhn and Tucker).
func TestNonNegativeColumns(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	held := 0
	for range 500 {
		rows, y, w := plantedRows(random)
		g := gramOf(rows, y, w)
		s := g.NonNegative(1<<MaxColumns-1, 1e-12)
		for k := range MaxColumns {
			if s.Value[k] < 0 {
				t.Fatalf("parameter %d is %v", k, s.Value[k])
			}
			slope, length := 0.0, 0.0 // of half of the squares, in the direction of the parameter
			for i, x := range rows {
				e := y[i]
				for j, v := range s.Value {
					e -= v * x[j]
				}
				slope -= w[i] * x[k] * e
				length += w[i] * x[k] * x[k]
			}
			if slope /= math.Sqrt(length * float64(len(rows))); slope < -1e-8 || s.Value[k] > 0 && slope > 1e-8 {
				t.Errorf("parameter %d is %v, where the squares have the slope %v", k, s.Value[k], slope)
			}
			if s.Value[k] == 0 {
				held++
			}
		}
	}
	if held < 100 {
		t.Errorf("%d parameters at their bound only", held)
	}
}

// A column that is empty or a multiple of another is not identifiable.
func TestGramBounds(t *testing.T) {
	var g Gram
	for _, n := range []float64{1, 2, 5} {
		g.Add(&[MaxColumns]float64{1, 0, 2, n}, 3+2*n, 1)
	}
	for set, want := range map[int]bool{0b0001: true, 0b0010: false, 0b0101: false, 0b1001: true, 0b1100: true} {
		if _, _, ok := g.Solve(set, 1e-9); ok != want {
			t.Errorf("set %04b: %v, want %v", set, ok, want)
		}
	}
	if s := g.NonNegative(0b1111, 1e-9); math.Abs(s.Value[3]-2) > 1e-12 || s.Columns != 0b1001 {
		t.Errorf("no bound: %+v", s)
	}
	if s := g.NonNegative(0b0010, 1e-9); !math.IsInf(s.Squares, 1) || s.Columns != 0 {
		t.Errorf("an empty column: %+v", s)
	}
}

func BenchmarkNonNegative(b *testing.B) {
	rows, y, w := plantedRows(rand.New(rand.NewPCG(1, 2)))
	g := gramOf(rows, y, w)
	for b.Loop() {
		g.NonNegative(1<<MaxColumns-1, 1e-7)
	}
}
