package whatif

import "fmt"

// FormatProbability prints a probability in percent. Near certainty prints as "> 99.9 %" unless it
// is exactly 1, since samples show no more.
func FormatProbability(p float64) string {
	switch {
	case p > 0.999 && p < 1:
		return "> 99.9 %"
	case p < 0.001 && p > 0:
		return "< 0.1 %"
	}
	return fmt.Sprintf("%.1f %%", 100*p)
}
