package benchfile

import (
	"errors"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/internal/sharedtest"
)

// recognised reads a text by what its columns do alone, without the readers of formats.
func recognised(text string) (tables []*Table, blocks []*block) {
	x, p := recogniser{}, &parser{file: &File{}, tableLimit: maxTables}
	for line := range strings.Lines(text) {
		p.file.Lines++
		open := x.open
		x.look(p, []byte(line), false)
		if open != nil && x.open != open {
			blocks = append(blocks, open)
		}
	}
	if x.open != nil {
		blocks = append(blocks, x.open)
	}
	x.close(p)
	for _, r := range x.records {
		for _, b := range r.order {
			b.finish()
			tables = append(tables, b.table)
		}
	}
	return tables, blocks
}

// agrees reports whether at least nine of ten samples of a table are samples of the truth, within
// 6 %: a rate is printed with fewer digits than a time. Without the title of a benchmark, rates may
// be those of several streams: a factor.
func agrees(t *Table, truth map[float64][]float64, titled bool) bool {
	count := func(factor float64) (good int) {
		for _, s := range t.Samples {
			got := float64(s.Mean) * factor
			if slices.ContainsFunc(truth[float64(s.Size)], func(want float64) bool {
				return math.Abs(got/want-1) < 0.06 || math.Abs(got-want) < 0.01*factor
			}) {
				good++
			}
		}
		return good
	}
	best := count(1)
	if t.Kind == Gap && !titled {
		for _, want := range truth[float64(t.Samples[0].Size)] {
			best = max(best, count(math.Round(want/float64(t.Samples[0].Mean))))
		}
	}
	return 10*best >= 9*len(t.Samples)
}

// renamed spells units as other programs do.
var renamed = strings.NewReplacer("(us)", "[usec]", "[usec]", "(us)", "usec", "us", "MB/s", "MBytes/s",
	"Mbytes/sec", "MB/s", "GB/s", "GBps", "(B)", "bytes", "#bytes", "size", "Latency", "Time")

// variants returns a block as text: as it stands, without its header, as CSV with its columns in
// another order, and with units that are spelled otherwise.
func variants(b *block, r *rand.Rand) (texts [][2]string) {
	rows := strings.Join(b.texts, "\n") + "\n"
	above := strings.Join(b.above, "\n") + "\n"
	texts = append(texts, [2]string{"whole", above + rows}, [2]string{"headless", rows},
		[2]string{"renamed", renamed.Replace(above) + rows})
	all, _ := b.columns()
	if len(all) < 2 {
		return texts
	}
	order := r.Perm(len(all))
	var csv strings.Builder
	line := func(cell func(c *column) string) {
		var cells []string
		for _, i := range order {
			cells = append(cells, strings.ReplaceAll(cell(all[i]), ",", " "))
		}
		csv.WriteString(strings.Join(cells, ",") + "\n")
	}
	csv.WriteString(above + "\n")
	line(func(c *column) string { return c.name })
	for i := range b.rows {
		line(func(c *column) string { return c.texts[i] + b.rows[i][c.at].unit })
	}
	return append(texts, [2]string{"swapped", csv.String()})
}

// maxVaried is the number of blocks of a file that are varied: some files have hundreds of one kind.
const maxVaried = 8

// Of the published tables that are read by their columns alone, at most one in 300 is wrong: as they
// stand, with headers taken away, columns swapped and units renamed. Most of them are read.
func TestCalibration(t *testing.T) {
	roots := []string{sharedtest.Path(t, "data")}
	r := rand.New(rand.NewPCG(1, 2))
	read, wrong, refused := map[string]int{}, map[string]int{}, map[string]int{}
	for _, root := range roots {
		_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || strings.Contains(path, "fuzz") || strings.HasSuffix(path, ".gz") {
				return err
			}
			f, err := Open(path, Options{})
			if damaged := new(Damaged); errors.As(err, &damaged) {
				f = damaged.File
			} else if err != nil {
				return nil
			}
			truth := map[float64][]float64{}
			for _, table := range f.Tables {
				for _, s := range table.Samples {
					truth[float64(s.Size)] = append(truth[float64(s.Size)], float64(s.Mean),
						float64(s.Min), float64(s.Median))
				}
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			_, blocks := recognised(string(text))
			for _, b := range blocks[:min(maxVaried, len(blocks))] {
				for _, v := range variants(b, r) {
					tables, _ := recognised(v[1])
					if len(tables) == 0 {
						refused[v[0]]++
					}
					for _, table := range tables {
						read[v[0]]++
						if !agrees(table, truth, v[0] != "headless") {
							wrong[v[0]]++
							t.Logf("%s: %s lines %d to %d: %v", path, v[0], b.lines[0], b.lines[len(b.lines)-1],
								pairs(*table)[:min(4, len(table.Samples))])
						}
					}
				}
			}
			return nil
		})
	}
	total, bad := 0, 0
	for what := range read {
		t.Logf("%s: %d read, %d wrong, %d refused", what, read[what], wrong[what], refused[what])
		total, bad = total+read[what], bad+wrong[what]
	}
	if total < 1000 {
		t.Errorf("%d tables are read, want the 1000 of the published files", total)
	}
	if 300*bad > total {
		t.Errorf("%d of %d tables are read wrong, want at most 1 in 300", bad, total)
	}
}

// A planted table: a line of times, its rates, and columns in any order under headers of any kind.
type planted struct {
	text  string
	truth map[float64][]float64
}

