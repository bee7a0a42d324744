package calibrate

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// Header is the first line of the output of calibrate.c.
const Header = "# halfpeak calibrate 1"

// IsCalibration reports whether a line of a text is Header. Lines of a job's script
// or of mpirun may stand before it, so it looks at all of them.
func IsCalibration(text []byte) bool {
	for line := range bytes.Lines(text) {
		if string(bytes.TrimRight(line, "\r\n")) == Header {
			return true
		}
	}
	return false
}

var calibrationColumns = []string{
	"measure", "level", "way", "pairs", "bytes", "variant", "pass", "repeats",
	"median_us", "low_us", "high_us", "min_us", "max_us", "average_us", "outliers",
}

// maxLine is the maximum length of a line; the places of 500,000 ranks fit.
const maxLine = 4 << 20

// Read reads the output of calibrate.c; name stands in errors. A last row that was
// cut off is dropped with a note, and so is what other programs of the job printed in
// between: jobs end early, and what was measured until then is worth a machine.
func Read(r io.Reader, name string) (*Calibration, error) {
	c := &calibrationReader{index: map[Measurement]int{}}
	lines := bufio.NewReaderSize(r, maxLine)
	for number := 1; ; number++ {
		text, err := lines.ReadSlice('\n')
		line := string(text)
		if err == bufio.ErrBufferFull {
			return nil, fmt.Errorf("%s:%d: the line is longer than 4 MiB, as none of calibrate's; "+
				"remove it", name, number)
		}
		if err != nil && err != io.EOF {
			return nil, fmt.Errorf("%s:%d: the file is damaged or cut off here (%w); "+
				"fetch it again", name, number, err)
		}
		if err == io.EOF {
			if line != "" {
				c.Notes = append(c.Notes, remark.CutLine(number))
			}
			break
		}
		if err := c.add(strings.TrimRight(line, "\r\n"), number); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, number, err)
		}
	}
	if len(c.Levels) == 0 || len(c.Rows) == 0 {
		return nil, fmt.Errorf("%s: calibrate was ended before its first measurement; run it again",
			name)
	}
	if c.foreign > 0 {
		c.Notes = append(c.Notes, remark.ForeignOutput(c.foreign))
	}
	if !c.ended {
		c.Notes = append(c.Notes, remark.EndedEarly())
	}
	c.separateStates()
	for i, passes := range c.passes {
		m := &c.Rows[i]
		quantile := func(column int, q float64) quantity.Micros {
			values := make([]float64, len(passes))
			for j, p := range passes {
				values[j] = p.times[column]
			}
			return quantity.Micros(stats.QuantileOf(values, q))
		}
		// Column 0 has the median of a pass, column 5 its average.
		m.Time, m.Average, m.Least = quantile(0, 0.25), quantile(5, 0.25), quantile(0, 0)
		if m.Measure == Beside {
			// It decides between protocols a message's time apart, and disturbances only
			// lengthen it.
			m.Time = quantile(3, 0)
		}
	}
	c.findShares()
	c.findNetwork()
	return &c.Calibration, nil
}

// add reads a line without its end.
func (c *calibrationReader) add(line string, number int) error {
	fields := strings.Split(line, ",")
	switch {
	case line == Header:
		if c.header > 0 {
			return errors.New("a second run of calibrate begins here; " +
				"put each run into a file of its own")
		}
		c.header = number
		return nil
	case c.header > 0 && strings.HasPrefix(line, "# "):
		// The last line of a whole run is its duration, such as 118.3 s.
		c.ended = c.ended || strings.HasSuffix(line, " s")
		if text, is := strings.CutPrefix(line, "# state "); is {
			return c.addMarks(text)
		}
		return c.comment(strings.TrimPrefix(line, "# "), number-c.header)
	// The job's script and mpirun print into the same file.
	case c.header == 0 || len(fields) != len(calibrationColumns):
		c.foreign++
		return nil
	case slices.Equal(fields, calibrationColumns):
		return nil
	}
	m, times, err := c.row(fields)
	if err != nil {
		return err
	}
	at, known := c.index[m]
	if !known {
		at, c.index[m] = len(c.Rows), len(c.Rows)
		c.Rows, c.passes = append(c.Rows, m), append(c.passes, nil)
	}
	c.passes[at] = append(c.passes[at], pass{times, len(c.marks[0])})
	return nil
}

