package benchfile

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/internal/lex"
)

// A netperfRun holds the values that a run has printed so far.
type netperfRun struct {
	size, response, time, min, max, median, throughput, perUs float64
	burst                                                     float64 // of the test
}

func (r *netperfRun) ok() bool { return r.time > 0 || r.min > 0 || r.throughput > 0 }

// The sizes on the command line, of requests and responses, and of sends; and the requests of the
// first burst: -b before the -- is another option.
var (
	netperfRequest = lex.NewPattern(`\s-r\s*(\d+)([KMGkmg]?)(?:,(\d+)([KMGkmg]?))?`)
	netperfSend    = lex.NewPattern(`\s-m\s*(\d+)([KMGkmg]?)`)
	netperfFirst   = lex.NewPattern(`\s--\s(?:.*\s)?-b\s*(\d+)([KMGkmg]?)`)
)

// netperfRates are the units of throughput, in bytes/µs; K, M and G of bytes are powers of two.
var netperfRates = map[string]float64{
	"10^3bits": 1e3 / 8e6, "10^6bits": 1. / 8, "10^9bits": 1e3 / 8,
	"kbytes": 1024 / 1e6, "mbytes": (1 << 20) / 1e6, "gbytes": (1 << 30) / 1e6, "bytes": 1e-6,
}

// netperfRate reads a unit such as "10^6bits/sec". The unit of transactions is "per sec".
func netperfRate(unit string) (rate float64, transactions, ok bool) {
	unit = strings.ToLower(unit)
	if unit == "per sec" || strings.HasPrefix(unit, "trans/s") {
		return 0, true, true
	}
	name, per, _ := strings.Cut(unit, "/")
	rate, ok = netperfRates[name]
	return rate, false, ok && strings.HasPrefix(per, "s")
}

// set sets the value of a key, as text in the unit.
func (r *netperfRun) set(key, text, unit string) {
	// classic writes a key with its unit: "THROUGHPUT 10^6bits/sec".
	if name, u, ok := strings.Cut(key, " "); ok {
		key, unit = name, u
	}
	v, ok := lex.Parse([]byte(strings.TrimSpace(text)))
	// A burst may be 0; any other value of 0 was not measured.
	if !ok || v.Value <= 0 && key != "BURST_SIZE" {
		return
	}
	rate, transactions, known := netperfRate(unit)
	if key == "THROUGHPUT" && transactions {
		key = "TRANSACTION_RATE"
	}
	switch key {
	case "REMOTE_SEND_SIZE":
		// The local size counts first: it is that of the send calls, unless the test receives.
		r.size = cmp.Or(r.size, v.Value)
	case "MEAN_LATENCY":
		r.time = cmp.Or(r.time, v.Value)
	case "TRANSACTION_RATE":
		// With b further requests under way, each takes 1+b times the interval between two of them.
		r.time = cmp.Or(r.time, (1+r.burst)*1e6/v.Value)
	case "THROUGHPUT":
		if known {
			r.throughput, r.perUs = v.Value*rate, v.Value
		}
	default:
		to := map[string]*float64{
			"REQUEST_SIZE": &r.size, "RESPONSE_SIZE": &r.response, "LOCAL_SEND_SIZE": &r.size,
			"BURST_SIZE": &r.burst, "RT_LATENCY": &r.time,
			"MIN_LATENCY": &r.min, "MAX_LATENCY": &r.max, "P50_LATENCY": &r.median,
		}[key]
		if to != nil {
			*to = v.Value
		}
	}
}

// table returns the table of a run of the test with the options of a command line, and completes
// the run's size and time; they stay 0 if they are not known. It reports whether the test measures
// messages.
func (r *netperfRun) table(test, command string) (t Table, measures bool) {
	// If a header of -o has no banner, its columns identify the test.
	stream := test == "" && r.throughput > 0
	for _, end := range []string{"STREAM", "MAERTS", "SENDFILE"} {
		stream = stream || strings.HasSuffix(test, end)
	}
	t = Table{Format: "netperf", Title: test, Kind: Gap}
	switch {
	case stream:
		if r.size == 0 {
			// Without -m the size is that of the socket's buffer, which is not known here.
			r.size = netperfOption(netperfSend, command, 1)
		}
		r.time, r.min, r.max, r.median = 0, 0, 0, 0
		if r.throughput > 0 {
			r.time = r.size / r.throughput
		}
	case test != "" && !strings.HasSuffix(test, "_RR"):
		// TCP_CRR and TCP_CC open a connection for each transaction, so they measure no message.
		return t, false
	default:
		if r.size == 0 {
			r.size = netperfOption(netperfRequest, command, 1)
			r.response = netperfOption(netperfRequest, command, 3)
			if r.size == 0 && command != "" {
				r.size, r.response = 1, 1 // its default
			}
		}
		if r.response == 0 {
			r.response = r.size
		}
		if r.time == 0 && r.throughput > 0 { // of both directions
			r.time = (1 + r.burst) * (r.size + r.response) / r.throughput
		}
		t.Kind = RoundTrip
		if r.response != r.size {
			t.Kind = Operation
			t.Title += ", responses of " + strconv.Itoa(int(min(r.response, 1e15))) + " B"
		}
	}
	t.Title = cmp.Or(t.Title, "netperf "+t.Kind.String())
	return t, true
}

// netperfOrder lists the keys in the order in which they are set: a burst before the rate of its
// transactions, and a time before the rate that stands in for it.
var netperfOrder = []string{
	"BURST_SIZE", "REQUEST_SIZE", "RESPONSE_SIZE", "LOCAL_SEND_SIZE",
	"RT_LATENCY", "MEAN_LATENCY", "MIN_LATENCY", "MAX_LATENCY", "P50_LATENCY",
	"TRANSACTION_RATE", "THROUGHPUT",
}

// setAll sets the values of keys, as -k of the test prints them.
func (r *netperfRun) setAll(keyed map[string]string, test string) {
	unit := keyed["THROUGHPUT_UNITS"]
	if unit == "" && strings.HasSuffix(test, "RR") {
		unit = "Trans/s"
	}
	for _, key := range netperfOrder {
		r.set(key, keyed[key], cmp.Or(unit, "10^6bits/s")) // its default without -f
	}
}

// netperfOption returns a size or count given on the command line; 0 if it is missing.
func netperfOption(option lex.Pattern, command string, at int) float64 {
	m := option().FindStringSubmatch(command)
	if m == nil || m[at] == "" {
		return 0
	}
	v, _ := lex.Parse([]byte(m[at]))
	// netperf reads K, M and G as powers of two, and k, m and g as powers of ten.
	unit := map[string]float64{
		"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "k": 1e3, "m": 1e6, "g": 1e9,
	}[m[at+1]]
	return v.Value * unit
}
