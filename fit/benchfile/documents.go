package benchfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/internal/lex"
)

// documents reads what benchmarks write as JSON of their own: iperf3 --json and --json-stream,
// nccl-tests -J and perftest --out_json. Their parts that are read:
//
//	{"start": {"test_start": {"protocol": "TCP", "num_streams": 1, "blksize": 131072}},
//	 "intervals": [{"sum": {"bits_per_second": 9.41e9, "omitted": false}}]}
//	{"event": "interval", "data": {"sum": {"bits_per_second": 9.41e9, "omitted": false}}}
//	{"config": {"nthreads": 1, "ngpus": 8}, "results": [{"size": 1024, "out_of_place":
//	 {"time": 30.0, "nwrong": 0}, "in_place": null, "experiment_name": "AllReduce"}]}
//	{"test_info": {"test": "Send_Latency_Test"}, "results": {"MsgSize": 2, "t_avg": 1.2}}
//
// The time of iperf3 is the gap between the blocks of one stream. The summary at its end repeats
// the intervals, and only its losses are read: the rate of a UDP sender counts messages that never
// arrived. With --bidir, each direction is a table. Intervals are read one by one, so that those of
// a file that is cut off count.
//
// Tested with iperf 3.2, 3.9 and 3.17, nccl-tests 2.17 and perftest 24.
type documents struct {
	iperf    iperfTest
	active   bool // the document is one of iperf3
	stream   bool // of --json-stream: the test stays until the next one begins
	tables   openTables
	duplex   bool                       // both directions were seen
	parts    map[string]json.RawMessage // of the present document
	partSize int
}

// iperfTest is the part of iperf3's start that is read.
type iperfTest struct {
	Protocol  string
	BlockSize float64 `json:"blksize"`
	Streams   int     `json:"num_streams"`
	Reverse   int
}

// documentKeys are the keys of documents whose values are kept to their end.
var documentKeys = set("event", "data", "error", "end", "config", "results", "args", "env",
	"test_info", "benchmarks", "context")

func (f *documents) used() bool { return len(f.tables) > 0 }

// keep remembers a part of a document until its end, as long as all parts together are not long.
func (f *documents) keep(key string, value json.RawMessage) {
	if !documentKeys[key] || f.partSize+len(value) > maxHeldJSON {
		return
	}
	if f.parts == nil {
		f.parts = map[string]json.RawMessage{}
	}
	f.partSize += len(value)
	f.parts[key] = bytes.Clone(value)
}

// end reads what is left of a document, and reports whether it was one of a benchmark.
func (f *documents) end(p *parser) bool {
	parts := f.parts
	f.parts, f.partSize = nil, 0
	wasIperf := f.active
	switch {
	case parts["event"] != nil:
		wasIperf = f.event(p, parts)
	case f.active:
		f.finish(p, parts["end"])
	case parts["test_info"] != nil && parts["results"] != nil:
		return readPerftest(p, f, parts)
	case parts["benchmarks"] != nil && parts["context"] != nil:
		p.suggest("google-benchmark times functions of a program, and not messages: " +
			"it has no sizes")
	case bytes.Contains(parts["results"], []byte(`"stddev"`)) &&
		bytes.Contains(parts["results"], []byte(`"command"`)):
		p.suggest("hyperfine times commands, and not messages: it has no sizes")
	case parts["results"] != nil:
		return readNCCL(p, parts)
	}
	if text := parts["error"]; text != nil && (wasIperf || parts["end"] != nil) {
		f.failed(p, text)
		wasIperf = true
	}
	if !f.stream {
		f.active = false
	}
	return wasIperf
}

// event reads a line of --json-stream.
func (f *documents) event(p *parser, parts map[string]json.RawMessage) bool {
	data := parts["data"]
	switch string(plainText(parts["event"])) {
	case "start":
		f.begin(data)
		f.stream = f.active
	case "interval":
		if f.active && data != nil {
			f.interval(p, data)
		}
	case "end":
		if f.active {
			f.finish(p, data)
		}
		f.active, f.stream = false, false
		return true
	case "error":
		if data != nil {
			f.failed(p, data)
		}
		return true
	}
	return f.active
}