// spellings of the names of sizes, times and rates, with the factor from bytes, µs, bytes/µs.
var spellings = [3][]struct {
	name   string
	factor float64
}{
	{{"size", 1}, {"bytes", 1}, {"Message size (KiB)", 1. / 1024}, {"#bytes", 1}, {"n", 1}},
	{{"time_us", 1}, {"Latency (us)", 1}, {"t[usec]", 1}, {"time (ms)", 1e-3}, {"lat_ns", 1e3}},
	{{"MB/s", 1}, {"Bandwidth (GB/s)", 1e-3}, {"bw_mib_s", 1e6 / (1 << 20)}, {"Gb/s", 8e-3}},
}

// grouped writes a number with separators between thousands.
func grouped(v float64, by string) string {
	text := strconv.FormatFloat(v, 'f', -1, 64)
	whole, decimals, _ := strings.Cut(text, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + by + whole[i:]
	}
	if decimals != "" {
		whole += "." + decimals
	}
	return whole
}

// notations of whole numbers of bytes.
var notations = []func(v float64) string{
	func(v float64) string { return grouped(v, " ") },
	func(v float64) string { return grouped(v, "'") },
	func(v float64) string { return grouped(v, "\u202f") },
	func(v float64) string { return "0x" + strconv.FormatInt(int64(v), 16) },
	func(v float64) string { return "2^" + strconv.Itoa(int(math.Log2(v))) },
	func(v float64) string { return "PingPong/" + strconv.Itoa(int(v)) + "-16" },
}

// plant makes a table with random columns. Sizes may have one of the notations, between wide
// blanks, and each value a line of its own.
func plant(r *rand.Rand) planted {
	p := planted{truth: map[float64][]float64{}}
	beta, tau := math.Exp(r.Float64()*6-1), math.Exp(-r.Float64()*9-2)
	var kinds []int // of each column: a place in spellings, or 3 for noise
	kinds = append(kinds, 0, 1)
	if r.IntN(3) > 0 {
		kinds = append(kinds, 2)
	}
	for range r.IntN(3) {
		kinds = append(kinds, 3)
	}
	if r.IntN(5) == 0 { // rates alone
		kinds[1] = 2
	}
	r.Shuffle(len(kinds), func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
	separator := []string{"  ", ",", " | ", "\t"}[r.IntN(4)]
	var notation func(float64) string
	if i := r.IntN(2 * len(notations)); i < len(notations) && separator == "  " {
		notation = notations[i]
	}
	inLines := r.IntN(8) == 0
	spelled := make([]int, len(kinds))
	var names []string
	headless := r.IntN(4) == 0
	for i, k := range kinds {
		name := []string{"iterations", "x1", "overlap(%)"}[r.IntN(3)]
		if k < 3 {
			spelled[i] = r.IntN(len(spellings[k]))
			name = spellings[k][spelled[i]].name
		}
		names = append(names, name)
	}
	sorted := slices.Sorted(slices.Values(names))
	inLines = inLines && len(slices.Compact(sorted)) == len(names)
	if !headless && !inLines {
		p.text = strings.Join(names, separator) + "\n"
	}
	for exp := r.IntN(4); exp < 8+r.IntN(16); exp++ {
		size := math.Exp2(float64(exp))
		t := math.Round((beta+tau*size)*100*(1+0.2*r.Float64())) / 100
		if t == 0 {
			continue
		}
		p.truth[size] = append(p.truth[size], t)
		var cells []string
		for i, k := range kinds {
			var v float64
			digits := 2
			switch k {
			case 0:
				v, digits = size*spellings[0][spelled[i]].factor, -1
			case 1:
				v, digits = t*spellings[1][spelled[i]].factor, 5
			case 2:
				v, digits = size/t*spellings[2][spelled[i]].factor, 6
			default:
				v = r.Float64() * 1000
			}
			cell := strconv.FormatFloat(v, 'f', digits, 64)
			if k == 0 && notation != nil && spellings[0][spelled[i]].factor == 1 {
				cell = notation(v)
			}
			if inLines {
				p.text += names[i] + ": " + cell + "\n"
			}
			cells = append(cells, cell)
		}
		if !inLines {
			p.text += strings.Join(cells, separator) + "\n"
		}
	}
	return p
}

// What is read of a planted table is what was planted, however its columns are named and ordered;
// a table without names and units may be refused.
func FuzzPlanted(f *testing.F) {
	for seed := range uint64(200) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		p := plant(rand.New(rand.NewPCG(seed, 1)))
		tables, _ := recognised(p.text)
		for _, table := range tables {
			if !agrees(table, p.truth, true) {
				t.Errorf("seed %d:\n%sread as %v, planted %v", seed, p.text, pairs(*table), p.truth)
			}
		}
	})
}

// Planted tables with names and units are mostly read.
func TestPlantedAreRead(t *testing.T) {
	read, wrong, all := 0, 0, 3000
	for seed := range uint64(all) {
		p := plant(rand.New(rand.NewPCG(seed, 1)))
		tables, _ := recognised(p.text)
		if len(tables) > 0 {
			read++
			if !agrees(tables[0], p.truth, true) {
				wrong++
				if wrong < 12 {
					t.Logf("%s%v", p.text, pairs(*tables[0])[:min(4, len(tables[0].Samples))])
				}
			}
		}
	}
	t.Logf("%d of %d read, %d wrong", read, all, wrong)
	if 300*wrong > read {
		t.Errorf("%d of %d planted tables are read wrong, want at most 1 in 300", wrong, read)
	}
}
