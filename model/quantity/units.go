package quantity

import (
	"slices"
	"strings"
)

// A unitInfo is a row of the unit table.
type unitInfo struct {
	Name    string   // as printed: "KiB"
	Aliases []string // other names that are read
	Value   Value    // one unit, in µs and bytes
	// scaled allows a [Scale] to choose the unit without being asked. Rates in bits, or in powers
	// of 1,024, appear only if asked for.
	scaled bool
}

// microsAliases holds both characters for µ, the micro sign (U+00B5) and the Greek letter
// (U+03BC): keyboards and copied text have either.
var microsAliases = []string{"us", "μs", "usec", "µsec", "μsec", "microseconds"}

var (
	timeUnits = []unitInfo{
		{"ns", []string{"nsec", "nanoseconds"}, Value{1e-3, DimTime}, true},
		{"µs", microsAliases, Value{1, DimTime}, true},
		{"ms", []string{"msec", "milliseconds"}, Value{1e3, DimTime}, true},
		{"s", []string{"sec", "seconds"}, Value{1e6, DimTime}, true},
	}
	sizeUnits = []unitInfo{
		{"B", []string{"byte", "bytes"}, Value{1, DimSize}, false},
		{"bit", []string{"bits"}, Value{1. / 8, DimSize}, false},
		{"KiB", []string{"KB", "kB", "K", "k", "kbytes", "Kbytes"}, Value{1 << 10, DimSize}, false},
		{"MiB", []string{"MB", "M", "m"}, Value{1 << 20, DimSize}, false},
		{"GiB", []string{"GB", "G", "g"}, Value{1 << 30, DimSize}, false},
		{"TiB", []string{"TB", "T", "t"}, Value{1 << 40, DimSize}, false},
	}
	rateUnits = []unitInfo{
		{"B/s", nil, Value{1e-6, DimRate}, false},
		{"kB/s", []string{"KB/s"}, Value{1e-3, DimRate}, true},
		{"MB/s", []string{"MB/sec", "MBps", "MByte/s", "Mbyte/s"}, Value{1, DimRate}, true},
		{"GB/s", []string{"GB/sec", "GBps"}, Value{1e3, DimRate}, true},
		{"TB/s", []string{"TBps"}, Value{1e6, DimRate}, true},
		{"KiB/s", nil, Value{(1 << 10) / 1e6, DimRate}, false},
		{"MiB/s", nil, Value{(1 << 20) / 1e6, DimRate}, false},
		{"GiB/s", nil, Value{(1 << 30) / 1e6, DimRate}, false},
		{"kbit/s", []string{"kbps", "Kbit/s", "kb/s"}, Value{1e-3 / 8, DimRate}, false},
		{"Mbit/s", []string{"Mbps", "Mb/s", "Mbit/sec"}, Value{1. / 8, DimRate}, false},
		{"Gbit/s", []string{"Gbps", "Gb/s", "Gbit/sec"}, Value{1e3 / 8, DimRate}, false},
	}
	otherUnits = []unitInfo{
		{"%", nil, Value{1e-2, DimNone}, false},
		{"kHz", []string{"KHz"}, Value{1e-3, DimClock}, false},
		{"MHz", nil, Value{1, DimClock}, false},
		{"GHz", nil, Value{1e3, DimClock}, false},
		{"Mflop/s", nil, Value{1, DimFlops}, true},
		{"Gflop/s", []string{"Gflops"}, Value{1e3, DimFlops}, true},
		{"Tflop/s", []string{"Tflops", "TFLOPS"}, Value{1e6, DimFlops}, true},
		{"Pflop/s", []string{"Pflops"}, Value{1e9, DimFlops}, true},
	}
	unitTable = slices.Concat(timeUnits, sizeUnits, rateUnits, otherUnits)
	units     = indexUnits(unitTable)
)

// An Entry is a row of the table of units for users.
type Entry struct {
	Of      string // "a time"
	Name    string // as printed
	Aliases string // other names that are read
	Is      string // "1024 B"; empty for the units of computations
}

// Vocabulary returns the table of all units, for help and documents. Inverse bandwidths, a time
// over a size, have one example.
func Vocabulary() []Entry {
	var all []Entry
	add := func(u unitInfo) {
		e := Entry{Of: u.Value.Dim.String(), Name: u.Name, Aliases: strings.Join(u.Aliases, ", ")}
		switch base := baseNames[u.Value.Dim]; {
		case base == u.Name:
		case base != "":
			e.Is = trim(u.Value.Num, 13) + " " + base
		default:
			e.Is = trim(u.Value.Num, 13)
		}
		all = append(all, e)
	}
	for _, u := range slices.Concat(timeUnits, sizeUnits, rateUnits) {
		add(u)
	}
	inverse := named(printedInverse)
	inverse.Aliases = []string{"us/KB", "any time/any size"}
	add(inverse)
	for _, u := range otherUnits {
		add(u)
	}
	return all
}

// baseNames holds the units of computations.
var baseNames = map[Dimension]string{
	DimTime: "µs", DimSize: "B", DimRate: "MB/s", DimInverse: "µs/B", DimClock: "MHz",
	DimFlops: "Mflop/s",
}

// printedInverse is the unit of printed inverse bandwidths. The papers print µs/KB, where
// KB is 1,024 bytes.
const printedInverse = "µs/KiB"

func indexUnits(table []unitInfo) map[string]Value {
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

// Unit returns one of the named unit in µs and bytes: Unit("ms") is 1000 µs, Unit("us/KB") is
// 1/1024 µs per byte. A size after the slash must have its B: 28us/g is a time over LogP's g, not
// over a GiB.
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

// named returns the unit under its printed name. The name must be one that [Unit] reads.
func named(name string) unitInfo {
	for _, u := range unitTable {
		if u.Name == name || slices.Contains(u.Aliases, name) {
			return u
		}
	}
	v, _ := Unit(name)
	over, under, _ := strings.Cut(name, "/")
	return unitInfo{Name: named(over).Name + "/" + named(under).Name, Value: v}
}
