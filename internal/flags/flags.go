// Package flags implements values of command-line flags, which parse and check their text, and what
// --version prints. The interactive page reads its fields by the same rules as the command does.
package flags

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// Percent is a percentage of at least 0 and less than 1000, with its sign or without: "10%", "10".
type Percent float64

// Set reads a percentage.
func (p *Percent) Set(text string) error {
	// The condition below is written so that NaN, which ParseFloat takes, fails.
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

// ParseRanks parses numbers of ranks in the form of sizes: lists, and ranges that
// double, such as "2..256" or "4,6,8". Letters are refused, since 4K ranks would be
// 4,096 by the rule for bytes. The bound of 2^20 keeps a range from asking for
// schedules that cannot be made.
func ParseRanks(text string) (ranks []int, err error) {
	sizes, err := quantity.ParseSizes(text)
	if err != nil || strings.Trim(text, "0123456789,./ ") != "" || slices.Max(sizes) > 1<<20 {
		return nil,
			errors.New(`give numbers from 1 to 1048576, as in "64", "4,6,8" or "2..256"`)
	}
	for _, n := range sizes {
		ranks = append(ranks, int(n))
	}
	// "4,4" is one number; two equal rows would look like two measurements.
	return slices.Compact(ranks), nil
}
