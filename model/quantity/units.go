package quantity

import (
	"fmt"
	"strings"
)

// Dimension is the exponents of time (µs) and size (bytes) in a value.
type Dimension struct{ Time, Size int }

// The dimensions that have a name.
var (
	DimNone    = Dimension{}
	DimTime    = Dimension{Time: 1}
	DimSize    = Dimension{Size: 1}
	DimRate    = Dimension{Time: -1, Size: 1}
	DimInverse = Dimension{Time: 1, Size: -1}
	DimClock   = Dimension{Time: -1}
)

// dimensionNames says what a dimension is called, and what a person who got it
// wrong should write.
var dimensionNames = map[Dimension]struct{ name, takes string }{
	DimNone:    {"a plain number", "no unit, or %"},
	DimTime:    {"a time", "ns, µs (us), ms or s"},
	DimSize:    {"a size", "B, KiB, MiB, GiB or TiB (KB, K, k, … are the same powers of two)"},
	DimRate:    {"a rate", "MB/s, GB/s, MiB/s, Mbit/s (Mbps) or Gbit/s"},
	DimInverse: {"an inverse bandwidth", "µs/KiB (us/KB), µs/B, ns/B or µs/MiB"},
	DimClock:   {"a clock rate", "kHz, MHz or GHz"},
}

func (d Dimension) String() string {
	if n, ok := dimensionNames[d]; ok {
		return n.name
	}
	return fmt.Sprintf("µs^%d·B^%d", d.Time, d.Size)
}

// A UnitInfo is a row of the unit table.
type UnitInfo struct {
	Name    string   // as printed: "KiB"
	Aliases []string // also read
	Value   Value    // one of it, in µs and bytes
}

var (
	timeUnits = []UnitInfo{
		{"ns", []string{"nsec", "nanoseconds"}, Value{1e-3, DimTime}},
		{"µs", []string{"us", "μs", "usec", "µsec", "μsec", "microseconds"}, Value{1, DimTime}},
		{"ms", []string{"msec", "milliseconds"}, Value{1e3, DimTime}},
		{"s", []string{"sec", "seconds"}, Value{1e6, DimTime}},
	}
	sizeUnits = []UnitInfo{
		{"B", []string{"byte", "bytes"}, Value{1, DimSize}},
		{"bit", []string{"bits"}, Value{1. / 8, DimSize}},
		{"KiB", []string{"KB", "kB", "K", "k", "kbytes", "Kbytes"}, Value{1 << 10, DimSize}},
		{"MiB", []string{"MB", "M", "m"}, Value{1 << 20, DimSize}},
		{"GiB", []string{"GB", "G", "g"}, Value{1 << 30, DimSize}},
		{"TiB", []string{"TB", "T", "t"}, Value{1 << 40, DimSize}},
	}
	rateUnits = []UnitInfo{
		{"B/s", nil, Value{1e-6, DimRate}},
		{"kB/s", []string{"KB/s"}, Value{1e-3, DimRate}},
		{"MB/s", []string{"MB/sec", "MBps", "MByte/s", "Mbyte/s"}, Value{1, DimRate}},
		{"GB/s", []string{"GB/sec", "GBps"}, Value{1e3, DimRate}},
		{"KiB/s", nil, Value{(1 << 10) / 1e6, DimRate}},
		{"MiB/s", nil, Value{(1 << 20) / 1e6, DimRate}},
		{"GiB/s", nil, Value{(1 << 30) / 1e6, DimRate}},
		{"Mbit/s", []string{"Mbps", "Mb/s", "Mbit/sec"}, Value{1. / 8, DimRate}},
		{"Gbit/s", []string{"Gbps", "Gb/s", "Gbit/sec"}, Value{1e3 / 8, DimRate}},
	}
	otherUnits = []UnitInfo{
		{"%", nil, Value{1e-2, DimNone}},
		{"kHz", []string{"KHz"}, Value{1e-3, DimClock}},
		{"MHz", nil, Value{1, DimClock}},
		{"GHz", nil, Value{1e3, DimClock}},
	}
	unitTable = append(append(append(append([]UnitInfo(nil), timeUnits...), sizeUnits...), rateUnits...), otherUnits...)
	units     = indexUnits(unitTable)
)

// Units returns the table of all units but the inverse bandwidths, which are a
// time unit, a slash and a size unit.
func Units() []UnitInfo { return unitTable }

func indexUnits(table []UnitInfo) map[string]Value {
	index := map[string]Value{}
	for _, u := range table {
		for _, name := range append([]string{u.Name}, u.Aliases...) {
			if _, twice := index[name]; twice {
				panic("quantity: unit " + name + " is in the table twice")
			}
			index[name] = u.Value
		}
	}
	return index
}

// Unit returns one of the named unit in µs and bytes: Unit("ms") is 1000 µs,
// Unit("us/KB") is 1/1024 µs per byte. Under the slash a size has its B:
// 28us/g is a time over LogP's g, not over a GiB.
func Unit(name string) (Value, bool) {
	if v, ok := units[name]; ok {
		return v, true
	}
	over, under, ok := strings.Cut(name, "/")
	if !ok {
		return Value{}, false
	}
	t, okT := units[over]
	n, okN := units[under]
	if !okT || !okN || t.Dim != DimTime || n.Dim != DimSize || len(under) == 1 && under != "B" {
		return Value{}, false
	}
	return t.Div(n), true
}