// failed refuses the file of a test that ended with an error: its rates are of a part of the test.
func (f *documents) failed(p *parser, text json.RawMessage) {
	p.fail(p.file.Lines, "iperf3 ended with an error: %q; run it again", lex.Short(plainText(text)))
}

// begin reads the value of the key start, which other JSON may have too.
func (f *documents) begin(value json.RawMessage) {
	var start struct {
		Test json.RawMessage `json:"test_start"`
	}
	if json.Unmarshal(value, &start) == nil && len(start.Test) > 0 {
		f.iperf = iperfTest{}
		f.active = json.Unmarshal(start.Test, &f.iperf) == nil && f.iperf.BlockSize > 0
		f.duplex = false
	}
}

// intervals reads the array of intervals, and calls progress after each.
func (f *documents) intervals(p *parser, dec *json.Decoder, progress func()) error {
	if token, err := dec.Token(); err != nil || token != json.Delim('[') {
		return errors.Join(err, errors.New("the intervals of iperf3 are not an array"))
	}
	for dec.More() {
		var interval json.RawMessage
		if err := dec.Decode(&interval); err != nil {
			return err
		}
		progress()
		f.interval(p, interval)
	}
	_, err := dec.Token()
	return err
}

// interval reads one interval: the sum of its streams, and that of the other direction. iperf 3.7
// to 3.9 write both under the key sum.
func (f *documents) interval(p *parser, value json.RawMessage) {
	way := 0
	for key, part := range members(value) {
		if key != "sum" && key != "sum_bidir_reverse" {
			continue
		}
		var sum struct {
			Rate    float64 `json:"bits_per_second"`
			Omitted bool
		}
		// iperf3 --omit marks the first intervals, in which TCP is still in its slow start.
		if json.Unmarshal(part, &sum) == nil && !sum.Omitted && sum.Rate > 0 {
			f.add(p, sum.Rate/8e6, way) // bit/s to bytes/µs
		}
		way++
	}
}

// members iterates over the keys of an object in their order, also those that come twice.
func members(object json.RawMessage) func(yield func(string, json.RawMessage) bool) {
	return func(yield func(string, json.RawMessage) bool) {
		dec := json.NewDecoder(bytes.NewReader(object))
		if t, err := dec.Token(); err != nil || t != json.Delim('{') {
			return
		}
		for dec.More() {
			key, err := dec.Token()
			var value json.RawMessage
			if err != nil || dec.Decode(&value) != nil {
				return
			}
			if name, ok := key.(string); !ok || !yield(name, value) {
				return
			}
		}
	}
}

// table returns the table of a direction: 0 for the first one, 1 for the other.
func (f *documents) table(p *parser, way int) (b *builder, share float64) {
	t := Table{Format: "iperf3", Title: "iperf3 " + lex.Short([]byte(f.iperf.Protocol)), Kind: Gap}
	if f.iperf.Streams > 1 {
		t.Title += ", streams: " + strconv.Itoa(f.iperf.Streams)
	}
	if f.iperf.Reverse > 0 {
		t.Title += ", reverse"
	}
	if way > 0 {
		t.Title += ", the other direction"
	}
	share = t.divide(1, max(1, f.iperf.Streams))
	return f.tables.table(p, t.Title, t), share
}

// add adds a row with the rate of all streams of a direction in bytes/µs.
func (f *documents) add(p *parser, rate float64, way int) {
	if way > 1 {
		return
	}
	b, share := f.table(p, way)
	size := f.iperf.BlockSize
	b.row(row{size: size, time: size / (rate * share)})
	if way == 1 && !f.duplex {
		f.duplex = true
		first, _ := f.table(p, 0)
		for _, b := range []*builder{first, b} {
			b.table.warn("both directions were measured at once, each with its own rate")
		}
	}
}

