package platforms

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/internal/usage"
)

// timesOf reads the subject of the layer's times. Without a key it is one message.
func (s *section) timesOf() Subject {
	subject := cmp.Or(s.Text("times_of"), string(Message))
	if !slices.Contains(subjects, subject) {
		known, hint := strings.Join(subjects, ", "), usage.Hint(subject, subjects)
		s.fail("times_of", "%q: one of %s%s", subject, known, hint)
	}
	for _, key := range []string{"collective", "ranks", "per_rank"} {
		if Subject(subject) != Collective && s.has(key) {
			s.fail(key, `is for the times of a collective; add times_of = "collective"`)
		}
	}
	return Subject(subject)
}

// correlation reads the correlation of the errors of a fitted line. It is negative as a rule, since
// a line that starts higher rises less. Without the uncertainties of both numbers it means nothing.
func (s *section) correlation() float64 {
	given := s.Text("correlation")
	if given == "" {
		return 0
	}
	for _, key := range []string{"beta", "tau"} {
		if p := s.find(s.path + "." + key); p == nil || p.PlusMinus == 0 {
			s.fail("correlation", "correlates the errors of beta and tau; give both with their ±")
		}
	}
	v, err := strconv.ParseFloat(given, 64)
	// Negated, so that NaN fails as well: it compares as false.
	if err != nil || !(v >= -1 && v <= 1) {
		s.fail("correlation", "%q: a correlation is a number from -1 to 1", given)
	}
	return v
}
