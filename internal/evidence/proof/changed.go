package main

import (
	"bytes"
	"compress/gzip"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/evidence/judge"
	"github.com/halfpeak/halfpeak/model/quantity"
)

//go:embed c/collectives.c
var collectivesC string

// changes begins with the network that is calibrated; the others are asked about.
var changes = []change{
	{"as it is", 1, 1},
	{"bandwidth × 2", 2, 1},
	{"bandwidth × 4", 4, 1},
	{"latency ÷ 2", 1, 0.5},
	{"both", 2, 0.5},
}

// changedKinds are networks of four kinds, each with one rank a node and with two, with plain
// latencies and bandwidths (CM02) and with those of SMPI, which differ by the size.
var changedKinds = []platform{
	{name: "crossbar", nodes: 16, perNode: 1, model: "CM02"},
	{name: "crossbar", nodes: 10, perNode: 2, model: "SMPI"},
	{name: "fat tree", nodes: 24, perNode: 1, topology: fatTree("2;6,4;1,3;1,1"), model: "SMPI"},
	{name: "fat tree", nodes: 16, perNode: 2, topology: fatTree("2;4,4;1,2;1,1"), model: "CM02"},
	{name: "torus", nodes: 24, perNode: 1, topology: torus("4,3,2"), model: "CM02"},
	{name: "torus", nodes: 16, perNode: 2, topology: torus("4,4"), model: "SMPI"},
	{name: "dragonfly", nodes: 32, perNode: 1, topology: dragonfly("4,1;1,1;4,2;2"), model: "SMPI"},
	{name: "dragonfly", nodes: 16, perNode: 2, topology: dragonfly("2,1;1,1;4,1;2"), model: "CM02"},
}

// changedDir has the measurements of changedKinds, seen from the root of this module.
const changedDir = "proof/testdata/whatif"

// file returns the name of the platform's measurements.
func (p platform) file() string {
	return strings.ReplaceAll(fmt.Sprintf("%s-%dx%d", p.name, p.nodes, p.perNode), " ", "-")
}

// libraries are those whose choices SMPI imitates, by its names.
var libraries = []string{"ompi", "mpich"}

// A timed is a collective as it was measured on one of the networks of a platform.
type timed struct {
	change, choice string // choice: our name of the prescribed algorithm, or a library that chooses
	collective     string
	bytes          quantity.Bytes
	time           quantity.Micros
}

// A batch runs collectives with one choice for each.
type batch struct {
	options []string // of smpirun
	choices map[string]string
	sizes   map[string][]int // of each collective
}

// batches returns the batches for a number of ranks: each collective by two prescribed
// algorithms, and as SMPI's imitations of two libraries choose them.
func batches(ranks int) []batch {
	// Blocks of 64 KiB already make 2 MiB among 32 ranks.
	vector := []int{64, 256, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20}
	block := vector[:6]
	all := map[string][]int{"bcast": vector, "allreduce": vector, "allgather": block,
		"alltoall": block, "reduce-scatter": block}
	algorithms := append(forced[:len(forced):len(forced)],
		forcedCollective{"reduce-scatter", "ompi_basic_recursivehalving", "recursive-halving",
			false},
		forcedCollective{"reduce-scatter", "mpich_pair", "pairwise", false})
	by := []batch{{}, {}}
	for i, f := range algorithms {
		l := &by[i%2]
		if l.choices == nil {
			l.choices, l.sizes = map[string]string{}, map[string][]int{}
		}
		smpi := strings.ReplaceAll(f.collective, "-", "_")
		l.options = append(l.options, fmt.Sprintf("--cfg=smpi/%s:%s", smpi, f.smpi))
		l.choices[f.collective], l.sizes[f.collective] = f.ours, all[f.collective]
		if f.parts {
			l.sizes[f.collective] = nil
			for n := 64 * ranks; n <= 1<<20; n *= 4 {
				l.sizes[f.collective] = append(l.sizes[f.collective], n)
			}
		}
	}
	for _, library := range libraries {
		l := batch{options: []string{"--cfg=smpi/coll-selector:" + library}, sizes: all,
			choices: map[string]string{}}
		for c := range all {
			l.choices[c] = library
		}
		by = append(by, l)
	}
	return by
}

// measureChanged calibrates each platform as it is, measures its collectives with each change, and
// writes both into dir. Platforms whose files are there are left out.
func measureChanged(ctx context.Context, dir, only string, out io.Writer) error {
	missing := slices.DeleteFunc(slices.Clone(changedKinds), func(p platform) bool {
		_, err := os.Stat(filepath.Join(dir, p.file()+"-times.csv.gz"))
		return err == nil || !strings.Contains(p.file(), only)
	})
	if len(missing) == 0 {
		return nil
	}
	work, err := os.MkdirTemp("", "changed")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	in, err := newSMPI(ctx, work)
	if err != nil {
		return err
	}
	loop, err := compile(ctx, "smpicc", work, "collectives", collectivesC)
	if err != nil {
		return err
	}
	for _, p := range missing {
		text, err := in.calibration(ctx, p, "--collectives", "none")
		if err == nil {
			err = writeGzip(filepath.Join(dir, p.file()+".csv.gz"), text)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", p.file(), err)
		}
		table, err := p.timeAll(ctx, work, loop, out)
		if err == nil {
			err = writeGzip(filepath.Join(dir, p.file()+"-times.csv.gz"), table)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", p.file(), err)
		}
	}
	return nil
}

// timeAll returns the table of the platform's collectives with each change.
func (p platform) timeAll(ctx context.Context, dir, loop string, out io.Writer) ([]byte, error) {
	table := []byte("change,choice,collective,bytes,time_us\n")
	for _, c := range changes {
		p.faster = c
		if err := p.writeFiles(dir); err != nil {
			return nil, err
		}
		for i, l := range batches(p.nodes * p.perNode) {
			args := append(smpiOptions(dir, p), l.options...)
			args = append(args, loop, "3")
			if i == 0 {
				args = append(args, "pingpong:1", fmt.Sprintf("pingpong:%d", 1<<20))
			}
			for _, name := range slices.Sorted(maps.Keys(l.sizes)) {
				for _, n := range l.sizes[name] {
					args = append(args, fmt.Sprintf("%s:%d", name, n))
				}
			}
			text, err := output(exec.CommandContext(ctx, "smpirun", args...))
			if err != nil {
				return nil, err
			}
			for line := range strings.Lines(string(text)) {
				name, rest, _ := strings.Cut(line, ",")
				table = fmt.Appendf(table, "%s,%s,%s,%s", c.name, l.choices[name], name, rest)
			}
			fmt.Fprintf(out, "%s, %s: batch %d of 4\n", p.file(), c.name, i+1)
		}
	}
	return table, nil
}

// readTimes reads the table of a platform.
func readTimes(file string) (all []timed, err error) {
	text, err := readGzip(file)
	if err != nil {
		return nil, err
	}
	rows, err := judge.ReadRows(bytes.NewReader(text))
	for _, r := range rows {
		all = append(all, timed{r["change"], r["choice"], r["collective"],
			quantity.Bytes(r.Number("bytes")), quantity.Micros(r.Number("time_us"))})
	}
	return all, err
}

func writeGzip(file string, text []byte) error {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // the level is valid
	_, err := w.Write(text)
	if err = errors.Join(err, w.Close()); err != nil {
		return err
	}
	return os.WriteFile(file, b.Bytes(), 0o666)
}

func readGzip(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}
