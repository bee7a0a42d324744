package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/memfs"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/halfpeak/halfpeak/fleet"
	"github.com/halfpeak/halfpeak/internal/atomicfile"
	"github.com/halfpeak/halfpeak/reports"
	"github.com/halfpeak/halfpeak/shard"
)

func TestMain(m *testing.M) {
	flag.Parse()
	log.LogLevel = "warn" // else Prism tells each step
	beam.Init()
	os.Exit(m.Run())
}

// aFleet is a folder with the pairs of 8 nodes, of which node 5 is slow, among a file that is no
// benchmark's output and one that is cut off.
func aFleet(t *testing.T, seed uint64) string {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 0))
	dir := t.TempDir()
	put := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	for a := range 8 {
		for b := range a {
			slow := 1.0
			if a == 5 || b == 5 {
				slow = 1.2
			}
			text := "size_bytes,time_us\n"
			for n := 8.0; n <= 1<<20; n *= 4 {
				text += fmt.Sprintf("%.0f,%.4f\n", n, slow*(2+n/1000)*(1+0.01*random.NormFloat64()))
			}
			put(fmt.Sprintf("rack-%d/pair_n%d_n%d.csv", a%3, a, b), text)
		}
	}
	put("README.md", "nor here\n")
	put("rack-1/deep/.hidden", "")
	if err := os.Mkdir(filepath.Join(dir, "rack-1-empty"), 0o777); err != nil {
		t.Fatal(err)
	}
	put("rack-1/README", "nothing measured here\n")
	put("rack-2/pair_n50_n51.csv.gz", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x2b\xce\xac\x4a")
	return dir
}

// run runs a job once, or is an error of the pipeline.
func run(ctx context.Context, j *job, attempts int) error {
	o := options{path: "part", parts: 1, attempts: attempts}
	return o.run(ctx, func() (*job, error) { return j, nil })
}

// same is an error where the files of two folders are not the same.
func same(t *testing.T, got, want string) {
	t.Helper()
	files := func(dir string) map[string]string {
		all := map[string]string{}
		paths, _ := filepath.Glob(filepath.Join(dir, "*"))
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			all[filepath.Base(path)] = string(text)
		}
		return all
	}
	g, w := files(got), files(want)
	for name := range w {
		if g[name] != w[name] {
			t.Errorf("%s: %d bytes, and %d of the local command, not the same", name, len(g[name]), len(w[name]))
		}
	}
	if len(g) != len(w) || len(w) == 0 {
		t.Errorf("%d parts, want %d", len(g), len(w))
	}
}

// partsOf are the paths of the parts of a job.
func partsOf(j *job) (paths []string) {
	for _, p := range j.parts {
		paths = append(paths, p.Path)
	}
	return paths
}

