package simulate

import (
	"fmt"
	"slices"

	"github.com/halfpeak/halfpeak/internal/usage"
)

// Rules define the meaning of the parameters where LogGOPS leaves it open.
type Rules int

const (
	Default   Rules = iota // what the model means; see the package comment
	LogGOPSim              // what LogGOPSim does, to the last nanosecond
)

var rulesNames = []string{"default", "loggopsim"}

func (r Rules) String() string { return rulesNames[r] }

// parseRules returns the rules of a name in rulesNames; another name is an error.
func parseRules(text string) (Rules, error) {
	if i := slices.Index(rulesNames, text); i >= 0 {
		return Rules(i), nil
	}
	return 0, fmt.Errorf("unknown rules %q%s", text, usage.Hint(text, rulesNames))
}

// ticks returns how many there are in a µs.
func (r Rules) ticks() float64 {
	if r == LogGOPSim {
		return nanos
	}
	return picos
}

// A Setup holds the conditions of a run: the costs of messages, the rules and the noise.
type Setup struct {
	Rules   Rules
	LogGOPS LogGOPS // costs of messages if Machine is nil
	Machine Machine // nil: LogGOPS, as LogGOPSim's rules require
	Noise   Noise   // the zero value is no noise
	Seed    uint64  // of the noise and, with fair shares, of the ranks' starts within 10 ns

	// Reversed lets what happens at one moment happen in the opposite order: computations before
	// receives and sends, and what became ready last first. In a schedule of calls, those of a kind
	// that a rank can begin together keep their order. If that changes the finish, it hangs on an
	// order that the model does not know. The default rules only.
	Reversed bool

	// Record keeps what the run did, for [Result.Path] and [Result.Timeline]:
	// 48 bytes for each step of an operation, of which a message has four. The default rules only.
	Record bool

	// Computed keeps less than Record, for [Result.Computed]: 48 bytes for each computation. The
	// default rules without noise only.
	Computed bool

	// Parts keeps how long each rank computes and handles messages, for [Result.Parts]. The default
	// rules only.
	Parts bool

	// Instant lets joint operations take no time. The default rules only.
	Instant bool

	// Steps, if above 0, bounds the queue entries that a run takes and the rates that it computes.
	// It ends with ErrSteps soon after, so that a run that nobody needs costs no more.
	Steps uint64

	// Progress, if not nil, is called several times a second, from the goroutine of the run.
	Progress func(Progress)
}