// comment reads a line behind "# ", with its number since the header.
func (c *Calibration) comment(text string, line int) error {
	words := strings.Fields(text)
	switch {
	case line == 1:
		c.Job = text
	case line == 2:
		c.Library = text
	case len(words) == 4 && words[0] == "level":
		return c.ofLevel(words[1], words[2], words[3])
	case len(words) == 2 && (words[0] == "places" || words[0] == "distances"):
		for word := range strings.SplitSeq(words[1], ",") {
			v, err := strconv.ParseFloat(word, 64)
			// The negated comparison also rejects NaN, which ParseFloat reads.
			if err != nil || !(v >= 0 && v < 1<<31) {
				return fmt.Errorf("invalid number %q of %s", word, words[0])
			}
			if words[0] == "places" {
				c.Places = append(c.Places, int(v))
			} else {
				c.Distances = append(c.Distances, v)
			}
		}
	case strings.HasPrefix(text, "sockets"):
		c.Notes = append(c.Notes, remark.Warned(text))
	case strings.HasPrefix(text, "warning: "):
		c.Notes = append(c.Notes, remark.Warned(strings.TrimPrefix(text, "warning: ")))
	}
	return nil
}

// ofLevel reads what a level holds, or its eager limit.
func (c *Calibration) ofLevel(name, what, number string) error {
	n, err := strconv.Atoi(number)
	if err != nil || n < 0 {
		return fmt.Errorf("invalid number %q", number)
	}
	if what == "holds" {
		// A division, because the product of the levels could overflow.
		if cores := c.cores(len(c.Levels)); n < 1 || n > machine.MaxCores/cores {
			return fmt.Errorf("level %s holds %d: a level holds at least 1, "+
				"and all of them at most 2^30 ranks", name, n)
		}
		if !levelName.MatchString(name) {
			return fmt.Errorf("invalid level %q", name)
		}
		c.Levels = append(c.Levels, machine.Level{Name: name, Arity: n, Eager: -1})
	} else if at := c.level(name); at >= 0 && what == "eager" {
		c.Levels[at].Eager = quantity.Bytes(n)
	} else if at >= 0 && what == "beside" { // in ns
		if c.computing == nil {
			c.computing = map[int]quantity.Micros{}
		}
		c.computing[at] = quantity.Micros(n) / 1e3
	}
	return nil
}

var levelName = regexp.MustCompile(`^[a-z0-9_-]+$`) // as of a platform

// row reads the fields of a whole row: the case, and its times from median to
// average. It refuses what calibrate.c cannot print, since a damaged number would
// become a machine.
func (c *Calibration) row(fields []string) (m Measurement, times [6]float64, err error) {
	m = Measurement{Measure: fields[0], Level: -1, Out: fields[2] == "out"}
	// Collectives and local work have no level.
	if fields[1] != "" || slices.Contains(ofLevels, m.Measure) {
		if m.Level = c.level(fields[1]); m.Level < 0 {
			return m, times, fmt.Errorf("unknown level %q", fields[1])
		}
		if m.Out && m.Level == len(c.Levels)-1 {
			return m, times, fmt.Errorf("no pair leaves a unit of level %q, the outermost one",
				fields[1])
		}
	}
	var size int
	for i, n := range []*int{&m.Pairs, &size, &m.Variant} {
		if *n, err = strconv.Atoi(fields[3+i]); err != nil || *n < 0 {
			return m, times, fmt.Errorf("invalid %s %q", calibrationColumns[3+i], fields[3+i])
		}
	}
	// A message between two ranks has at least a byte; a barrier has none.
	if m.Size = quantity.Bytes(size); m.Size > quantity.MaxBytes || m.Level >= 0 && size == 0 {
		return m, times, fmt.Errorf("invalid bytes %q", fields[4])
	}
	for i := range times {
		least := -maxTime
		if i == 0 {
			least = 0
		}
		t, err := strconv.ParseFloat(fields[8+i], 64)
		if err != nil || !(t >= least && t <= maxTime) { // not NaN
			return m, times, fmt.Errorf("invalid %s %q", calibrationColumns[8+i], fields[8+i])
		}
		times[i] = t
	}
	return m, times, nil
}
