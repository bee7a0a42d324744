package platforms

import (
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// notMeasured stands in a line for a size that was not measured on these ranks.
const notMeasured = "-"

// write sets the keys of a table to the values that the schema's rows point to. Values that are 0
// or empty have no key.
func (k *tableKind) write(t *Table, of any) {
	for _, row := range k.keys {
		if row.at != nil {
			t.Set(row.name, textsOf(row.at(of))...)
		}
	}
}

// textsOf writes a value so that reading it gives the same; none for 0 or an empty list.
func textsOf(at any) []string {
	switch at := at.(type) {
	case *string:
		return []string{*at}
	case *bool:
		if *at {
			return []string{"true"}
		}
	case *int:
		if *at != 0 {
			return []string{strconv.Itoa(*at)}
		}
	case *float64:
		if *at != 0 {
			return []string{strconv.FormatFloat(*at, 'g', -1, 64)}
		}
	case *quantity.Micros:
		if *at != 0 {
			return []string{Exact(*at)}
		}
	case *quantity.Bytes:
		if *at != 0 {
			return []string{Exact(*at)}
		}
	case *[]int:
		return list.Map(*at, strconv.Itoa)
	case *[]quantity.Bytes:
		return list.Map(*at, Exact)
	case *[]quantity.Micros:
		return list.Map(*at, Exact)
	case *[][]quantity.Micros:
		return list.Map(*at, func(line []quantity.Micros) string {
			return lineOf(line, Exact)
		})
	case *[][]int64:
		return list.Map(*at, func(line []int64) string {
			return lineOf(line, func(n int64) string { return strconv.FormatInt(n, 10) })
		})
	}
	return nil
}

// lineOf writes a word for each value, and [notMeasured] for 0.
func lineOf[V comparable](line []V, write func(V) string) string {
	var none V
	return strings.Join(list.Map(line, func(v V) string {
		if v == none {
			return notMeasured
		}
		return write(v)
	}), " ")
}

// LevelTable returns the table of a level in a file. Name returns the name of each of its layers in
// that file, by the key.
func LevelTable(
	l machine.Level, source string, name func(key string, of model.Layer) string) Table {

	t := Table{Name: l.Name}
	for _, k := range machine.Keys {
		switch at := k.At(&l).(type) {
		case *model.Layer:
			if *at != nil {
				t.Set(k.Name, name(k.Name, *at))
			}
		case *machine.Port:
			t.Set(k.Name, list.Map(*at, func(rail model.Layer) string {
				return name(k.Name, rail)
			})...)
		case machine.Word:
			t.Set(k.Name, at.String())
		default:
			t.Set(k.Name, textsOf(at)...)
		}
	}
	t.Set("source", source)
	return t
}
