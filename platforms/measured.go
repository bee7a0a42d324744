package platforms

import (
	"strconv"

	"github.com/halfpeak/halfpeak/internal/nearest"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// Measured holds the measurements to which a layer was fitted. Predictions of the next measurement use
// them rather than the layer's model; see fit/forecast.
type Measured struct {
	Sizes []quantity.Bytes
	Times []quantity.Micros // one way, of each size; the mean of the runs
	// Deviations are the standard deviations between Runs at each size; empty with one run.
	Deviations []quantity.Micros
	Runs       int
	Resolution quantity.Micros // of the times as printed; 0: not known
	Operation  bool            // the times are those of an operation, and not of a message
	Source     string
}

// maxMeasured bounds the sizes of a measured table.
const maxMeasured = 1 << 16

// measuredTables reads the measurements that layers name.
func (b *builder) measuredTables() error {
	for _, t := range b.tables("measured") {
		path := "measured." + t.Name
		if err := b.named(path, t.Name); err != nil {
			return err
		}
		m := &Measured{Runs: 1, Source: text(t.Keys, "source")}
		if err := b.sourced(path, m.Source); err != nil {
			return err
		}
		sizes := list(t.Keys, "sizes")
		if len(sizes) < 2 || len(sizes) > maxMeasured {
			return b.errorf(path+".sizes", `%d sizes; give 2 to %d, as in sizes = ["1B", "1KiB"]`, len(sizes), maxMeasured)
		}
		for i, s := range sizes {
			n, err := quantity.ParseBytes(s)
			if err != nil {
				return b.errorf(path+".sizes", "%w", err)
			}
			if n < 1 || i > 0 && n <= m.Sizes[i-1] {
				return b.errorf(path+".sizes", "%q: sizes are at least 1 byte, and ascend", s)
			}
			m.Sizes = append(m.Sizes, n)
		}
		var err error
		if m.Times, err = b.times(path, t, "times", len(sizes)); err != nil {
			return err
		}
		for i, v := range m.Times {
			if !(v > 0) {
				return b.errorf(path+".times", "%q: a measured time is above zero", list(t.Keys, "times")[i])
			}
		}
		if _, has := find(t.Keys, "deviations"); has {
			if m.Deviations, err = b.times(path, t, "deviations", len(sizes)); err != nil {
				return err
			}
		}
		if runs := text(t.Keys, "runs"); runs != "" {
			if m.Runs, err = strconv.Atoi(runs); err != nil || m.Runs < 1 {
				return b.errorf(path+".runs", "%q: a whole number, 1 or more", runs)
			}
		}
		if (m.Runs > 1) != (m.Deviations != nil) {
			return b.errorf(path, "runs and deviations go together: 2 runs or more, and by how much they differ")
		}
		if given := text(t.Keys, "resolution"); given != "" {
			if m.Resolution, err = quantity.ParseMicros(given); err != nil || m.Resolution < 0 {
				return b.errorf(path+".resolution", "%q: a time, as in \"0.01us\"", given)
			}
		}
		operation, _ := find(t.Keys, "operation")
		m.Operation = operation == true
		b.measured[t.Name] = m
	}
	return nil
}

// times reads a list of n times, not negative.
func (b *builder) times(path string, t Table, key string, n int) ([]quantity.Micros, error) {
	given := list(t.Keys, key)
	if len(given) != n {
		return nil, b.errorf(join(path, key), "%d %s for %d sizes", len(given), key, n)
	}
	all := make([]quantity.Micros, n)
	for i, s := range given {
		var err error
		if all[i], err = quantity.ParseMicros(s); err != nil {
			return nil, b.errorf(join(path, key), "%w", err)
		}
		if all[i] < 0 {
			return nil, b.errorf(join(path, key), "%q is below zero", s)
		}
	}
	return all, nil
}

// measurement is the table to which the layer was fitted, nil if the layer names none.
func (b *builder) measurement(path, name string) (*Measured, error) {
	if name == "" {
		return nil, nil
	}
	m, known := b.measured[name]
	if !known {
		return nil, b.errorf(path+".measured", "no [measured.%s]%s", name, nearest.Hint(name, b.tableNames("measured")))
	}
	return m, nil
}

// correlation returns the correlation of the errors of a layer's own beta and tau.
func (b *builder) correlation(path, given string) (float64, error) {
	if given == "" {
		return 0, nil
	}
	at := path + ".correlation"
	for _, key := range []string{"beta", "tau"} {
		if i, known := b.slotAt[path+"."+key]; !known || b.slots[i].PlusMinus == 0 {
			return 0, b.errorf(at, "is that of the errors of beta and tau; give both with their ±")
		}
	}
	v, err := strconv.ParseFloat(given, 64)
	if err != nil || !(v >= -1 && v <= 1) {
		return 0, b.errorf(at, "%q: a correlation is a number from -1 to 1", given)
	}
	return v, nil
}
