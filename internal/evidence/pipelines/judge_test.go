//go:build linux

package main

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/plot/cmpimg"
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
		if math.Abs(all[i].predicted.Value-want) > 1e-9 || math.Abs(all[i].error()+0.1/1.1) > 1e-9 {
			t.Errorf("%+v, want a prediction of %v µs", all[i], want)
		}
	}
}

// A launch whose word comes at once ran on one core, and does not count.
func TestApart(t *testing.T) {
	rows := [][]string{
		{"p", "a", "4096", "1024", "5"}, {"p", "word", "4096", "1024", "0.06"},
		{"p", "a", "4096", "2048", "6"}, {"p", "word", "4096", "2048", "0.03"},
		{"p", "a", "4096", "4096", "7"}, {"p", "word", "4096", "4096", "0.05"},
	}
	kept, err := apart(rows)
	if err != nil || len(kept) != 4 || kept[2][3] != "4096" {
		t.Errorf("%v, %v", kept, err)
	}
}

// Both packets take 10 µs, and each is faster by chance in one half of the launches: in the other
// half it is not.
func TestLossInHalves(t *testing.T) {
	a := run{launches: []float64{8, 10, 8, 10}}
	b := run{launches: []float64{10, 8, 10, 8}}
	if loss := lossInHalves([]run{a, b}, a); math.Abs(loss) > 0.25 || loss > 0 {
		t.Errorf("the loss is %v", loss)
	}
	b.launches = []float64{5, 4, 5, 4}
	if loss, want := lossInHalves([]run{a, b}, a), (10./4+8./5)/2-1; math.Abs(loss-want) > 1e-9 {
		t.Errorf("the loss is %v, want %v", loss, want)
	}
}

// docs/pipelines.md has the numbers and the picture of the launches that are kept here. They were
// measured by this project on 2026-11-26: Open MPI 4.1.4, two processors of 2.8 GHz (Ice Lake, a
// virtual machine).
func TestPage(t *testing.T) {
	page, err := os.ReadFile("../../../docs/pipelines.md")
	if err != nil {
		t.Fatal(err)
	}
	drawn := filepath.Join(t.TempDir(), "pipelines.png")
	var tables bytes.Buffer
	err = judge(&tables, []string{"testdata/openmpi.csv.gz", "testdata/proxy.csv.gz",
		"testdata/engine.csv.gz"}, picture{drawn, 1 << 20, 32 << 10})
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(string(page)), " ")
	for _, pair := range [][2]string{ // in the tables, and on the page
		{"all: 114 times, median error 5.6 %, 90 % below 14.5 %",
			"All 114 times: median error 5.6 %, 90 % below 14.5 %"},
		{"43 times, median error 4.1 %, 90 % below 11.0 %", "Open MPI 4.1 and 11.0 %"},
		{"43 times, median error 7.6 %, 90 % below 20.0 %", "proxy 7.6 and 20.0 %"},
		{"28 times, median error 6.6 %, 90 % below 11.7 %", "engine 6.6 and 11.7 %"},
		{"intervals hold 98 %, of 812 single launches 86 %",
			"hold 98 % of the times, and 86 % of 812 single launches"},
		{"| 64 KiB, 93.4 µs | 4.2 % | 3.9 % |", "| 64 KiB, 93.4 µs | 4.2 % | 3.9 % |"},
		{"| 512 KiB, 236.7 µs | 2.6 % | -10.1 % |", "| 512 KiB, 237 µs | 2.6 % | −10.1 % |"},
		{"| 512 KiB, 2383.1 µs | 4.5 % | -4.3 % |", "| 512 KiB, 2383 µs | 4.5 % | −4.3 % |"},
	} {
		if !strings.Contains(tables.String(), pair[0]) {
			t.Errorf("the tables lack %q", pair[0])
		}
		if !strings.Contains(text, pair[1]) {
			t.Errorf("the page lacks %q", pair[1])
		}
	}
	got, err := os.ReadFile(drawn)
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("../../../docs/pipelines.png")
	if err != nil {
		t.Fatal(err)
	}
	// Processors with fused multiply-add round edges of lines differently.
	if same, err := cmpimg.EqualApprox("png", got, want, 0.02); err != nil || !same {
		t.Errorf("docs/pipelines.png is not what --plot draws (%v)", err)
	}
}
