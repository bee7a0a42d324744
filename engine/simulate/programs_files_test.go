package simulate_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
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
			in, out := filepath.Join(t.TempDir(), "in.goal"), filepath.Join(t.TempDir(), "out.bin")
			if err := os.WriteFile(in, text.Bytes(), 0o666); err != nil {
				t.Fatal(err)
			}
			if said, err := exec.Command(sharedtest.Path(t, "peers/loggopsim/txt2bin"), "-i", in, "-o", out).CombinedOutput(); err != nil {
				t.Skipf("txt2bin does not run: %v: %s", err, said)
			}
			if made, err := os.ReadFile(out); err != nil || !bytes.Equal(bin.Bytes(), made) {
				t.Errorf("seed %d: not the binary form that txt2bin makes: %v", seed, err)
			}
		}
	}
}
