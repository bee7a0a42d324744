package benchfile

import (
	"encoding/json"
	"errors"
	"strconv"

	"github.com/halfpeak/halfpeak/internal/lex"
)

// iperf3 reads the output of iperf3 --json: the size of blocks in start.test_start, and of each
// interval the rate of the sum of its streams. The time is the gap between the blocks of one
// stream. The summary at the end repeats the intervals, and is not read. Intervals are read one by
// one, so that those of a file that is cut off count. The parts that are read, of iperf 3.2:
//
//	{"start": {"test_start": {"protocol": "TCP", "num_streams": 1, "blksize": 131072}},
//	 "intervals": [
//	  {"sum": {"bits_per_second": 9.41e9, "omitted": false}},
//	  {"sum": {"bits_per_second": 9.38e9, "omitted": false}}]}
//
// Tested with iperf 3.2.
type iperf3 struct {
	active bool
	test   struct {
		Protocol  string
		BlockSize float64 `json:"blksize"`
		Streams   int     `json:"num_streams"`
	}
	tables openTables
}

func (f *iperf3) used() bool { return len(f.tables) > 0 }

// begin reads the value of the key start, which other JSON may have too.
func (f *iperf3) begin(value json.RawMessage) {
	var start struct {
		Test json.RawMessage `json:"test_start"`
	}
	if json.Unmarshal(value, &start) == nil && len(start.Test) > 0 {
		f.active = json.Unmarshal(start.Test, &f.test) == nil && f.test.BlockSize > 0
	}
}

// intervals reads the array of intervals, and calls progress after each.
func (f *iperf3) intervals(p *parser, dec *json.Decoder, progress func()) error {
	if token, err := dec.Token(); err != nil || token != json.Delim('[') {
		return errors.Join(err, errors.New("the intervals of iperf3 are not an array"))
	}
	for dec.More() {
		var interval struct {
			Sum struct {
				Rate    float64 `json:"bits_per_second"`
				Omitted bool
			}
		}
		if err := dec.Decode(&interval); err != nil {
			return err
		}
		progress()
		// iperf3 --omit marks the first intervals, in which TCP is still in its slow start.
		if sum := interval.Sum; !sum.Omitted && sum.Rate != 0 {
			// bit/s to bytes/µs
			f.add(p, sum.Rate/8e6)
		}
	}
	_, err := dec.Token()
	return err
}

// add adds a row with the rate of all streams in bytes/µs.
func (f *iperf3) add(p *parser, rate float64) {
	t := Table{Format: "iperf3", Title: "iperf3 " + lex.Short([]byte(f.test.Protocol)), Kind: Gap}
	if f.test.Streams > 1 {
		t.Title += ", streams: " + strconv.Itoa(f.test.Streams)
	}
	share := t.divide(1, max(1, f.test.Streams))
	size := f.test.BlockSize
	f.tables.table(p, t.Title, t).row(row{size: size, time: size / (rate * share)})
}
