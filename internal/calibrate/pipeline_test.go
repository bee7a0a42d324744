package calibrate

import (
	"slices"
	"strings"
	"testing"
)

// The time of a case is the lower quartile of its launches; foreign lines are left out, and a
// packet above its message counts as the message.
func TestReadPipelines(t *testing.T) {
	const text = "mpirun says hello\n" + PipelineHeader + "\n" +
		"pipeline,stage,message_bytes,packet_bytes,time_us\n" +
		"mpi,send,1000,250,4\nmpi,send,1000,2000,9\n" + PipelineHeader + "\n" +
		"mpi,send,1000,250,2\nmpi,send,1000,1000,7\nmpi,who"
	p, err := ReadPipelines(strings.NewReader(text), "pipe.csv")
	if err != nil {
		t.Fatal(err)
	}
	if !IsPipeline([]byte(text)) || len(p.Cases) != 2 {
		t.Fatalf("cases %v", p.Cases)
	}
	if got := p.Time(p.Cases[0]); got < 2 || got >= 3 {
		t.Errorf("250 bytes take %v, want the lower quartile of 2 and 4 µs", got)
	}
	if c := p.Cases[1]; c.Packet != 1000 || len(p.Launches(c)) != 2 {
		t.Errorf("case %v has launches %v", c, p.Launches(c))
	}
}

// In a launch whose word comes at once, both processors are threads of one core: another machine.
func TestReadPipelinesSharedCore(t *testing.T) {
	var text strings.Builder
	for _, word := range []string{"0.05", "0.06", "0.024", "0.055"} {
		text.WriteString(PipelineHeader + "\nmpi,send,1000,250," + word + "\nmpi,word,1000,250," +
			word + "\nmpi,word,1000,500,0.05\nmpi,send,1000,500,7\n")
	}
	p, err := ReadPipelines(strings.NewReader(text.String()), "pipe.csv")
	if err != nil {
		t.Fatal(err)
	}
	if p.Left != 1 || p.All != 8 || len(p.Cases) != 2 {
		t.Errorf("%d of %d packets are left out; cases %v", p.Left, p.All, p.Cases)
	}
	for c, want := range map[PipelineCase][]float64{
		{"mpi", "send", 1000, 250}: {0.05, 0.06, 0.055},
		{"mpi", "send", 1000, 500}: {7, 7, 7, 7},
	} {
		if got := p.Launches(c); !slices.Equal(got, want) {
			t.Errorf("%v has launches %v, want %v", c, got, want)
		}
	}
}

func TestReadPipelinesErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                                    "ended before its first",
		"mpi,whole,10,5,1\n":                  "ended before its first",
		"mpi,send,10,0,1\n":                   "x:1: a row needs",
		"mpi,send,10,5,NaN\n":                 "x:1: a row needs",
		"mpi,send,10,5,-1\n":                  "x:1: a row needs",
		"mpi,send,1e3,5,1\n":                  "x:1: a row needs",
		"MPI!,send,10,5,1\n":                  "x:1: invalid pipeline",
		"mpi,send,99999999999999999999,5,1\n": "x:1: a row needs",
	} {
		if _, err := ReadPipelines(strings.NewReader(text), "x"); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func FuzzReadPipelines(f *testing.F) {
	f.Add(PipelineHeader + "\nmpi,send,10,5,1\nmpi,send-busy,10,5,2\n")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ReadPipelines(strings.NewReader(text), "x")
		if err != nil {
			return
		}
		for _, c := range p.Cases {
			if !(p.Time(c) > 0) || c.Packet > c.Message {
				t.Errorf("%v takes %v", c, p.Time(c))
			}
		}
	})
}
