// Package flags implements values of command-line flags (pflag.Value), which parse and check their
// text.
package flags

import (
	"errors"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// Time is a time with its unit; 0 if not given.
type Time struct{ Value quantity.Micros }

// Set reads a time such as "28.1us".
func (t *Time) Set(text string) (err error) {
	t.Value, err = quantity.ParseMicros(text)
	return err
}

// Type is the placeholder in help.
func (t *Time) Type() string { return "time" }

func (t *Time) String() string {
	if t.Value == 0 {
		return ""
	}
	return t.Value.String()
}

// Percent is a percentage of at least 0 and less than 1000, with its sign or without: "10%", "10".
type Percent float64

// Set reads a percentage.
func (p *Percent) Set(text string) error {
	number, _ := strings.CutSuffix(strings.TrimSpace(text), "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || !(v >= 0 && v < 1000) {
		return errors.New("give a percentage of at least 0 and less than 1000")
	}
	*p = Percent(v)
	return nil
}

// Type is the placeholder in help.
func (p *Percent) Type() string { return "percent" }

func (p *Percent) String() string { return strconv.FormatFloat(float64(*p), 'g', -1, 64) }

// Units are the units that a person wants to read; see [quantity.ParseUnits].
type Units struct {
	text   string
	Choice quantity.UnitChoice
}

// Set reads units such as "GB/s,ms".
func (u *Units) Set(text string) (err error) {
	u.text = text
	u.Choice, err = quantity.ParseUnits(text)
	return err
}

// Type is the placeholder in help.
func (u *Units) Type() string { return "units" }

func (u *Units) String() string { return u.text }
