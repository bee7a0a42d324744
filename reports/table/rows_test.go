package table

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/halfpeak/halfpeak/model/quantity"
)

var sample = Rows{
	Columns: []Column{
		{Key: "platform", Head: "platform"},
		{Key: "size_bytes", Head: "size"},
		{Key: "one_way_us", Head: "one way"},
		{Key: "error_percent", Head: "error %", Text: func(v any) string {
			return strconv.FormatFloat(v.(float64), 'f', 1, 64)
		}},
		{Key: "plan_bytes", Head: "plan"},
		{Key: "packets"},
		{Key: "exact", Head: "exact"},
	},
	Data: [][]any{
		{"clip", quantity.Bytes(65536), quantity.Micros(589.3), 0.1 + 0.2, []int{1, 2, 3}, 16,
			true},
		{"a|b_c <d>, \"e\"\n", quantity.Bytes(1), quantity.Micros(math.NaN()), math.Inf(1), nil,
			nil, false},
		{nil, nil, quantity.Micros(1.0 / 3), -1.25, []float64{}, -1, nil},
	},
	Notes: []Note{{Text: "Times are *one-way*."}},
}

func TestWrite(t *testing.T) {
	check := func(f TableFormat, r Rows, want string) {
		t.Helper()
		var b strings.Builder
		if err := writeTable(&b, f, r); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.TrimPrefix(want, "\n"), b.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", f, diff)
		}
	}
	check(JSON, sample, `
[
{"platform":"clip","size_bytes":65536,"one_way_us":589.3,"error_percent":0.3,"plan_bytes":[1,2,3],"packets":16,"exact":true},
{"platform":"a|b_c <d>, \"e\"\n","size_bytes":1,"one_way_us":null,"error_percent":null,"plan_bytes":null,"packets":null,"exact":false},
{"platform":null,"size_bytes":null,"one_way_us":0.333333333333,"error_percent":-1.25,"plan_bytes":[],"packets":-1,"exact":null}
]
`)
	check(CSV, sample, `
platform,size_bytes,one_way_us,error_percent,plan_bytes,packets,exact
clip,65536,589.3,0.3,1 2 3,16,true
"a|b_c <d>, ""e""
",1,,,,,false
,,0.333333333333,-1.25,,-1,
`)
	check(Text, sample, `
platform           size   one way  error %  plan   exact
──────────────────────────────────────────────────────────
clip             64 KiB    589 µs      0.3  1 2 3  yes
a|b_c <d>, "e"      1 B         –        –  –      no
–                     –  0.333 µs     -1.2         –

Times are *one-way*.
`)
	check(Markdown, sample, `
| platform | size | one way | error % | plan | exact |
|:--- | ---:| ---:| ---:|:--- |:--- |
| clip | 64 KiB | 589 µs | 0.3 | 1 2 3 | yes |
| a\|b_c \<d>, "e"  | 1 B | – | – | – | no |
| – | – | 0.333 µs | -1.2 |  | – |

- Times are \*one-way\*.
`)
	// A table without rows.
	empty := Rows{Columns: sample.Columns[:2]}
	check(JSON, empty, "[]\n")
	check(CSV, empty, "platform,size_bytes\n")
	check(Text, empty, "platform  size\n────────────────\n")
}

