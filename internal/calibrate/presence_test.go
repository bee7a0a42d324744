package calibrate

import (
	"math/rand/v2"
	"testing"

	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// The cases of calibrate.c find each protocol again, also if other work makes them longer by up to
// a tenth and the level's own times are those of a busy host.
func TestPresence(t *testing.T) {
	const computing, size = 110, 1 << 20
	for needs := range 9 {
		planted := machine.Level{Name: "pair", Arity: 2, Eager: 4096,
			Layer: &model.Linear{Beta: 0.5, Tau: 100 / quantity.MicrosPerByte(size)}}
		planted.Handshake, planted.Data = presenceOf(need(needs%3), need(needs/3))
		on, err := simulate.FromMachine(machine.Machine{Levels: []machine.Level{planted}},
			machine.Places{0, 1}, simulate.NoLimit)
		if err != nil {
			t.Fatal(err)
		}
		draw := rand.New(rand.NewPCG(1, uint64(needs)))
		c := Calibration{Levels: []machine.Level{{Name: "node"}},
			computing: map[int]quantity.Micros{0: computing}}
		for variant := range 32 {
			if variant&3 == 0 && variant != 0 && variant != besideLate {
				continue
			}
			r := Measurement{Measure: Beside, Size: size, Variant: variant}
			if r.Time, err = besideTime(on, r, computing); err != nil {
				t.Fatal(err)
			}
			r.Time *= quantity.Micros(1 + draw.Float64()/10)
			c.Rows = append(c.Rows, r)
		}
		busy := planted
		busy.Layer = &model.Linear{Beta: 0.5, Tau: 800 / quantity.MicrosPerByte(size)}
		handshake, data := c.presence(0, busy)
		if handshake != planted.Handshake || data != planted.Data || len(c.Notes) > 0 {
			t.Errorf("%q and %q with %q, want %q and %q", handshake, data, c.Notes,
				planted.Handshake, planted.Data)
		}
	}
}

// If receives were always posted first, and nobody tested in the middle of a computation, a rank
// that is needed once would not be told from one that is needed throughout.
func TestPresenceOfFewCases(t *testing.T) {
	planted := machine.Level{Name: "pair", Arity: 2, Eager: 4096,
		Layer: &model.Linear{Beta: 0.5, Tau: 1e-4}, Handshake: machine.AtReceiver,
		Data: machine.Independent}
	on, err := simulate.FromMachine(machine.Machine{Levels: []machine.Level{planted}},
		machine.Places{0, 1}, simulate.NoLimit)
	if err != nil {
		t.Fatal(err)
	}
	c := Calibration{Levels: []machine.Level{{Name: "node"}},
		computing: map[int]quantity.Micros{0: 100}}
	for _, variant := range []int{0, 1, 2, 3, 17, 18, 19} {
		r := Measurement{Measure: Beside, Size: 1 << 20, Variant: variant}
		if r.Time, err = besideTime(on, r, 100); err != nil {
			t.Fatal(err)
		}
		c.Rows = append(c.Rows, r)
	}
	handshake, data := c.presence(0, planted)
	const want = `level node: two ranks do not tell "large messages need the receiver in MPI once" ` +
		`from "large messages need the receiver in MPI throughout"`
	if handshake != machine.AtReceiver || data != machine.Independent || len(c.Notes) != 1 ||
		c.Notes[0].Text != want {
		t.Errorf("%q and %q with %q", handshake, data, c.Notes)
	}
}
