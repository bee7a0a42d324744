package fit

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// table makes a table of times at sizes.
func table(sizes []float64, time func(n float64) float64) *benchfile.Table {
	t := &benchfile.Table{Title: "test", Format: "csv"}
	for i, n := range sizes {
		v := quantity.Micros(time(n))
		t.Samples = append(t.Samples, benchfile.Sample{Size: quantity.Bytes(n), Count: 1, Mean: v, Min: v, Max: v, Median: v, Line: i + 1})
	}
	return t
}

// sizes are n different sizes from lo to hi, evenly spread over the decades.
func sizes(n int, lo, hi float64) []float64 {
	s := make([]float64, n)
	for i := range s {
		s[i] = math.Round(lo * math.Pow(hi/lo, float64(i)/float64(n-1)))
		if i > 0 && s[i] <= s[i-1] {
			s[i] = s[i-1] + 1
		}
	}
	return s
}

func readTable(t *testing.T, name string) *benchfile.Table {
	t.Helper()
	f, err := benchfile.Open(filepath.Join("benchfile", "testdata", name), benchfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return &f.Tables[0]
}

func near(got, want, tolerance float64) bool {
	return math.Abs(got-want) <= tolerance*math.Max(math.Abs(want), math.SmallestNonzeroFloat64)
}

// Without noise the planted line comes back, by every method, for the costs of
// fast and slow systems.
func TestLinearExact(t *testing.T) {
	for _, m := range Methods {
		for _, beta := range []float64{0.01, 1, 500} {
			for _, tau := range []float64{1e-5, 0.01, 2} {
				r, err := Linear(table(sizes(21, 1, 1<<20), func(n float64) float64 { return beta + tau*n }), m)
				if err != nil {
					t.Fatal(err)
				}
				s := r.Segments[0]
				if !near(float64(s.Beta.Value), beta, 1e-7) || !near(float64(s.Tau.Value), tau, 1e-12) {
					t.Errorf("%s: β %v τ %v, want %v %v", m, s.Beta, s.Tau, beta, tau)
				}
				if r.Worst > 1e-7 || r.R2 < 1-1e-12 || len(r.Warnings) > 0 {
					t.Errorf("%s β %v τ %v: worst %v, r² %v, warnings %q", m, beta, tau, r.Worst, r.R2, r.Warnings)
				}
				if !near(float64(s.NHalf()), beta/tau, 1e-6) || !near(float64(s.RInf()), 1/tau, 1e-12) {
					t.Errorf("%s: n½ %v r∞ %v, want %v %v", m, s.NHalf(), s.RInf(), beta/tau, 1/tau)
				}
			}
		}
	}
}

// The values are numpy's, on the same points:
//
//	d = np.loadtxt('netpipe-3.7.2-tcp-loopback.np.out'); n, t = d[:,0], d[:,2]*1e6
//	(tau, beta), cov = np.polyfit(n, t, 1, w=w, cov=True)
//	np.sqrt(cov[1,1]), np.sqrt(cov[0,0])
//
// with w = 1 for ordinary, and for relative w = 1/t, then 300 times w =
// 1/(beta+tau*n). Numpy 1.24.2. These standard errors are those of independent errors; the
// intervals of relative are wider, since those of this file follow each other. Those of ordinary
// are of errors in proportion to the time, which this file has.
func TestLinearNumpy(t *testing.T) {
	check := func(m Method, beta, tau, betaError, tauError float64) {
		t.Helper()
		r, err := Linear(readTable(t, "netpipe-3.7.2-tcp-loopback.np.out"), m)
		if err != nil {
			t.Fatal(err)
		}
		w, squares := make([]float64, len(r.Points)), 0.0
		for i, p := range r.Points {
			w[i] = 1
			if m == Relative {
				w[i] = 1 / float64(p.Fitted*p.Fitted)
			}
			squares += w[i] * math.Pow(float64(p.Time-p.Fitted), 2)
		}
		l := solve(r.Points, w)
		l.setVariances(0, squares, r.Points, w)
		for _, v := range []struct {
			name           string
			got, want, tol float64
		}{
			{"β", l.beta.Value, beta, 1e-9}, {"τ", l.tau.Value, tau, 1e-9}, {"the fit's β", float64(r.Segments[0].Beta.Value), beta, 1e-9},
			{"the error of β", math.Sqrt(l.varBeta), betaError, 1e-8}, {"of τ", math.Sqrt(l.varTau), tauError, 1e-8},
		} {
			if !near(v.got, v.want, v.tol) {
				t.Errorf("%s: %s is %v, numpy's is %v", m, v.name, v.got, v.want)
			}
		}
		s := r.Segments[0]
		if b, f := math.Sqrt(l.varBeta)*1.983037526, float64(s.Beta.High-s.Beta.Value); m == Relative && f < 1.2*b {
			t.Errorf("%s: errors follow each other, but the interval of β is ±%v, and ±%v if they did not", m, f, b)
		}
	}
	check(Ordinary, 7.550110066698006, 0.00021717131254289407, 0.7234894570473104, 2.8414840166637793e-06)
	check(Relative, 9.051669903176942, 0.00019218499844481736, 0.1271894856005578, 4.936071008655328e-06)
}

// β and τ are never negative, and the result says that they were held.
func TestLinearBounds(t *testing.T) {
	check := func(time func(n float64) float64, m Method, want string) {
		t.Helper()
		r, err := Linear(table(sizes(20, 1, 1<<20), time), m)
		if err != nil {
			t.Fatal(err)
		}
		s := r.Segments[0]
		if s.Beta.Value < 0 || s.Tau.Value < 0 || s.Beta.Low < 0 || s.Tau.Low < 0 ||
			s.Beta.Value < s.Beta.Low || s.Beta.Value > s.Beta.High || s.Tau.Value < s.Tau.Low || s.Tau.Value > s.Tau.High {
			t.Errorf("β %v τ %v", s.Beta, s.Tau)
		}
		if all := strings.Join(r.Warnings, "\n"); !strings.Contains(all, want) {
			t.Errorf("warnings are %q; want %q", all, want)
		}
	}
	check(func(n float64) float64 { return 1e-6*n*n + 1e-3 }, Ordinary, "below zero")
	check(func(n float64) float64 { return 100 - n/(1<<14) }, Ordinary, "fall with size")
	check(func(n float64) float64 { return 100 - n/(1<<14) }, Relative, "fall with size")
}

// One line over a file with three protocols must say that it is wrong.
func TestOneLineIsWrong(t *testing.T) {
	for _, name := range []string{"netpipe-3.7.2-openmpi-4.1.4-sm.np.out", "netpipe-3.7.2-tcp-loopback.np.out"} {
		for _, m := range []Method{Relative, Ordinary} {
			r, err := Linear(readTable(t, name), m)
			if err != nil {
				t.Fatal(err)
			}
			if all := strings.Join(r.Warnings, "\n"); !strings.Contains(all, "one line is wrong for this file") {
				t.Errorf("%s, %s: warnings are %q", name, m, all)
			}
		}
	}
	// A kink of a few per cent is found by the runs of signs.
	r, err := Linear(table(sizes(40, 1, 1<<16), func(n float64) float64 { return 10 + n/1000 + 0.15*math.Log(n) }), Relative)
	if err != nil {
		t.Fatal(err)
	}
	if all := strings.Join(r.Warnings, "\n"); !strings.Contains(all, "does not follow these points") {
		t.Errorf("warnings are %q", all)
	}
}

func TestLinearRefuses(t *testing.T) {
	check := func(tab *benchfile.Table, want string) {
		t.Helper()
		if _, err := Linear(tab, Relative); err == nil || err.Error() != want {
			t.Errorf("got %v\nwant %s", err, want)
		}
	}
	one := func(float64) float64 { return 1 }
	check(table(nil, one), "test: cannot be fitted: no size above 0; a line takes at least 2 sizes, and 10 over a factor of 100 to be trusted")
	check(table([]float64{0, 64}, one), "test: cannot be fitted: one size only (64 B); a line takes at least 2 sizes, and 10 over a factor of 100 to be trusted")
	check(table([]float64{1, 2}, func(float64) float64 { return math.NaN() }), "test: cannot be fitted: size 1 B takes NaN µs")
	if _, err := Linear(table([]float64{1, 2}, one), "cubic"); err == nil || err.Error() != `unknown method "cubic"; choose from likeliest, relative, ordinary and huber` {
		t.Error(err)
	}
}

// A round trip is twice a one-way time, and an empty message is no point.
func TestRoundTripHalved(t *testing.T) {
	tab := table(append([]float64{0}, sizes(20, 1, 1<<16)...), func(n float64) float64 { return 2 * (5 + n/100) })
	tab.Kind = benchfile.RoundTrip
	r, err := Linear(tab, Relative)
	if err != nil {
		t.Fatal(err)
	}
	if s := r.Segments[0]; !near(float64(s.Beta.Value), 5, 1e-9) || r.Kind != benchfile.OneWay || s.Points != 20 {
		t.Errorf("β %v of %v over %d points", s.Beta, r.Kind, s.Points)
	}
	if got := strings.Join(r.Warnings, "\n"); got != "the times are round trips: halved\nthe empty message (size 0) is left out" {
		t.Errorf("warnings are %q", got)
	}
}

// Rows at one size weigh as rows: the line is that through all of them.
func TestRepeatedSizes(t *testing.T) {
	tab := table([]float64{1, 1000, 2000}, func(n float64) float64 { return 10 + n })
	tab.Samples[1].Mean, tab.Samples[1].Count = 1040, 3 // as three rows that average 1040
	r, err := Linear(tab, Ordinary)
	if err != nil {
		t.Fatal(err)
	}
	// np.polyfit([1,1000,1000,1000,2000], [11,1040,1040,1040,2010], 1)
	if s := r.Segments[0]; !near(float64(s.Beta.Value), 28.009010807202834, 1e-9) || !near(float64(s.Tau.Value), 0.9999909909945983, 1e-9) {
		t.Errorf("β %.16v τ %.16v", float64(s.Beta.Value), float64(s.Tau.Value))
	}
}

// Rows that scatter by a factor of 5, whose means are on a line by chance, do not make a certain τ.
func TestScatteredRows(t *testing.T) {
	text := "# OSU MPI Latency Test v5.8\n# Size          Latency (us)\n"
	for n := 1; n <= 64; n *= 2 {
		low := 1 + 0.1*math.Log2(float64(n))
		text += fmt.Sprintf("%d %.1f\n%d %.4f\n", n, low, n, 6+0.025*float64(n)-low)
	}
	f, err := benchfile.Read(strings.NewReader(text), "x", benchfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []Method{Relative, Ordinary, Huber} {
		s := fitted(t)(Linear(&f.Tables[0], m)).Segments[0]
		// Seven pairs whose halves differ by 2 to 4 µs: a deviation of about 2 µs, of a mean of
		// two 1.5 µs, so that τ over 63 B is uncertain by more than it is, 0.0125 µs/B.
		if s.Tau.Low > 0 || s.Tau.High < 0.025 {
			t.Errorf("%s: τ = %v", m, s.Tau)
		}
	}
}
