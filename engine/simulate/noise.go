package simulate

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// Noise describes the time that the operating system takes from the processors. It lengthens
// computations and the overheads of messages. The zero Noise takes no time.
type Noise struct {
	trace *noiseTrace // nil for random detours and for none

	// The means of random detours: the length of one, and the processor time between two.
	mean, every quantity.Micros
}

// A noiseSource is the noise of one run.
type noiseSource interface {
	// delay returns the noise, in ticks, on a rank's processor in the interval of length ticks that
	// begins at tick at.
	delay(rank uint32, at, length uint64) uint64
}

// noise is a source or, without one, no noise, as in most runs.
type noise struct{ source noiseSource }

func (n noise) delay(rank uint32, at, length uint64) uint64 {
	if n.source == nil {
		return 0
	}
	return n.source.delay(rank, at, length)
}

func (n Noise) start(ranks int, seed uint64, nano float64) noise {
	switch {
	case n.trace != nil:
		return noise{n.trace.start(ranks, seed, uint64(nano))}
	case n.every > 0:
		return noise{n.startDetours(ranks, seed, nano)}
	}
	return noise{}
}

// A random is a generator of random numbers (SplitMix64: Steele, Lea, Flood 2014).
type random uint64

func (r *random) next() uint64 {
	*r += 0x9E3779B97F4A7C15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

func (r *random) uniform() float64 { return float64(r.next()>>11+1) / (1 << 53) }

// seeds returns a generator for each rank, so that the order in which ranks act does not matter.
func seeds(ranks int, seed uint64) []random {
	list := make([]random, ranks)
	for rank := range list {
		r := random(seed + uint64(rank)*0xD1B54A32D192ED03)
		list[rank] = random(r.next())
	}
	return list
}

// exponential draws from the exponential distribution with a mean of 1.
func (r *random) exponential() float64 { return -math.Log(r.uniform()) }

// parseNoise reads the means of random detours: "exponential mean=10us every=1ms". A detour comes
// once in every µs of a processor's time, and takes mean µs. Both times are exponentially
// distributed.
func parseNoise(text string) (Noise, error) {
	name, rest, _ := strings.Cut(strings.ReplaceAll(text, ",", " "), " ")
	if name != "exponential" {
		return Noise{}, fmt.Errorf("noise %q: the distribution is exponential; "+
			"write for example exponential mean=10us every=1ms", text)
	}
	var n Noise
	for _, field := range strings.Fields(rest) {
		key, value, _ := strings.Cut(field, "=")
		var err error
		switch key {
		case "mean":
			n.mean, err = quantity.ParseMicros(value)
		case "every":
			n.every, err = quantity.ParseMicros(value)
		default:
			err = errors.New("no such parameter; write mean and every")
		}
		if err != nil {
			return Noise{}, fmt.Errorf("noise: %q: %w", key, err)
		}
	}
	if !(n.mean > 0 && n.every > 0) {
		return Noise{}, fmt.Errorf("noise %q: give mean=TIME and every=TIME, both above 0", text)
	}
	if n.mean > 1e3*n.every {
		return Noise{}, fmt.Errorf("noise: detours of %s each %s leave no processor time; "+
			"shorten mean or lengthen every", n.mean, n.every)
	}
	return n, nil
}

// detours are a Poisson process in a processor's busy time.
type detours struct {
	Noise
	tick  float64 // µs
	ranks []random
	left  []float64 // µs to the next detour, by rank
}

func (n Noise) startDetours(ranks int, seed uint64, nano float64) *detours {
	d := &detours{
		Noise: n,
		tick:  1 / (nano * nanos),
		ranks: seeds(ranks, seed),
		left:  make([]float64, ranks),
	}
	for i := range d.left {
		d.left[i] = d.ranks[i].exponential() * float64(d.every)
	}
	return d
}

func (d *detours) delay(rank uint32, _, length uint64) uint64 {
	r, left := &d.ranks[rank], d.left[rank]-float64(length)*d.tick
	sum := 0.0
	for n := 0; left < 0; n++ {
		// The sum of a thousand or more detours is close to so many means, and a computation of a
		// year would otherwise take a year's draws.
		if n == 1000 {
			many := math.Floor(-left / float64(d.every))
			sum += many
			left += many * float64(d.every)
		}
		sum += r.exponential()
		left += r.exponential() * float64(d.every)
	}
	d.left[rank] = left
	return uint64(min(sum*float64(d.mean), float64(longest)) / d.tick)
}

// A noiseTrace is a recording of detours: their start times and lengths in ns.
type noiseTrace struct {
	begin, length []uint64
	total         uint64 // sum of all lengths except the first, in ns
	together      bool
}

const maxDetours = 1 << 24

// maxTraced bounds the times of a trace, and their sum, in ns: ticks are ps, and their sums must
// not overflow.
const maxTraced = 1e3 * float64(longest)

// readDetours reads a trace of noise as LogGOPSim does: pairs of numbers, start and length of each
// detour in ns, in the order of time. Each rank starts at a random point of the trace; if together
// is set, all ranks start at the same one. At its end the trace begins again. Errors begin with
// name and line.
func readDetours(r io.Reader, name string, together bool) (Noise, error) {
	t := &noiseTrace{together: together}
	in := bufio.NewScanner(r)
	line := 0
	for in.Scan() {
		line++
		for word := range strings.FieldsSeq(in.Text()) {
			if err := t.take(word); err != nil {
				return Noise{}, fmt.Errorf("%s:%d: %w", name, line, err)
			}
		}
	}
	if err := in.Err(); err != nil {
		if errors.Is(err, bufio.ErrTooLong) {
			err = fmt.Errorf("the line is longer than %d bytes: "+
				"write start and length of a detour on each line", bufio.MaxScanTokenSize)
		}
		return Noise{}, fmt.Errorf("%s:%d: %w", name, line+1, err)
	}
	n := len(t.begin)
	if n > len(t.length) {
		return Noise{},
			fmt.Errorf("%s:%d: the detour at %d ns has no length", name, line, t.begin[n-1])
	}
	if n < 2 || t.begin[n-1] == 0 {
		return Noise{}, fmt.Errorf("%s: a noise trace needs at least 2 detours, "+
			"the last one after 0 ns (got %d)", name, n)
	}
	t.begin, t.length = slices.Clip(t.begin), slices.Clip(t.length)
	for _, d := range t.length[1:] {
		if t.total += d; float64(t.total) > maxTraced {
			return Noise{}, fmt.Errorf("%s: the detours take more than 12 days in all", name)
		}
	}
	return Noise{trace: t}, nil
}

// take adds the next number of a trace: the start of a detour, or the length of the last one.
func (t *noiseTrace) take(word string) error {
	v, err := strconv.ParseUint(word, 10, 63)
	if err != nil {
		return fmt.Errorf("invalid time in ns %.40q: "+
			"write start and length of a detour on each line", word)
	}
	if float64(v) > maxTraced {
		return fmt.Errorf("%d ns; the longest time of a trace is 12 days", v)
	}
	n := len(t.begin)
	switch {
	case len(t.length) < n:
		t.length = append(t.length, v)
		return nil
	case n > 0 && v < t.begin[n-1]:
		return fmt.Errorf("the detour at %d ns comes after the one at %d ns; sort them", v,
			t.begin[n-1])
	case n == maxDetours:
		return fmt.Errorf("more than %d detours", maxDetours)
	}
	t.begin = append(t.begin, v)
	return nil
}

type traced struct {
	*noiseTrace
	nano   uint64
	offset []uint64 // by rank; a single offset if all ranks start together
}

func (t *noiseTrace) start(ranks int, seed uint64, nano uint64) traced {
	if t.together {
		ranks = 1
	}
	n := traced{t, nano, make([]uint64, ranks)}
	for i, r := range seeds(ranks, seed) {
		n.offset[i] = r.next() % (t.begin[len(t.begin)-1] + 1)
	}
	return n
}

// delay adds up the detours that begin in the interval, and the rest of a detour in which it
// begins. As in LogGOPSim, the first detour counts only where the trace begins again, and detours
// do not lengthen the interval.
func (n traced) delay(rank uint32, at, length uint64) uint64 {
	at, length = at/n.nano, length/n.nano
	offset := n.offset[0]
	if len(n.offset) > 1 {
		offset = n.offset[rank]
	}
	last := len(n.begin) - 1
	period := n.begin[last]
	x := at + offset
	if length != period {
		x %= period - length
	}
	end := x + length
	sum, pos := uint64(0), 0
	if x > n.begin[0] {
		pos = sort.Search(len(n.begin), func(i int) bool { return n.begin[i] > x }) - 1
		if until := n.begin[pos] + n.length[pos]; until > x {
			sum = until - x
		}
	}
	// around begins the trace again, as often as the interval goes through all of it.
	around := func() {
		pos = 0
		if end > period {
			times := (end - 1) / period
			sum += times * n.total
			end -= times * period
		}
	}
	if pos == last {
		end -= period
	}
	if pos == 0 || pos == last {
		around()
	}
	for end > n.begin[pos+1] {
		pos++
		sum += n.length[pos]
		if pos == last {
			end -= period
			around()
		}
	}
	return sum * n.nano
}
