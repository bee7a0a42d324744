package benchfile

import (
	"archive/tar"
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/halfpeak/halfpeak/fit/benchfile/internal/input"
	"github.com/halfpeak/halfpeak/fit/benchfile/internal/lex"
)

// Outputs reads a file that holds the outputs of many runs. It calls each with every output, or
// with the error of an output that cannot be read, in file order:
//
//   - a tar archive, gzipped or not; its members may be such files again;
//   - outputs behind each other, as of cat *.log: a new one begins where a benchmark prints its
//     first line, and where head and tail print the name of a file (==> a.log <==);
//   - lines with the names of pods before them, as of kubectl logs --prefix, interleaved or not.
//
// Any other file is one output. An output is named FILE, or FILE!MEMBER or FILE!POD. Outputs holds
// one output at a time in memory, or one for each pod. It returns an error of opening or reading
// the archive, or the first error that each returns, which ends the reading.
func Outputs(name string, o Options, each func(*File, error) error) error {
	ctx := o.Context
	if ctx == nil {
		ctx = context.Background()
	}
	if name == "-" {
		return outputs(input.Waiting(ctx, os.Stdin), "standard input", o, 0, each)
	}
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return pathError(name, err)
	case info.IsDir():
		return &Error{File: name, Msg: "is a directory; name a benchmark's output file"}
	}
	open := func() (*os.File, error) { return os.Open(name) }
	var f *os.File
	if info.Mode().IsRegular() {
		f, err = open()
	} else {
		f, err = input.Await(ctx, open)
	}
	if err != nil {
		return pathError(name, err)
	}
	defer f.Close()
	in := input.Waiting(ctx, f)
	if info.Mode().IsRegular() {
		in = input.ReaderFunc(func(into []byte) (int, error) {
			if err := ctx.Err(); err != nil {
				return 0, err
			}
			return f.Read(into)
		})
	}
	return outputs(in, name, o, 0, each)
}

// maxNested is the maximum depth of archives inside archives.
const maxNested = 2

func outputs(r io.Reader, name string, o Options, depth int, each func(*File, error) error) error {
	text, done, failure := Text(r)
	if failure != nil {
		return each(nil, &Error{File: name, Msg: failure.Error()})
	}
	defer done()
	head, _ := text.Peek(4096)
	first, _, _ := bytes.Cut(head, []byte("\n"))
	pod, _ := lex.PodOf(first)
	switch {
	case len(head) > 262 && string(head[257:262]) == "ustar":
		return members(tar.NewReader(text), name, o, depth, each)
	case input.NotText(head) != "":
		return each(Read(text, name, o)) // reports the format and reads no further
	case pod != "":
		return pods(text, name, o, depth, each)
	}
	var nothing error // the first error of an output without a table, if no output has one
	reported := false
	lines := input.NewLines(text, o.Progress)
	for before, title := 0, ""; ; {
		r := newReader(quick, lines, name, o)
		r.divides, r.name, r.title = true, name, title
		if title != "" {
			r.file.Name += "!" + title
		}
		f, err := r.read()
		for i := range r.file.Tables { // lines count from the beginning of the file
			r.file.Tables[i].Line += before
		}
		if e := (*Error)(nil); errors.As(err, &e) && e.NoTable && !r.hasRows {
			nothing = cmp.Or(nothing, err) // text before or between outputs
		} else {
			reported = true
			if err := each(f, err); err != nil {
				return err
			}
		}
		if damaged := (*Damaged)(nil); errors.As(err, &damaged) || r.lines.Held == nil {
			break
		}
		lines, title, before = r.lines, r.title, before+r.file.Lines
		lines.Long = 0 // counted with the output that ended
	}
	if nothing != nil && !reported {
		return each(nil, nothing)
	}
	return nil
}

func members(t *tar.Reader, name string, o Options, depth int, each func(*File, error) error) error {
	if depth >= maxNested {
		return each(nil, &Error{File: name, Msg: "archives within archives within archives; unpack it first"})
	}
	files := 0
	for {
		h, err := t.Next()
		if err == io.EOF && files == 0 {
			return each(nil, &Error{File: name, Msg: "the archive has no files", NoTable: true})
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return each(nil, &Damaged{File: &File{Name: name}, Err: err})
		}
		if h.Typeflag != tar.TypeReg || hidden(h.Name) {
			continue
		}
		files++
		if err := outputs(t, name+"!"+strings.TrimPrefix(h.Name, "./"), o, depth+1, each); err != nil {
			return err
		}
	}
}

func hidden(path string) bool {
	for part := range strings.SplitSeq(path, "/") {
		if strings.HasPrefix(part, ".") && part != "." && part != ".." {
			return true
		}
	}
	return false
}

