package sweeps

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/reports"
	"github.com/halfpeak/halfpeak/shard"
)

func sweepOf(t *testing.T, q Question) *Sweeping {
	t.Helper()
	s, err := q.Sweeping(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// outputs are all that a sweep can be written as.
func outputs(t *testing.T, s *Sweeping) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, format := range reports.StreamFormats() {
		var b bytes.Buffer
		if err := s.Stream(t.Context(), &b, format); err != nil {
			t.Fatal(err)
		}
		all[format] = b.String()
		path := filepath.Join(t.TempDir(), "x."+format)
		if err := s.File(t.Context(), reports.Files{}, path, format, nil); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all["file "+format] = string(text)
	}
	if s.Rows() <= MaxTableRows {
		rows, err := s.Table(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := (reports.View{Format: reports.Text}).Write(&b, rows); err != nil {
			t.Fatal(err)
		}
		all["text"] = b.String()
	}
	if err := s.Draw(0); err != nil {
		t.Fatal(err)
	}
	if err := s.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	all["picture"] = fmt.Sprintf("%+v", s.Picture())
	s.picture = nil
	return all
}

// However a sweep is divided, and in whatever order its parts are given, all that is made of them
// is what one process makes, to the last byte.
func TestPartsOfSweep(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 0))
	for _, q := range []Question{
		{Platform: "clip", Vary: []string{"host-dma.tau=1us/KiB..8us/KiB/101", "wire.tau=1us/KiB..8us/KiB/211"}, Sizes: "64KiB", Of: []string{"bandwidth", "one_way"}},
		{Platform: "clip", Set: []string{"wire.tau=2us/KiB"}, Vary: []string{"host-dma.tau=1us/KiB..8us/KiB/30"}, Sizes: "4KiB,64KiB", Of: []string{"gap"}},
	} {
		want := outputs(t, sweepOf(t, q))
		for _, count := range []int{1, 7, 64} {
			dir := t.TempDir()
			var paths []string
			for i := 1; i <= count; i++ {
				paths = append(paths, filepath.Join(dir, fmt.Sprint("part-", i)))
				if err := sweepOf(t, q).Part(t.Context(), reports.Files{}, paths[i-1], q, shard.Shard{Index: i, Count: count}, nil); err != nil {
					t.Fatal(err)
				}
			}
			random.Shuffle(len(paths), func(i, j int) { paths[i], paths[j] = paths[j], paths[i] })
			asked, parts, err := MergedQuestion(paths)
			if err != nil {
				t.Fatal(err)
			}
			s := sweepOf(t, asked)
			if err := s.Merge(asked, parts); err != nil {
				t.Fatal(err)
			}
			for name, got := range outputs(t, s) {
				if got != want[name] {
					t.Errorf("%v in %d shards: another %s", q.Vary, count, name)
				}
			}
			// What was asked of another platform is refused.
			asked.Platform = "clip/user-buffer"
			other := sweepOf(t, asked)
			if err := other.Merge(asked, parts); err == nil || !strings.Contains(err.Error(), "not as it was") {
				t.Error(err)
			}
		}
	}
}

// A shard that is interrupted leaves whole rows beside the part's name, which is not there; the same
// command goes on, and the part is that of a shard that was not interrupted.
func TestPartInterrupted(t *testing.T) {
	q := Question{Platform: "clip", Vary: []string{"host-dma.tau=1us/KiB..8us/KiB/300", "wire.tau=1us/KiB..8us/KiB/300"}, Sizes: "64KiB", Of: []string{"gap"}}
	dir := t.TempDir()
	whole, path := filepath.Join(dir, "whole"), filepath.Join(dir, "part-2")
	which := shard.Shard{Index: 2, Count: 2}
	if err := sweepOf(t, q).Part(t.Context(), reports.Files{}, whole, q, which, nil); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	s := sweepOf(t, q)
	s.Progress = func(rows int64) { stop() }
	err := s.Part(ctx, reports.Files{}, path, q, which, nil)
	if err == nil || !strings.HasPrefix(err.Error(), "interrupted: 8192 of 45000 rows are whole in ") {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	_, _, err = MergedQuestion([]string{path + ".partial", path + ".partial.state"})
	if err == nil || !strings.Contains(err.Error(), `part-2.partial" is not whole: its shard was interrupted, or the file was cut off; run shard 2/2 again`) {
		t.Error(err)
	}
	before := int64(0)
	if err := sweepOf(t, q).Part(t.Context(), reports.Files{}, path, q, which, func(rows int64) { before = rows }); err != nil || before != 8192 {
		t.Fatal(err, before)
	}
	want, _ := os.ReadFile(whole)
	got, _ := os.ReadFile(path)
	if !bytes.Equal(want, got) {
		t.Error("another part after the interruption")
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 2 {
		t.Errorf("left behind: %q", left)
	}
}