// shardsOf writes the parts of the local command, and returns where.
func shardsOf(t *testing.T, count int, write func(path string, which shard.Shard) error) string {
	t.Helper()
	dir := t.TempDir()
	for i := 1; i <= count; i++ {
		path := filepath.Join(dir, "part")
		if count > 1 {
			path += fmt.Sprint("-", i)
		}
		if err := write(path, shard.Shard{Index: i, Count: count}); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// shown returns all tables and pictures of a fleet.
func shown(t *testing.T, in fleet.Reading, o fleet.Options) string {
	t.Helper()
	a, err := fleet.Analyse(in, o)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	fmt.Fprintln(&b, a.Broken)
	for _, rows := range []reports.Rows{a.FindingRows(), a.GroupRows(), a.SkippedRows(), a.WorstRows()} {
		for _, format := range []reports.Format{reports.Text, reports.JSON} {
			if err := (reports.View{Format: format}).Write(&b, rows); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := a.Document().WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The pipeline writes the same bytes as the local command, and their report is that of one process
// that reads all files.
func TestFleet(t *testing.T) {
	made := fleet.Question{Roots: []string{aFleet(t, 1)}, Options: fleet.Options{Name: "pair_{a}_{b}.csv*", MinEffect: 0.01, FDR: 0.05, All: true}}
	compared := made
	compared.Before = aFleet(t, 2)
	published := fleet.Question{Roots: []string{"../../shared/data/fleet"}, Options: fleet.Options{MinEffect: 0.01, FDR: 0.05}}
	for name, q := range map[string]fleet.Question{"made": made, "compared": compared, "published": published} {
		t.Run(name, func(t *testing.T) {
			if _, err := os.Stat(q.Roots[0]); err != nil {
				t.Skip("the published files are not beside the checkout")
			}
			for _, count := range []int{1, 5} {
				dir := t.TempDir()
				j, err := newJob(t.Context(), q, filepath.Join(dir, "part"), count)
				if err != nil {
					t.Fatal(err)
				}
				if err := run(t.Context(), j, 1); err != nil {
					t.Fatal(err)
				}
				same(t, dir, shardsOf(t, count, func(path string, which shard.Shard) error {
					return fleet.WritePart(t.Context(), atomicfile.Files{}, path, q, which, fleet.Reader{}, nil)
				}))
				in, asked, err := fleet.MergeParts(partsOf(j))
				if err != nil {
					t.Fatal(err)
				}
				all, err := fleet.Load(t.Context(), q.Roots, q.Before, q.Options, fleet.Reader{})
				if err != nil {
					t.Fatal(err)
				}
				if shown(t, in, asked.Options) != shown(t, all, q.Options) {
					t.Errorf("%d parts: another answer", count)
				}
			}
		})
	}
}

// dying hands records on, and dies once in the middle of them.
type dying struct{}

var deaths atomic.Int32

func (*dying) ProcessElement(n int, r record) (int, record) {
	if strings.HasSuffix(r.File.Path, "n5_n2.csv") && deaths.Add(1) == 1 {
		panic("the worker dies")
	}
	return n, r
}

func init() { register.DoFn2x2[int, record, int, record](&dying{}) }

// A worker that dies among the files leaves nothing that is not whole. Prism gives up a pipeline of
// which a bundle failed, and --attempts begins it again; then the parts are those of one that did
// not fail.
func TestWorkerDies(t *testing.T) {
	q := fleet.Question{Roots: []string{aFleet(t, 1)}, Options: fleet.Options{MinEffect: 0.01, FDR: 0.05}}
	want := shardsOf(t, 2, func(path string, which shard.Shard) error {
		return fleet.WritePart(t.Context(), atomicfile.Files{}, path, q, which, fleet.Reader{}, nil)
	})
	for _, attempts := range []int{1, 2} {
		deaths.Store(0)
		dir := t.TempDir()
		j, err := newJob(t.Context(), q, filepath.Join(dir, "part"), 2)
		if err != nil {
			t.Fatal(err)
		}
		j.hook = func(s beam.Scope, records beam.PCollection) beam.PCollection { return beam.ParDo(s, &dying{}, records) }
		err = run(t.Context(), j, attempts)
		switch left, _ := filepath.Glob(filepath.Join(dir, "*")); {
		case deaths.Load() == 0:
			t.Fatal("no worker died")
		case attempts == 1 && err != nil:
			if len(left) > 0 || !strings.Contains(err.Error(), "the worker dies") {
				t.Errorf("%v; left behind: %q", err, left)
			}
		case err != nil:
			t.Fatal(err)
		default:
			same(t, dir, want)
		}
	}
}

// A record that is missing or there twice is found before anything is written, however they come.
func TestEncode(t *testing.T) {
	p := part{Path: "part"}
	a, b, c := file{Path: "a/x"}, file{Path: "a-b"}, file{Root: 1, Path: "a"}
	files := func() []file { return []file{c, a, b} }
	all := []record{{c, []byte("three")}, {a, []byte("one")}, {b, []byte("two")}}
	whole, err := p.encode(files(), slices.Clone(all))
	if one, two := bytes.Index(whole, []byte("one")), bytes.Index(whole, []byte("two")); err != nil || one < 0 || two < one || bytes.Index(whole, []byte("three")) < two {
		t.Fatalf("%q, %v", whole, err)
	}
	for want, wrong := range map[string][]record{
		"2 of 3 records came":                 {all[1], all[2]},
		`the record of "" came twice, or one`: append(slices.Clone(all), all[1]),
		"0 of 3 records":                      nil,
	} {
		if _, err := p.encode(files(), slices.Clone(wrong)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// The command's flags make the question that the command of halfpeak makes, and parts may lie in
// another file system. What cannot be done is said before anything runs.
func TestCommand(t *testing.T) {
	dir := aFleet(t, 1)
	command := func(args ...string) error {
		cmd := newBeam()
		cmd.SetArgs(args)
		return cmd.ExecuteContext(t.Context())
	}
	path := filepath.Join(t.TempDir(), "part")
	if err := command("fleet", dir, "--name", "pair_{a}_{b}.csv*", "--two-sided", "--fdr", "10", "-o", path); err != nil {
		t.Fatal(err)
	}
	_, asked, err := fleet.MergeParts([]string{path})
	if err != nil || asked.Options.FDR != 0.1 || asked.Options.MinEffect != 0.01 || !asked.Options.TwoSided || asked.Options.Name == "" {
		t.Error(asked, err)
	}
	// From another file system to it: but for the names of files, the same part.
	for _, name := range []string{"pair_n1_n0.csv", "pair_n4_n3.csv"} {
		text, err := os.ReadFile(filepath.Join(dir, "rack-1", name))
		if err != nil {
			t.Fatal(err)
		}
		memfs.Write("memfs://night/"+name, text)
	}
	memfs.Write("memfs://night/README", []byte("nothing measured here\n"))
	if err := command("fleet", "memfs://night", "-o", "memfs://part"); err != nil {
		t.Fatal(err)
	}
	text, err := filesystem.Read(t.Context(), memfs.New(t.Context()), "memfs://part")
	if err != nil || os.WriteFile(path, text, 0o666) != nil {
		t.Fatal(err)
	}
	in, asked, err := fleet.MergeParts([]string{path})
	if err != nil || len(in.Now) != 3 {
		t.Fatal(in, err)
	}
	for _, e := range in.Now {
		local := fleet.Entry{Path: e.Path, Source: filepath.Join(dir, "rack-1", e.Path)}
		if err := local.Read(t.Context(), asked.Options); err != nil {
			t.Fatal(err)
		}
		local.Bytes, local.Changed = 0, 0 // of a copy they say nothing
		got, err := json.Marshal(e)
		want, fault := json.Marshal(local)
		want = bytes.ReplaceAll(want, []byte(filepath.Join(dir, "rack-1")), []byte("memfs://night"))
		if err != nil || fault != nil || !bytes.Equal(got, want) {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
	for want, args := range map[string][]string{
		"memfs://none":      {"fleet", "memfs://none", "-o", path},
		"name the part":     {"fleet", dir},
		"--parts must be 1": {"fleet", dir, "-o", path, "--parts", "0"},
		"no such file":      {"fleet", dir + "/none", "-o", path},
		"share files":       {"fleet", dir, dir + "/rack-1", "-o", path},
		"reads gs://":       {"fleet", "ftp://night", "-o", path},
		"unknown command":   {"fleets"},
	} {
		if err := command(args...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", args, err, want)
		}
	}
}

// Objects of S3, here of a server that lists and gives two, are read as files are.
func TestS3(t *testing.T) {
	objects := map[string]string{"night/rack-1/a_b.csv": "size_bytes,time_us\n8,1\n64,2\n4096,9\n", "night/c_d.csv": "size_bytes,time_us\n8,1\n64,3\n4096,9\n"}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key := strings.TrimPrefix(r.URL.Path, "/bucket/")
		if text, ok := objects[key]; ok {
			fmt.Fprint(w, text)
			return
		}
		fmt.Fprint(w, `<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><IsTruncated>false</IsTruncated>`)
		for key := range objects {
			fmt.Fprintf(w, "<Contents><Key>%s</Key></Contents>", key)
		}
		fmt.Fprint(w, "</ListBucketResult>")
	}))
	defer server.Close()
	for name, value := range map[string]string{"AWS_ENDPOINT_URL": server.URL, "AWS_REGION": "none", "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"} {
		t.Setenv(name, value)
	}
	path := filepath.Join(t.TempDir(), "part")
	cmd := newBeam()
	cmd.SetArgs([]string{"fleet", "s3://bucket/night", "--name", "{a}_{b}.csv", "-o", path})
	if err := cmd.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	in, _, err := fleet.MergeParts([]string{path})
	if err != nil || len(in.Now) != 2 || in.Now[0].Source != "s3://bucket/night/c_d.csv" || in.Now[1].Path != "rack-1/a_b.csv" || len(in.Now[1].Curves) != 1 {
		t.Errorf("%+v, %v", in.Now, err)
	}
}
