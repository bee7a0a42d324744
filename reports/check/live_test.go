//go:build linux

package check

import (
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/internal/engine/live"
	"github.com/halfpeak/halfpeak/internal/engine/programs"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/table"
)

// measuredLike are rows of the training set of a machine with these costs, in the order in which
// ValidateLive measures them: 10 µs + 0.01 µs/B one way, 5 µs + 0.005 µs/B behind each other, and
// packets of 1 µs + 0.001 µs/B in each of three stages.
func measuredLike(x trial) []live.Row {
	var rows []live.Row
	for _, n := range trainSizes {
		rows = append(rows, live.Row{Size: n, Time: quantity.Alone(10 + quantity.Micros(n)/100)})
	}
	for _, n := range trainSizes {
		rows = append(rows, live.Row{Size: n, Time: quantity.Alone(5 + quantity.Micros(n)/200)})
	}
	for _, p := range x.trainPackets {
		stage := 1 + quantity.Micros(p)/1000
		count := quantity.Micros(trainMessage / p)
		rows = append(rows, live.Row{Size: p, Time: quantity.Alone(3 * stage), Stages: programs.StageTimes{stage, stage, stage}}, live.Row{Size: trainMessage, Time: quantity.Alone((count + 2) * stage)})
	}
	return append(rows, live.Row{Size: 16, Time: quantity.Alone(10.)}, live.Row{Size: 1, Time: quantity.Alone(2.)})
}

func TestLivePredictions(t *testing.T) {
	x := trialOf(live.Shm)
	v := &LiveValidation{Transport: live.Shm}
	if err := v.fit(x, measuredLike(x), nil); err != nil {
		t.Fatal(err)
	}
	if v.LogPError == nil || v.Short != 10 || v.HandOver != 2 {
		t.Errorf("LogP %v, short %v, hand over %v", v.LogPError, v.Short, v.HandOver)
	}
	check := func(j live.Job, quantity string, want float64) {
		t.Helper()
		p := v.predict(j)
		if p.Quantity != quantity {
			t.Errorf("%+v: %q; want %q", j, p.Quantity, quantity)
		}
		near(t, p.Quantity, float64(p.Predicted), want, 1e-6)
	}
	check(live.Job{Program: "ping_bulk", Size: 2500}, "one way", 35)
	check(live.Job{Program: "thru_bulk", Size: 2500}, "interval", 17.5)
	// 64 KiB in 16 packets of 4 KiB: three stages of 5.096 µs, and 15 more behind.
	check(live.Job{Program: "ping_bulk", Size: 64 << 10, Piece: 4 << 10}, "one way, packets of 4 KiB", 18*5.096)
	// One credit: there and back, 10 + 40.96 µs and 10 µs.
	check(live.Job{Program: "thru_bulk", Size: 4096, Credits: 1}, "interval, 1 credit", 60.96)
	check(live.Job{Program: "thru_bulk", Size: 4096, Credits: 2}, "interval, 2 credits", 60.96/2)
}

func TestLiveVerdict(t *testing.T) {
	v := &LiveValidation{Results: []livePrediction{
		{Size: 64 << 10, Packet: 2 << 10, Predicted: 100, Measured: quantity.Alone(110.)}, // chosen
		{Size: 64 << 10, Packet: 4 << 10, Predicted: 120, Measured: quantity.Alone(100.)}, // the fastest
		{Size: 1, Predicted: 3, Measured: quantity.Alone(4.)},
	}}
	want := "median error 20.0 % over 3 points that no fit has seen; worst 25.0 %"
	var b strings.Builder
	if err := (table.Printer{}).Write(&b, table.Rows{Verdict: v.verdict()}); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); !strings.HasSuffix(got, "\n"+want+"\n") {
		t.Errorf("%s, want %s", got, want)
	}
	want = "best packet for 64 KiB: 2 KiB predicted, 4 KiB measured; the predicted one takes 10.0 % more time than the best"
	if got := v.packet(); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// What is saved is a platform, whose layers cost what the models say.
func TestLiveDocument(t *testing.T) {
	x := trialOf(live.Shm)
	v := &LiveValidation{Transport: live.Shm, Largest: 16 << 10}
	if err := v.fit(x, measuredLike(x), nil); err != nil {
		t.Fatal(err)
	}
	v.LogPError, v.LogP = nil, model.LogP{SendOverhead: 1, ReceiveOverhead: 2, Latency: 3, GapTime: 4}
	text, err := v.toml(string(v.Transport), v.Largest)
	if err != nil {
		t.Fatal(err)
	}
	p, err := platforms.Parse("mine.toml", []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for name, want := range map[string]float64{"shm": 10 + 30, "shm-loggp": 1 + 2 + 3 + 2999./200, "shm-packets": 3 * (1 + 3)} {
		l, err := p.Layer(name)
		if err != nil {
			t.Fatal(err)
		}
		got := l.Model.OneWay(3000)
		if name == "shm-packets" { // one packet is not the best way: what it takes is a bound
			if float64(got) > want*(1+1e-9) {
				t.Errorf("%s: 3000 B take %v; one packet takes %v µs", name, got, want)
			}
			continue
		}
		near(t, name, float64(got), want, 1e-6)
	}
}
