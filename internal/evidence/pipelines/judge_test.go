//go:build linux

package main

import (
	"math"
	"os"
	"path/filepath"
	"testing"
)

// The judge must measure what the file says: a prediction 10 % too low, whatever the reader does.
func TestJudge(t *testing.T) {
	const rows = `# halfpeak pipeline 1
pipeline,stage,message_bytes,packet_bytes,time_us
p,a,4096,2048,2
p,b,4096,2048,3
p,a,4096,4096,4
p,b,4096,4096,5
p,whole,4096,2048,8.8
p,whole,4096,8192,9.9
`
	path := filepath.Join(t.TempDir(), "pipe.csv")
	if err := os.WriteFile(path, []byte(rows), 0o666); err != nil {
		t.Fatal(err)
	}
	all, err := measured(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := predict(path, all); err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{2 + 3 + 3, 4 + 5} { // two packets, the second stage is slower
		if math.Abs(all[i].predicted-want) > 1e-9 || math.Abs(all[i].error()+0.1/1.1) > 1e-9 {
			t.Errorf("%+v, want a prediction of %v µs", all[i], want)
		}
	}
}
