package program_test

import (
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/reports/program"
)

// The finish is given in both orders where they differ: with L = 1 and o = 0.2 µs, a message of one
// byte is there at 1.4 µs, or 10 µs later if the computation is first. Nothing is said where they do
// not, or if LogGOPSim's rules fix the order.
func TestOrderOfEvents(t *testing.T) {
	for _, test := range []struct {
		text, rules string
		note        string
	}{
		{"send 1b to 1\ncalc 10000\n", "default", "11.4 µs"},
		{"a: send 1b to 1\nb: calc 10000\nb requires a\n", "default", ""},
		{"send 1b to 1\ncalc 10000\n", "loggopsim", ""},
	} {
		s, err := schedule.Read(strings.NewReader("num_ranks 2\nrank 0 {\n"+test.text+"}\nrank 1 {\nrecv 1b from 0\n}\n"), "test")
		if err != nil {
			t.Fatal(err)
		}
		q := program.Question{Input: &program.Input{Name: "test", Schedule: s}}
		if _, err := (simulate.Text{Rules: test.rules, LogGOPS: "L=1us o=200ns g=0ns G=0ns/B"}).Read(&q.Run); err != nil {
			t.Fatal(err)
		}
		a, err := q.Ask(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		notes := strings.Join(a.Rows().Remarks(), "\n")
		if !strings.Contains(notes, test.note) || test.note == "" && notes != "" {
			t.Errorf("%q by %s: notes %q, want %q", test.text, test.rules, notes, test.note)
		}
	}
}