func TestWriteRefuses(t *testing.T) {
	check := func(f TableFormat, r Rows, want string) {
		t.Helper()
		var b bytes.Buffer
		err := writeTable(&b, f, r)
		if err == nil || err.Error() != want {
			t.Errorf("got error %v, want %s", err, want)
		}
		if b.Len() > 0 {
			t.Errorf("wrote %q", b.String())
		}
	}
	column := []Column{{Key: "k"}}
	check(JSON, Rows{Columns: column, Data: [][]any{{1}, {1, 2}}},
		"row 2 has 2 cells; the table has 1 columns")
	check(CSV, Rows{Columns: column, Data: [][]any{{struct{}{}}}},
		`row 1: a struct {} under "k" is not a value of a table`)
	check("yaml", Rows{}, `unknown format "yaml"; choose one of text, markdown, csv, json`)

	full := errors.New("full")
	if err := writeTable(failing{full}, JSON, sample); !errors.Is(err, full) {
		t.Errorf("got error %v, want %v", err, full)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestUnknownFormat(t *testing.T) {
	if err := writeTable(io.Discard, "yaml", Rows{}); err == nil ||
		err.Error() != `unknown format "yaml"; choose one of text, markdown, csv, json` {
		t.Error(err)
	}
}

// Four digits, each threshold beside its neighbour.
func TestSignificant(t *testing.T) {
	check := func(v float64, want string) {
		t.Helper()
		if got := Significant(v, 4); got != want {
			t.Errorf("%v prints as %s, want %s", v, got, want)
		}
	}
	check(0, "0")
	check(589.3, "589.3")
	check(-58.84, "-58.84")
	check(12345.6, "12346")
	check(9.99951, "10.00")
	check(9.99949, "9.999")
	check(1e-4, "0.0001000")
	check(9.9e-5, "9.900e-05")
	check(999949999, "999949999")
	check(1e9, "1.000e+09")
}

// FuzzWrite: what CSV and JSON print reads back as what was written, to 12 digits.
func FuzzWrite(f *testing.F) {
	f.Add("a,b\"c\n", 1.5, int64(3), true)
	f.Add("\xff\u2028<", math.NaN(), int64(math.MinInt64), false)
	f.Add("", 1e-300, int64(0), false)
	f.Add("x\ry", math.MaxFloat64, int64(-1), true)
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		f.Add("s", math.Float64frombits(rnd.Uint64()), rnd.Int64(), false)
	}
	f.Fuzz(func(t *testing.T, s string, x float64, n int64, yes bool) {
		s = strings.ToValidUTF8(s, "\ufffd")
		r := Rows{
			Columns: []Column{{Key: "s"}, {Key: "x", Head: "x"}, {Key: "n", Head: s}, {Key: "yes"}},
			Data:    [][]any{{s, x, n, yes}, {s, quantity.Micros(-x), n, yes}},
		}
		for _, f := range []TableFormat{Text, Markdown} {
			if err := writeTable(&bytes.Buffer{}, f, r); err != nil {
				t.Fatal(err)
			}
		}
		var b bytes.Buffer
		if err := writeTable(&b, JSON, r); err != nil {
			t.Fatal(err)
		}
		var objects []struct {
			S   string
			X   *float64
			N   int64
			Yes bool
		}
		if err := json.Unmarshal(b.Bytes(), &objects); err != nil {
			t.Fatalf("%v in\n%s", err, b.Bytes())
		}
		b.Reset()
		if err := writeTable(&b, CSV, r); err != nil {
			t.Fatal(err)
		}
		records, err := csv.NewReader(&b).ReadAll()
		if err != nil || len(records) != 3 || len(objects) != 2 {
			t.Fatalf("%d records, %d objects, %v", len(records), len(objects), err)
		}
		for i, want := range []float64{x, -x} {
			o, rec := objects[i], records[i+1]
			if o.S != s || o.N != n || o.Yes != yes {
				t.Errorf("JSON: got %+v", o)
			}
			// A ' keeps spreadsheets from evaluating a text, and control characters are escapes of
			// JSON. A backslash of the text itself is not doubled, so that it may look like one.
			var text string
			quoted := `"` + strings.NewReplacer(`"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(rec[0]) + `"`
			if err := json.Unmarshal([]byte(quoted), &text); strings.Contains(s, `\`) || !utf8.ValidString(s) {
				text = s
			} else if err != nil {
				t.Errorf("CSV: %q: %v", rec[0], err)
			}
			if i := strings.IndexFunc(rec[0], func(c rune) bool {
				return c != '\n' && c != '\t' && (unicode.IsControl(c) || unicode.Is(unicode.Cf, c))
			}); i >= 0 || !utf8.ValidString(rec[0]) {
				t.Errorf("CSV: %q has a control character", rec[0])
			}
			if text != s && text != "'"+s || rec[2] != strconv.FormatInt(n, 10) ||
				rec[3] != strconv.FormatBool(yes) {
				t.Errorf("CSV: got %q", rec)
			}
			if math.IsNaN(want) || math.IsInf(want, 0) {
				if o.X != nil || rec[1] != "" {
					t.Errorf("%v is there: %v, %q", want, o.X, rec[1])
				}
				continue
			}
			fromCSV, err := strconv.ParseFloat(rec[1], 64)
			if err != nil || o.X == nil || !near(fromCSV, want) || !near(*o.X, want) {
				t.Errorf("%v reads back as %v and %v (%v)", want, o.X, rec[1], err)
			}
		}
	})
}

// near allows for rounding to 12 digits; of a denormal, to the next one.
func near(got, want float64) bool {
	return math.Abs(got-want) <= 1e-11*math.Abs(want)+5e-324
}
