package simulate

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/halfpeak/halfpeak/internal/formula"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// LogGOPS has the parameters of the model of that name [loggops]: LogGP with a
// time of the processor per byte, and a limit for messages that are sent at once.
// All are finite and not negative.
type LogGOPS struct {
	Latency         quantity.Micros        // L: of the network
	Overhead        quantity.Micros        // o: of a processor, for each message sent or received
	GapTime         quantity.Micros        // g: of a NIC, from a message to the next
	GapPerByte      quantity.MicrosPerByte // G: of NIC and network, for each byte but the first
	OverheadPerByte quantity.MicrosPerByte // O: of a processor, for each byte but the first
	EagerLimit      quantity.Bytes         // S: larger messages wait for their receive
}

// Defaults are LogGOPSim's default parameters.
var Defaults = LogGOPS{Latency: 2.5, Overhead: 1.5, GapTime: 1, GapPerByte: 0.006,
	EagerLimit: 65535}

// Picoseconds and nanoseconds in a µs.
const (
	picos = 1e6
	nanos = 1e3
)

// A parameter of LogGOPS by its letter.
type parameter struct {
	letter string
	get    func(*LogGOPS) *float64 // µs, µs/B or B
	dim    quantity.Dimension
}

var parameters = []parameter{
	{"L", func(m *LogGOPS) *float64 { return (*float64)(&m.Latency) }, quantity.DimTime},
	{"o", func(m *LogGOPS) *float64 { return (*float64)(&m.Overhead) }, quantity.DimTime},
	{"g", func(m *LogGOPS) *float64 { return (*float64)(&m.GapTime) }, quantity.DimTime},
	{"G", func(m *LogGOPS) *float64 { return (*float64)(&m.GapPerByte) }, quantity.DimInverse},
	{"O", func(m *LogGOPS) *float64 { return (*float64)(&m.OverheadPerByte) }, quantity.DimInverse},
	{"S", func(m *LogGOPS) *float64 { return (*float64)(&m.EagerLimit) }, quantity.DimSize},
}

// parseLogGOPS reads parameters such as "L=2500ns o=1500ns g=1000ns G=6ns/B O=0ns/B S=65535B",
// separated by spaces or commas, in any order. Parameters that are not given are those of base.
func parseLogGOPS(text string, base LogGOPS) (LogGOPS, error) {
	m := base
	given := map[string]bool{}
	separates := func(c rune) bool { return c == ' ' || c == ',' || c == '\t' }
	for item := range strings.FieldsFuncSeq(text, separates) {
		letter, value, ok := strings.Cut(item, "=")
		if !ok {
			return m, fmt.Errorf("LogGOPS parameters: %q has no value; "+
				"write L=2500ns o=1500ns g=1000ns G=6ns/B O=0ns/B S=65535B", item)
		}
		p, err := parameterOf(letter)
		if err != nil {
			return m, err
		}
		if given[letter] {
			return m, fmt.Errorf("LogGOPS parameters: %s is given twice", letter)
		}
		given[letter] = true
		v, err := formula.Eval(value, nil)
		if err == nil {
			*p.get(&m), err = p.number(v)
		}
		if err != nil {
			return m, fmt.Errorf("LogGOPS parameters: %s=%s: %w", letter, quoted(value), err)
		}
	}
	return m, m.check()
}

// number returns the value in the parameter's unit. A plain number counts as bytes.
func (p parameter) number(v quantity.Value) (float64, error) {
	if p.dim == quantity.DimSize && v.Dim == quantity.DimNone {
		v.Dim = quantity.DimSize
	}
	return v.Num, v.Check(p.dim)
}

func parameterOf(letter string) (parameter, error) {
	var letters []string
	for _, p := range parameters {
		if p.letter == letter {
			return p, nil
		}
		letters = append(letters, p.letter)
	}
	return parameter{},
		fmt.Errorf("LogGOPS has no parameter %q%s", letter, usage.Hint(letter, letters))
}

func quoted(s string) string {
	if q := fmt.Sprintf("%.40q", s); len(q) > len(s)+2 || strings.ContainsAny(s, " ,") {
		return q
	}
	return s
}

// String returns the parameters in the form that ParseLogGOPS reads.
func (m LogGOPS) String() string {
	var b strings.Builder
	for i, p := range parameters {
		if i > 0 {
			b.WriteByte(' ')
		}
		v, unit := *p.get(&m), "B"
		switch p.dim {
		case quantity.DimTime:
			v, unit = math.Round(v*picos)/nanos, "ns"
		case quantity.DimInverse:
			v, unit = math.Round(v*picos)/nanos, "ns/B"
		}
		fmt.Fprintf(&b, "%s=%v%s", p.letter, v, unit)
	}
	return b.String()
}

func (m LogGOPS) check() error {
	for _, p := range parameters {
		switch v := *p.get(&m); {
		case !(v >= 0):
			return fmt.Errorf("LogGOPS: %s = %v cannot be negative", p.letter, v)
		case p.dim == quantity.DimSize && v > float64(quantity.MaxBytes):
			return fmt.Errorf("LogGOPS: %s = %v B is more than 8192 TiB", p.letter, v)
		case p.dim != quantity.DimSize && v > 1e12:
			return fmt.Errorf("LogGOPS: %s = %v µs is longer than ten days", p.letter, v)
		}
	}
	return nil
}

// loggops holds the parameters in nanoseconds, nanoseconds per byte and bytes.
type loggops struct{ L, o, g, G, O, S uint64 }

// inNanoseconds returns the parameters in whole nanoseconds and bytes, as LogGOPSim has them. It is
// an error if one is not whole.
func (m LogGOPS) inNanoseconds() (loggops, error) {
	if err := m.check(); err != nil {
		return loggops{}, err
	}
	var t loggops
	for i, to := range []*uint64{&t.L, &t.o, &t.g, &t.G, &t.O, &t.S} {
		p := parameters[i]
		v := *p.get(&m)
		if p.dim != quantity.DimSize {
			v *= nanos
		}
		*to = uint64(math.Round(v))
		if math.Abs(v-math.Round(v)) > 1e-6 {
			return t, errors.New("LogGOPSim's parameters are whole nanoseconds, and " + m.String() +
				" are not; leave out the rules, or round them")
		}
	}
	return t, nil
}