// finish reads the summary: the messages that a UDP sender has lost.
func (f *documents) finish(p *parser, value json.RawMessage) {
	var end struct {
		Sum struct {
			Lost float64 `json:"lost_percent"`
			Rate float64 `json:"bits_per_second"`
		}
		Sent     struct{ Sender *bool } `json:"sum_sent"`
		Received struct {
			Lost float64 `json:"lost_percent"`
			Rate float64 `json:"bits_per_second"`
		} `json:"sum_received"`
	}
	if value == nil || json.Unmarshal(value, &end) != nil || !f.used() {
		return
	}
	lost := max(end.Sum.Lost, end.Received.Lost)
	if lost <= 0 {
		return
	}
	b, share := f.table(p, 0)
	text := fmt.Sprintf("%.3g %% of the packets were lost: the rate is the sender's", lost)
	if rate := end.Received.Rate / 8e6; rate > 0 && rate < end.Sum.Rate/8e6 {
		gap := f.iperf.BlockSize / (rate * share)
		text += fmt.Sprintf("; by the receiver's, the gap is %.4g µs", gap)
	}
	b.table.warn(text)
}

// readPerftest reads a document of perftest --out_json, which has one size.
func readPerftest(p *parser, f *documents, parts map[string]json.RawMessage) bool {
	var info struct{ Test string }
	var results map[string]json.RawMessage
	if json.Unmarshal(parts["test_info"], &info) != nil ||
		json.Unmarshal(parts["results"], &results) != nil {
		return false
	}
	values := map[string]string{"test": info.Test}
	for key, value := range results {
		values[key] = string(plainText(value))
	}
	return perftestResult(p, &f.tables, values)
}

// readNCCL reads a document of nccl-tests -J.
func readNCCL(p *parser, parts map[string]json.RawMessage) bool {
	var results []map[string]json.RawMessage
	if json.Unmarshal(parts["results"], &results) != nil || len(results) == 0 ||
		results[0]["out_of_place"] == nil && results[0]["in_place"] == nil {
		return false
	}
	op, hosts := ncclConfig(parts)
	var tables openTables
	for _, r := range results {
		size, ok := lex.Parse(plainText(r["size"]))
		if !ok {
			continue
		}
		op := op
		if name := string(plainText(r["experiment_name"])); name != "" {
			op.Name = ncclOperation(name)
		}
		for _, where := range []string{"out-of-place", "in-place"} {
			var m map[string]json.RawMessage
			key := strings.ReplaceAll(where, "-", "_")
			if json.Unmarshal(r[key], &m) != nil || m == nil {
				continue
			}
			if m["cpu_time"] != nil {
				p.warn(cpuTimeOnly)
				continue
			}
			b := tables.table(p, op.Name+where, Table{
				Format: "nccl-tests", Title: strings.TrimSpace(op.Name + " " + where),
				Series: where, Kind: Collective, Collective: op, Hosts: hosts,
			})
			if wrong, ok := lex.Parse(plainText(m["nwrong"])); ok && wrong.Value > 0 {
				b.count(invalid)
			}
			t, _ := lex.Parse(plainText(m["time"]))
			b.resolution(0.01) // the text has two decimals, and the JSON six of the same value
			b.row(row{size: size.Value, time: t.Value})
		}
	}
	return true
}

// ncclConfig returns the place of the ranks and the algorithm of a document of nccl-tests -J.
func ncclConfig(parts map[string]json.RawMessage) (op CollectiveOp, hosts []string) {
	var config struct {
		Threads int `json:"nthreads"`
		GPUs    int `json:"ngpus"`
		Devices []struct {
			Host string `json:"hostname"`
		}
	}
	_ = json.Unmarshal(parts["config"], &config) // what it lacks is unknown
	var env, args []string
	_, _ = json.Unmarshal(parts["env"], &env), json.Unmarshal(parts["args"], &args)
	// A device is listed for each process.
	op.Ranks = min(max(1, len(config.Devices))*max(0, config.Threads)*max(0, config.GPUs), 1<<24)
	seen := map[string]bool{}
	for _, d := range config.Devices {
		if name := lex.Plain(d.Host); name != "" && !seen[name] && len(hosts) < maxHosts {
			seen[name], hosts = true, append(hosts, name)
		}
	}
	if len(hosts) > 0 {
		op.Nodes = len(hosts)
		op.place()
	}
	for _, text := range env {
		if algorithm, _, ok := lex.Algorithm(text); ok {
			op.Algorithm = algorithm
		}
	}
	if len(args) > 0 {
		op.Name = ncclOperation(filepath.Base(args[0]))
	}
	return op, hosts
}
