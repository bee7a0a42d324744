package collective_test

import (
	"compress/gzip"
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/engine/schedule/scheduletest"
)

// A pair of ranks, and what went from one to the other.
type pair struct{ from, to int }
type traffic struct{ messages, bytes uint64 }
type matrix map[pair]traffic

func (m matrix) add(o matrix) matrix {
	for p, t := range o {
		m[p] = traffic{m[p].messages + t.messages, m[p].bytes + t.bytes}
	}
	return m
}

func (m matrix) String() string {
	var lines []string
	for p, t := range m {
		lines = append(lines, fmt.Sprintf("%d>%d:%dx%d", p.from, p.to, t.messages, t.bytes))
	}
	slices.Sort(lines)
	return strings.Join(lines, " ")
}

func matrixOf(s *schedule.Schedule) matrix {
	m := matrix{}
	for op, o := range s.Ops() {
		if o.Kind == schedule.Send {
			m.add(matrix{{s.RankOf(uint32(op)), int(o.Peer)}: {1, o.Size}})
		}
	}
	return m
}

// A count is what a library sent in one call.
type count struct {
	collective             string
	number, segment, ranks int
	bytes                  uint64
}

// counts reads a table as count.sh makes it.
func counts(t *testing.T, r io.Reader) map[count]matrix {
	t.Helper()
	rows, err := csv.NewReader(r).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if want := "collective,number,algorithm,segment,ranks,bytes,src,dst,messages,total_bytes"; strings.Join(rows[0], ",") != want {
		t.Fatalf("columns are %q, want %q", rows[0], want)
	}
	all := map[count]matrix{}
	for _, row := range rows[1:] {
		var n [10]int
		for i := range row {
			if i == 0 || i == 2 {
				continue
			}
			if n[i], err = strconv.Atoi(row[i]); err != nil {
				t.Fatal(err)
			}
		}
		c := count{row[0], n[1], n[3], n[4], uint64(n[5])}
		if all[c] == nil {
			all[c] = matrix{}
		}
		all[c].add(matrix{{n[6], n[7]}: {uint64(n[8]), uint64(n[9])}})
	}
	return all
}

// sums is what the collective sends with each of its algorithms and a few segments: what the
// fixed rules of a library may have chosen.
func sums(t *testing.T, name string, ranks int, c collective.Call) map[string]matrix {
	all := map[string]matrix{}
	for _, e := range collective.Of(name) {
		for _, segment := range []uint64{0, 1024, 8192, 32 << 10, 64 << 10} {
			if e.OpenMPI == 0 || e.Ranks != 0 && ranks != e.Ranks || segment > 0 && e.Takes&collective.Segment == 0 {
				continue
			}
			c.Segment = segment
			s, err := e.Schedule(ranks, c)
			if err != nil {
				t.Fatal(err)
			}
			all[fmt.Sprintf("%s/%d", e.Name, segment)] = matrixOf(s)
		}
	}
	return all
}

// compare says whether our schedules send what the library sent.
func compare(t *testing.T, all map[count]matrix) {
	t.Helper()
	alike := 0
	keys := slices.SortedFunc(maps.Keys(all), func(a, b count) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	for _, key := range keys {
		want := all[key]
		name := strings.ReplaceAll(key.collective, "_", "-")
		call := collective.Call{Bytes: key.bytes, Segment: uint64(key.segment), Element: 4}
		if name == "bcast" {
			call.Element = 1 // chars are sent, and integers summed
		}
		number := key.number
		// A call that is two others, each by the library's fixed rules.
		first, second, firstBytes, secondBytes := "", "", key.bytes, key.bytes
		switch {
		case name == "barrier":
			call.Bytes, call.Element = 0, 0
		case name == "allreduce" && number == 2:
			first, second = "reduce", "bcast"
		case strings.HasPrefix(name, "reduce-scatter") && number == 1:
			first, second = "reduce", "scatter"
			firstBytes *= uint64(key.ranks)
		case name == "allgather" && number == 1:
			first, second = "gather", "bcast"
			secondBytes *= uint64(key.ranks)
		}
		if first != "" {
			found := ""
			for a, before := range sums(t, first, key.ranks, collective.Call{Bytes: firstBytes, Element: 4}) {
				for b, then := range sums(t, second, key.ranks, collective.Call{Bytes: secondBytes, Element: 1}) {
					if both := (matrix{}).add(before).add(then); maps.Equal(both, want) {
						found = a + " and " + b
					}
				}
			}
			if found == "" {
				t.Errorf("%+v: no %s and %s of ours send %s", key, first, second, want)
			} else {
				alike++
			}
			continue
		}
		at := slices.IndexFunc(collective.Algorithms, func(e collective.Entry) bool {
			return e.Collective == name && e.OpenMPI == number
		})
		if at < 0 {
			t.Errorf("%+v: not in the list", key)
			continue
		}
		s, err := collective.Algorithms[at].Schedule(key.ranks, call)
		if err != nil {
			t.Errorf("%+v: %v", key, err)
			continue
		}
		if got := matrixOf(s); !maps.Equal(got, want) {
			t.Errorf("%+v (%s):\nours   %s\ntheirs %s", key, collective.Algorithms[at].Name, got, want)
			continue
		}
		alike++
	}
	t.Logf("%d of %d calls alike", alike, len(keys))
}

// Messages and bytes from rank to rank are those that Open MPI 4.1.4 itself counted.
func TestOpenMPIMessages(t *testing.T) {
	files := []string{filepath.Join(scheduletest.Shared(t, "data/collectives"), "openmpi-messages.csv.gz")}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		compare(t, counts(t, z))
	}
}
