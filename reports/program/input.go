package program

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/mpitrace"
	"github.com/halfpeak/halfpeak/internal/usage"
)

// readInput reads a schedule or a trace.
func readInput(ctx context.Context, o mpitrace.Translation, names []string) (*Input, error) {
	if len(names) == 0 {
		return nil, nil
	}
	files, err := matched(names)
	if err != nil {
		return nil, err
	}
	in := &Input{Name: strings.Join(names, " ")}
	// A trace has a file for each rank: all names would fill an error of many lines.
	if len(names) > 1 {
		in.Name = names[0] + " …"
	}
	for _, name := range files {
		// Its contents have no mark; the names are those that DUMPI gives its files.
		if base := filepath.Base(name); strings.HasPrefix(base, "dumpi-") &&
			strings.HasSuffix(base, ".bin") {
			return nil, fmt.Errorf("%s: a binary DUMPI trace; convert the file of each rank to "+
				"text, as in dumpi2ascii %s > %s.txt, and give the texts", name, base,
				strings.TrimSuffix(base, ".bin"))
		}
	}
	sources := mpitrace.Files(files...)
	for i, s := range sources {
		sources[i].Open = func() (io.ReadCloser, error) {
			f, err := s.Open()
			return interruptible{f, ctx}, err
		}
	}
	f, err := sources[0].Open()
	if err != nil {
		return nil, err
	}
	r := bufio.NewReaderSize(f, 1<<16)
	in.Trace = mpitrace.Recognizes(beginning(r))
	switch {
	case in.Trace:
		// A pipe can be read once, so the trace continues where the look at its beginning ended.
		again, opened := sources[0].Open, false
		sources[0].Open = func() (io.ReadCloser, error) {
			if opened { // only traces that make communicators are read a second time
				return again()
			}
			opened = true
			return unread{r, f}, nil
		}
		in.Schedule, in.Notes, err = mpitrace.Read(sources, o)
		if err == nil && len(in.Schedule.Ops()) > largeTrace {
			runtime.GC()
		}
		return in, err
	// A factor without effect would look as if it had been applied.
	case o.Region != mpitrace.Region{}:
		err = fmt.Errorf("%s: a region is part of a trace, and this is GOAL; omit the region",
			sources[0].Name)
	case o.Scale != mpitrace.Defaults.Scale:
		err = fmt.Errorf("%s: only the computations of traces are scaled, and this is GOAL, "+
			"whose calc says how long each takes; omit the factor", sources[0].Name)
	case len(files) > 1:
		err = fmt.Errorf("%s: this is not a trace of trace.c or DUMPI; "+
			"give one schedule, or the files of a trace", sources[0].Name)
	default:
		in.Schedule, err = schedule.Read(known{r, files[0]}, files[0])
	}
	f.Close()
	return in, err
}

// largeTrace is the number of operations above which what reading a trace leaves is collected
// before the simulation takes as much memory again: a million takes some ten milliseconds.
const largeTrace = 1 << 20

// unread is a file whose beginning was looked at: the reader still has it, the closer
// is the file's.
type unread struct {
	*bufio.Reader
	io.Closer
}

// known is a file whose size can be asked for, which the reader of schedules takes to
// reserve memory; a bufio.Reader hides it.
type known struct {
	io.Reader
	name string
}

func (f known) Stat() (fs.FileInfo, error) { return os.Stat(f.name) }

// matched returns the names, with folders and patterns replaced by the files that
// they stand for. Shells expand patterns too, but not within quotes, and not on
// Windows.
func matched(names []string) ([]string, error) {
	var files []string
	for _, name := range names {
		// A file whose name has a "*" is itself, so only a missing name is a pattern.
		found, err := benchfile.Files(name)
		if _, missing := os.Lstat(name); missing != nil && strings.ContainsAny(name, "*?[") {
			if found, err = filepath.Glob(name); err != nil || len(found) == 0 {
				err = noFile(name)
			}
		}
		if _, missing := os.Stat(name); err != nil && errors.Is(missing, fs.ErrNotExist) &&
			!strings.Contains(name, "://") {
			err = noFile(name)
		}
		if err != nil {
			return nil, err
		}
		traces := slices.DeleteFunc(slices.Clone(found), func(file string) bool {
			return filepath.Dir(file) != filepath.Clean(name) ||
				!traceFile.MatchString(filepath.Base(file))
		})
		if len(traces) > 0 {
			found = traces
		}
		files = append(files, found...)
	}
	return files, nil
}

// noFile returns the error of a missing file, with the way to one of its kind.
func noFile(name string) error {
	if strings.ContainsAny(name, "*?[") {
		return fmt.Errorf("no file matches %q", name)
	}
	if near := usage.NearFile(name); near != "" {
		return fmt.Errorf("%s: no such file%s", name, near)
	}
	way := `"halfpeak calibrate" writes a library that records a program's messages`
	switch ext := filepath.Ext(name); {
	case ext == ".star":
		way = "docs/programs.md says how to write one, and halo.star is built in"
	case ext == ".goal" || ext == ".bin":
		way = `"halfpeak schedule" writes schedules of collectives`
	}
	return fmt.Errorf("%s: no such file; %s", name, way)
}

// traceFile matches the files of trace.c.
var traceFile = regexp.MustCompile(`^trace\.[0-9]{6,}(\.gz)?$`)

// beginning returns the first bytes of r, unpacked if it is compressed, and leaves
// them in r. 4 KiB hold the first lines of any trace, by which it is recognised.
func beginning(r *bufio.Reader) []byte {
	head, _ := r.Peek(1 << 12) // the next read returns the error again
	// gzip is known by its first bytes, not by the name of the file.
	if z, err := gzip.NewReader(bytes.NewReader(head)); err == nil {
		unpacked := make([]byte, 1<<12)
		n, _ := io.ReadFull(z, unpacked) // it ends where the part does
		return unpacked[:n]
	}
	return head
}

// interruptible is a file whose reading ends with a context. Parsers know no
// contexts; an error of their reader stops any of them.
type interruptible struct {
	io.ReadCloser
	ctx context.Context
}

func (r interruptible) Read(p []byte) (int, error) {
	// Asked before each block, so that a long trace ends at once.
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.ReadCloser.Read(p)
}
