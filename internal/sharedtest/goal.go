package sharedtest

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

//go:embed testdata/goal.zip
var goalFile []byte

// Goal returns the schedules that this project made to compare with LogGOPSim: random/ by a random
// generator, patterns/ by its schedgen. random.csv and patterns.csv have the times and events that
// LogGOPSim printed for them, in ns: a row for each schedule and its parameters.
func Goal(t testing.TB) fs.FS {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(goalFile), int64(len(goalFile)))
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// binaries has a line for each schedule that was converted: the first bytes of the SHA-256 of its
// text, and of the binary form that txt2bin of LogGOPSim makes of it.
//
//go:embed testdata/txt2bin.txt
var binaries string

// CheckBinary fails the test unless bin is the binary form that LogGOPSim's converter makes of a
// schedule's text. Where the converter is beside the checkout, it runs; else its result is looked
// up.
func CheckBinary(t testing.TB, text, bin []byte) {
	t.Helper()
	line := short(text) + " " + short(bin)
	switch made := convert(t, text); {
	case made != nil && !bytes.Equal(made, bin):
		t.Errorf("not the binary form that txt2bin makes of %.200q", text)
	case !strings.Contains(binaries, line+"\n") && made != nil:
		t.Errorf("testdata/txt2bin.txt lacks the line: %s", line)
	case !strings.Contains(binaries, line+"\n"):
		t.Errorf("txt2bin makes another binary form of %.200q, or was not run on it", text)
	}
}

func short(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}

// convert returns what txt2bin makes of a text; nil if it is not at hand or does not run.
func convert(t testing.TB, text []byte) []byte {
	program, found := find("peers/loggopsim/txt2bin")
	if !found {
		return nil
	}
	in, out := filepath.Join(t.TempDir(), "in.goal"), filepath.Join(t.TempDir(), "out.bin")
	if err := os.WriteFile(in, text, 0o666); err != nil {
		t.Fatal(err)
	}
	if said, err := exec.Command(program, "-i", in, "-o", out).CombinedOutput(); err != nil {
		t.Logf("txt2bin does not run: %v: %s", err, said)
		return nil
	}
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
