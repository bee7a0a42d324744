package flags

import (
	"errors"
	"strings"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// Ranks are numbers of ranks, written as sizes are: lists, and ranges that double.
type Ranks struct {
	text   string
	Values []int
}

// Set reads numbers such as "2..256" or "4,6,8".
func (r *Ranks) Set(text string) error {
	wrong := errors.New(`give numbers of ranks, at most 131072, as in "64", "4,6,8" or "2..256"`)
	if strings.Trim(text, "0123456789,./ ") != "" {
		return wrong
	}
	sizes, err := quantity.ParseSizes(text)
	if err != nil {
		return wrong
	}
	r.text, r.Values = text, nil
	for _, n := range sizes {
		if n > 1<<17 {
			return wrong
		}
		if len(r.Values) == 0 || r.Values[len(r.Values)-1] != int(n) {
			r.Values = append(r.Values, int(n))
		}
	}
	return nil
}

// Type is the placeholder in help.
func (r *Ranks) Type() string { return "numbers" }

func (r *Ranks) String() string { return r.text }

// Size is a size with its unit; 0 if not given.
type Size struct{ Value quantity.Bytes }

// Set reads a size such as "64KiB".
func (s *Size) Set(text string) (err error) {
	s.Value, err = quantity.ParseBytes(text)
	return err
}

// Type is the placeholder in help.
func (s *Size) Type() string { return "size" }

func (s *Size) String() string {
	if s.Value == 0 {
		return ""
	}
	return s.Value.String()
}

// PerByte is a time per byte with its unit; 0 if not given.
type PerByte struct{ Value quantity.MicrosPerByte }

// Set reads a time per byte such as "0.25ns/B".
func (p *PerByte) Set(text string) (err error) {
	p.Value, err = quantity.ParseMicrosPerByte(text)
	return err
}

// Type is the placeholder in help.
func (p *PerByte) Type() string { return "time/size" }

func (p *PerByte) String() string {
	if p.Value == 0 {
		return ""
	}
	return p.Value.String()
}