// The text in memory is bounded for each pod and for all pods of a file together; a pod without
// text counts as podSize bytes.
const (
	maxPod  = 64 << 20
	maxPods = 256 << 20
	podSize = 512
)

// A podSplitter collects the lines of pods. Each pod is a file of its own; an output of a pod is
// read when the pod's next output begins. The text of a pod is not searched for further prefixes.
type podSplitter struct {
	read  func(pod string, text []byte) error
	pods  map[string]*podText
	order []string
	held  int // bytes
	lines int
}

type podText struct {
	text bytes.Buffer
	rows bool
}

func pods(in *bufio.Reader, name string, o Options, depth int, each func(*File, error) error) error {
	if depth > maxNested {
		return each(nil, &Error{File: name, Msg: "names of pods before names of pods; keep one before each line"})
	}
	s := &podSplitter{pods: map[string]*podText{}, read: func(pod string, text []byte) error {
		return outputs(bytes.NewReader(text), name+"!"+pod, o, maxNested+1, each)
	}}
	var last *podText
	for within := false; ; {
		line, err := in.ReadSlice('\n')
		if err != nil && err != io.EOF && err != bufio.ErrBufferFull {
			if err := s.flush(s.order...); err != nil { // complete outputs may be kept
				return err
			}
			return each(nil, &Damaged{File: &File{Name: name, Lines: s.lines}, Err: err})
		}
		if !within {
			var broken error
			if last, line, broken = s.begin(line); broken != nil {
				return broken
			}
		}
		within = err == bufio.ErrBufferFull
		if last.text.Len()+len(line) > maxPod {
			return each(nil, &Error{File: name, Line: s.lines, Msg: "more than 64 MiB of one pod that cannot be divided; write the logs of each pod to a file"})
		}
		if s.held += len(line); s.held > maxPods {
			return each(nil, &Error{File: name, Line: s.lines, Msg: "more than 256 MiB of pods that have not ended; write the logs of each pod to a file"})
		}
		last.text.Write(line)
		if err == io.EOF {
			return s.flush(s.order...)
		}
	}
}

// begin begins a line, and returns its pod and its text behind the prefix.
func (s *podSplitter) begin(line []byte) (*podText, []byte, error) {
	s.lines++
	pod, rest := lex.PodOf(line)
	p := s.pods[pod]
	if p == nil {
		p = new(podText)
		s.pods[pod], s.order = p, append(s.order, pod)
		s.held += podSize
	}
	kind, _ := kindOfLine(lex.Clean(rest))
	if kind == startLine && p.rows {
		if err := s.flush(pod); err != nil {
			return nil, nil, err
		}
	}
	p.rows = p.rows || kind == rowLine
	return p, rest, nil
}

func (s *podSplitter) flush(pods ...string) error {
	for _, pod := range pods {
		p := s.pods[pod]
		text := p.text.Bytes()
		p.text, p.rows = bytes.Buffer{}, false
		s.held -= len(text)
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		if err := s.read(pod, text); err != nil {
			return err
		}
	}
	return nil
}

// maxFiles is the maximum number of files in a folder.
const maxFiles = 2_000_000

// Files returns name itself if it is a file. If it is a folder, Files returns the regular files in
// it and in its subfolders, sorted by path, without hidden files (.name) and without following
// links to folders. Errors are of type [*Error]; a folder without files is an error.
func Files(name string) ([]string, error) {
	if name == "-" {
		return []string{name}, nil
	}
	info, err := os.Stat(name)
	if err != nil {
		return nil, pathError(name, err)
	}
	if !info.IsDir() {
		return []string{name}, nil
	}
	var files []string
	// WalkDir does not follow a link, and the argument may be one.
	err = filepath.WalkDir(strings.TrimRight(name, "/")+"/", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return pathError(path, err)
		case strings.HasPrefix(d.Name(), ".") && filepath.Clean(path) != filepath.Clean(name):
			if d.IsDir() {
				return fs.SkipDir
			}
		case d.Type().IsRegular() || d.Type() == fs.ModeSymlink && isRegular(path):
			if files = append(files, filepath.Clean(path)); len(files) > maxFiles {
				return &Error{File: name, Msg: fmt.Sprintf("more than %d files; name a smaller folder", maxFiles)}
			}
		}
		return nil
	})
	if err == nil && len(files) == 0 {
		err = &Error{File: name, Msg: ErrNoFiles.Error(), Err: ErrNoFiles}
	}
	if err != nil {
		return nil, err
	}
	return files, nil
}

func isRegular(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
