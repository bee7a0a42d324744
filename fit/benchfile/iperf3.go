package benchfile

// iperf3 reads the output of iperf3 --json value by value, so that it can read a file of any
// length, and one that was cut off: start.test_start.blksize, and of each interval the rate of the
// sum of its streams. The time is the gap between the blocks of one stream. The summary at the end
// repeats the intervals, and is not read.
//
// Tested with iperf 3.2.
type iperf3 struct {
	active   bool
	size     float64
	streams  int
	rate     float64
	omitted  bool
	tables   openTables
	protocol string
}

func (f *iperf3) used() bool { return len(f.tables) > 0 }

// scalar reads a value anywhere in an object.
func (f *iperf3) scalar(p *parser, s *jsonScanner, text []byte) {
	switch depth := len(s.stack); {
	case depth == 3 && s.key(1) == "start" && s.key(2) == "test_start":
		switch s.key(3) {
		case "protocol":
			f.protocol = short(text)
		case "blksize":
			v, _ := parse(text)
			f.active, f.size = true, v.value
		case "num_streams":
			f.streams = number10(string(text))
		}
	case depth == 4 && f.active && s.key(1) == "intervals" && s.key(3) == "sum":
		switch s.key(4) {
		case "bits_per_second":
			v, _ := parse(text)
			f.rate = v.value / 8e6
		case "omitted":
			f.omitted = string(text) == "true"
		}
	}
}

// close reads the end of an object or array: the end of an interval's sum or of the whole output.
func (f *iperf3) close(p *parser, s *jsonScanner) {
	switch depth := len(s.stack); {
	case depth == 1:
		*f = iperf3{tables: f.tables}
	case depth == 4 && f.active && s.key(1) == "intervals" && s.key(3) == "sum":
		if !f.omitted && f.rate != 0 {
			t := Table{Format: "iperf3", Title: "iperf3 " + f.protocol, Kind: Gap}
			if f.streams > 1 {
				t.Title += ", streams: " + itoa(f.streams)
			}
			share := t.divide(1, max(1, f.streams))
			f.tables.table(p, t.Title, t).row(row{size: f.size, time: f.size / (f.rate * share)})
		}
		f.rate, f.omitted = 0, false
	}
}
