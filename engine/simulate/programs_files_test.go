package simulate_test

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/internal/sharedtest"
)

// Random programs stay what they are when they are written and read, in both forms; the binary one
// is the bytes that LogGOPSim's converter makes.
func TestRandomPrograms(t *testing.T) {
	n := uint64(60)
	if testing.Short() {
		n = 10
	}
	for seed := range n {
		for _, s := range []*schedule.Schedule{
			randomProgram(seed, 1+int(seed%7), int(seed)),
			wildProgram(seed, 1+int(seed%7), 2*int(seed)),
		} {
			var text, bin bytes.Buffer
			if err := errors.Join(s.WriteText(&text), s.WriteBinary(&bin)); err != nil {
				t.Fatal(err)
			}
			for form, b := range map[string][]byte{"text": text.Bytes(), "binary": bin.Bytes()} {
				if again, err := schedule.Read(bytes.NewReader(b), form); err != nil || !reflect.DeepEqual(again, s) {
					t.Errorf("seed %d: changes in the %s form: %v", seed, form, err)
				}
			}
			sharedtest.CheckBinary(t, text.Bytes(), bin.Bytes())
		}
	}
}
