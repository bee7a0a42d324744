package openmpi

import (
	"bytes"
	"compress/gzip"
	"flag"
	"io"
	"os"
	"strings"
	"testing"
)

var (
	counted = flag.String("counts", "", "a `table` of count.sh instead of testdata/messages.csv.gz")
	asked   = flag.String("rules", "", "write the rules file of the table to this `file`")
	with    = flag.String("used", "", "a `table` of rules.sh, of calls with that file")
)

// Messages and bytes from rank to rank are those that Open MPI 4.1.4 itself counted, with its
// monitoring layer, for one call of each collective by each algorithm. count.sh counts.
func TestMessages(t *testing.T) {
	var b []byte
	var err error
	if *counted != "" {
		b, err = os.ReadFile(*counted)
	} else {
		b, err = os.ReadFile("testdata/messages.csv.gz")
		if err == nil {
			var z *gzip.Reader
			if z, err = gzip.NewReader(bytes.NewReader(b)); err == nil {
				b, err = io.ReadAll(z)
			}
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	all, err := counts(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	alike := 0
	for _, c := range all {
		if d := c.differs(); d != "" {
			t.Error(d)
		} else {
			alike++
		}
	}
	t.Logf("%d of %d calls alike", alike, len(all))
	if *counted == "" && alike < 500 {
		t.Errorf("only %d calls compared", alike)
	}
}

// A wrong count is seen, and a wrong table is an error.
func TestDiffers(t *testing.T) {
	const head = "collective,number,algorithm,segment,ranks,bytes,src,dst,messages,total_bytes\n"
	for _, c := range []struct {
		rows  string
		alike bool
	}{
		{"bcast,6,,0,3,8,0,1,1,8\nbcast,6,,0,3,8,0,2,1,8\n", true},
		{"bcast,6,,0,3,8,0,1,1,8\nbcast,6,,0,3,8,1,2,1,8\n", false},
		{"bcast,6,,0,3,8,0,1,1,8\nbcast,6,,0,3,8,0,2,2,8\n", false},
		{"bcast,99,,0,3,8,0,1,1,8\n", false},
		{"allreduce,2,,0,2,8,1,0,1,8\nallreduce,2,,0,2,8,0,1,1,8\n", true},
		{"allreduce,2,,0,2,8,1,0,1,8\nallreduce,2,,0,2,8,0,1,2,8\n", false},
	} {
		all, err := counts(strings.NewReader(head + c.rows))
		if err != nil || len(all) != 1 {
			t.Fatal(len(all), err)
		}
		if d := all[0].differs(); (d == "") != c.alike {
			t.Errorf("%s: %q", c.rows, d)
		}
	}
	for _, wrong := range []string{"a,b\n", head + "bcast,x,,0,3,8,0,1,1,8\n", head + "bcast,1\n", head + "bcast,-1,,0,3,8,0,1,1,8\n"} {
		if _, err := counts(strings.NewReader(wrong)); err == nil {
			t.Errorf("no error of %q", wrong)
		}
	}
}
