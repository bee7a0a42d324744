package whatif

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/nearest"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Quantity is something that can be asked of a layer, as in "bandwidth(4KiB)".
type Quantity struct {
	Name string
	Size quantity.Bytes // of the message; 0 for r_inf and n_half, which need none
	kind *kind
}

// A kind is a quantity without a size.
type kind struct {
	name  string
	dim   quantity.Dimension
	sized bool
	title string // for axes
	of    func(l model.Layer, n quantity.Bytes) float64
	check func(l model.Layer, n quantity.Bytes) error // whether the layer has it; nil: always
}

var kinds = []kind{
	{"one_way", quantity.DimTime, true, "one-way time", func(l model.Layer, n quantity.Bytes) float64 { return float64(l.OneWay(n)) }, nil},
	{"rtt", quantity.DimTime, true, "round-trip time", func(l model.Layer, n quantity.Bytes) float64 { return float64(model.RTT(l, n)) }, nil},
	{"gap", quantity.DimTime, true, "gap", func(l model.Layer, n quantity.Bytes) float64 { return float64(l.Gap(n)) }, nil},
	{"bandwidth", quantity.DimRate, true, "bandwidth", func(l model.Layer, n quantity.Bytes) float64 { return float64(model.Bandwidth(l, n)) }, nil},
	{"throughput", quantity.DimRate, true, "throughput", func(l model.Layer, n quantity.Bytes) float64 { return float64(model.Throughput(l, n)) }, nil},
	{"send_overhead", quantity.DimTime, true, "send overhead", func(l model.Layer, n quantity.Bytes) float64 {
		send, _ := l.Overheads(n)
		return float64(send)
	}, hasOverheads},
	{"receive_overhead", quantity.DimTime, true, "receive overhead", func(l model.Layer, n quantity.Bytes) float64 {
		_, receive := l.Overheads(n)
		return float64(receive)
	}, hasOverheads},
	{"packet", quantity.DimSize, true, "packet", func(l model.Layer, n quantity.Bytes) float64 { return float64(model.PacketSize(l, n)) },
		func(l model.Layer, n quantity.Bytes) error {
			if _, ok := model.At(l, n).(model.Packetizer); !ok {
				return errors.New("its messages are not cut into packets")
			}
			return nil
		}},
	{"r_inf", quantity.DimRate, false, "r∞", func(l model.Layer, _ quantity.Bytes) float64 { return float64(model.Asymptote(l)) }, hasPeak},
	{"n_half", quantity.DimSize, false, "n½", func(l model.Layer, _ quantity.Bytes) float64 {
		n, ok := model.HalfPeak(l)
		if !ok {
			return math.NaN()
		}
		return float64(n)
	}, hasPeak},
}

func hasOverheads(l model.Layer, n quantity.Bytes) error {
	if send, receive := l.Overheads(n); send == 0 && receive == 0 {
		return errors.New("it does not say how long messages occupy the processors")
	}
	return nil
}

func hasPeak(l model.Layer, _ quantity.Bytes) error {
	if _, ok := model.HalfPeak(l); !ok {
		return errors.New("no cost is per byte, so bandwidth has no peak")
	}
	return nil
}

// Quantities are the names that [ParseQuantity] knows.
func Quantities() []string {
	names := make([]string, len(kinds))
	for i := range kinds {
		names[i] = kinds[i].name
	}
	return names
}

// NewQuantity returns the quantity of messages of n bytes; r_inf and n_half leave n out.
func NewQuantity(name string, n quantity.Bytes) (Quantity, error) {
	i := slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })
	if i < 0 {
		return Quantity{}, fmt.Errorf("no quantity %q%s", name, nearest.Hint(name, Quantities()))
	}
	if !kinds[i].sized {
		n = 0
	}
	return Quantity{name, n, &kinds[i]}, nil
}

// ParseQuantity reads "bandwidth(4KiB)", "n_half" or "n_half()".
func ParseQuantity(text string) (Quantity, error) {
	text = strings.TrimSpace(text)
	name, rest, hasSize := strings.Cut(text, "(")
	q, err := NewQuantity(strings.TrimSpace(name), 0)
	if err != nil {
		return q, err
	}
	size, closed := strings.CutSuffix(rest, ")")
	if hasSize && !closed {
		return q, fmt.Errorf("%q: missing )", text)
	}
	if size = strings.TrimSpace(size); !q.kind.sized {
		if size != "" {
			return q, fmt.Errorf("%q: %s is of all sizes; leave %s out", text, q.Name, size)
		}
		return q, nil
	}
	if size == "" {
		return q, fmt.Errorf("%q: of messages of which size? write %s(64KiB)", text, q.Name)
	}
	if q.Size, err = quantity.ParseBytes(size); err == nil && q.Size < 1 {
		err = fmt.Errorf("%q: a message has at least 1 byte", size)
	}
	return q, err
}

// Of is the quantity of the layer, in µs and bytes; NaN or infinite where the layer has none.
func (q Quantity) Of(l model.Layer) float64 { return q.kind.of(l, q.Size) }

// Check is an error that says why the layer has no such quantity.
func (q Quantity) Check(l model.Layer) error {
	if q.kind.check == nil {
		return nil
	}
	return q.kind.check(l, q.Size)
}

// Dim is the dimension of the quantity.
func (q Quantity) Dim() quantity.Dimension { return q.kind.dim }

// String is the quantity as [ParseQuantity] reads it, without spaces: "bandwidth(4KiB)".
func (q Quantity) String() string {
	if !q.kind.sized {
		return q.Name
	}
	return q.Name + "(" + strings.ReplaceAll(q.Size.String(), " ", "") + ")"
}

// Title names the quantity on an axis: "bandwidth of 4 KiB (MB/s)".
func (q Quantity) Title() string {
	title := q.kind.title
	if q.kind.sized {
		title += " of " + q.Size.String()
	}
	return title + " (" + unitOf(q.kind.dim).name + ")"
}

// Head names the quantity without its size: "bandwidth (MB/s)".
func (q Quantity) Head() string { return q.kind.title + " (" + unitOf(q.kind.dim).name + ")" }

// Noun names the quantity without its size and unit: "bandwidth".
func (q Quantity) Noun() string { return q.kind.title }

// Key names the quantity in a table, without its size: "bandwidth_mb_s".
func (q Quantity) Key() string { return q.Name + unitOf(q.kind.dim).suffix }

// KeyOf names what goes with the quantity in a table: "bandwidth_low_mb_s" for "low".
func (q Quantity) KeyOf(what string) string { return q.Name + "_" + what + unitOf(q.kind.dim).suffix }

// A unit is how numbers of a dimension appear in tables and on axes.
type unit struct {
	name, suffix string
	scale        float64 // of a number in µs and bytes
}

var units = map[quantity.Dimension]unit{
	quantity.DimTime:    {"µs", "_us", 1},
	quantity.DimSize:    {"bytes", "_bytes", 1},
	quantity.DimRate:    {"MB/s", "_mb_s", 1},
	quantity.DimInverse: {"µs/KiB", "_us_per_kib", float64(quantity.KiB)},
	quantity.DimClock:   {"MHz", "_mhz", 1},
}

// Unit is the unit in which tables show values of a dimension, and what a value in µs and bytes is
// to be multiplied by; inverse bandwidths are in µs/KiB.
func Unit(d quantity.Dimension) (scale float64, name string) {
	u := unitOf(d)
	return u.scale, u.name
}

func unitOf(d quantity.Dimension) unit {
	u, ok := units[d]
	if !ok {
		u.scale = 1
	}
	return u
}
