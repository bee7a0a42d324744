package benchfile

import (
	"archive/tar"
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"regexp"
	"strings"
)

// Outputs reads a file that holds the outputs of many runs. It calls each with every output, or
// with the error of an output that cannot be read, in file order:
//
//   - a tar archive, gzipped or not; its members may be such files again;
//   - outputs behind each other, as of cat *.log: a new one begins where a benchmark prints its first
//     line, and where head and tail print the name of a file (==> a.log <==);
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
		return outputs(&waiting{ctx: ctx, r: os.Stdin}, "standard input", o, 0, each)
	}
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return pathError(name, err)
	case info.IsDir():
		return &Error{File: name, Msg: "is a directory; name a benchmark's output file"}
	}
	f, err := openUnless(ctx, name, !info.Mode().IsRegular())
	if err != nil {
		return pathError(name, err)
	}
	defer f.Close()
	if info.Mode().IsRegular() {
		return outputs(reader(func(into []byte) (int, error) {
			if err := ctx.Err(); err != nil {
				return 0, err
			}
			return f.Read(into)
		}), name, o, 0, each)
	}
	return outputs(&waiting{ctx: ctx, r: f}, name, o, 0, each)
}

// maxNested is the maximum depth of archives inside archives.
const maxNested = 2

func outputs(r io.Reader, name string, o Options, depth int, each func(*File, error) error) error {
	in, done := buffered(r)
	defer done()
	in, unpacked, failure := gunzip(in, name)
	if failure != nil {
		return each(nil, failure)
	}
	defer unpacked()
	head, err := in.Peek(maxLine)
	if len(head) > 262 && string(head[257:262]) == "ustar" {
		return members(tar.NewReader(in), name, o, depth, each)
	}
	if byteOrderOf(in) == nil && notText(head[:min(len(head), 4096)]) != "" {
		return each(Read(in, name, o)) // reports the format and reads no further
	}
	s := &sections{in: in, name: name}
	first, _, _ := bytes.Cut(head, []byte("\n"))
	switch pod, _ := podOf(first); {
	case pod != "":
		return s.pods(o, depth, each)
	case err == io.EOF && !divided(head):
		return each(Read(in, name, o))
	}
	part, done := buffered(s)
	defer done()
	var nothing error // the first error of an output without a table, if no output has one
	reported := false
	for {
		if !s.next() {
			if nothing != nil && !reported {
				return each(nil, nothing)
			}
			return nil
		}
		title := name
		if s.title != "" {
			title += "!" + s.title
		}
		part.Reset(s)
		f, err := Read(part, title, o)
		if e := (*Error)(nil); errors.As(err, &e) && e.NoTable && !s.rows {
			nothing = cmp.Or(nothing, err) // text before or between outputs
			continue
		}
		reported = true
		if f != nil { // lines count from the beginning of the file
			for i := range f.Tables {
				f.Tables[i].Line += s.before
			}
		}
		if err := each(f, err); err != nil {
			return err
		}
		if damaged := (*Damaged)(nil); errors.As(err, &damaged) {
			return nil
		}
	}
}

// members reads the regular files of an archive.
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

// hidden reports whether a file or a folder of the path is hidden.
func hidden(path string) bool {
	for part := range strings.SplitSeq(path, "/") {
		if strings.HasPrefix(part, ".") && part != "." && part != ".." {
			return true
		}
	}
	return false
}

var (
	fileTitle = regexp.MustCompile(`^==> (.+) <==$`)
	// kubectl logs --prefix writes [pod/NAME/CONTAINER]; other tools write a blank instead of "/".
	podPrefix = regexp.MustCompile(`^\[pod/([^/\]\s]{1,253})[/ ]?[^\]]{0,253}\] ?`)
)

// podOf returns the pod in the prefix of a line, and the rest of the line.
func podOf(line []byte) (pod string, rest []byte) {
	if !bytes.HasPrefix(line, []byte("[pod/")) {
		return "", line
	}
	m := podPrefix.FindSubmatchIndex(line)
	if m == nil {
		return "", line
	}
	return string(line[m[2]:m[3]]), line[m[1]:]
}

// A lineKind is the role of a line in the division of a file into outputs.
type lineKind uint8

const (
	otherLine lineKind = iota
	rowLine            // of numbers: the output has begun
	startLine          // of a benchmark
	titleLine          // of a file
)

// kindOfLine returns the kind of a line, and the name that a title line gives.
func kindOfLine(line []byte) (kind lineKind, title string) {
	line = clean(line)
	if len(line) == 0 {
		return otherLine, ""
	}
	switch c := line[0]; {
	case c >= '0' && c <= '9':
		return rowLine, ""
	case c == '=':
		if m := fileTitle.FindSubmatch(line); m != nil {
			return titleLine, plain(string(m[1]))
		}
	case c == '#' || c == 's' || c == 'M' || c == 'N':
		for _, start := range starters {
			if bytes.HasPrefix(line, start) {
				return startLine, ""
			}
		}
	case c == '}':
		return rowLine, "" // the end of a document of JSON
	case c == '{' && len(line) == 1:
		return startLine, ""
	}
	return otherLine, ""
}

// divided reports whether a text holds more than one output.
func divided(text []byte) bool {
	rows := false
	for line := range bytes.SplitSeq(text, []byte("\n")) {
		switch kind, _ := kindOfLine(line); kind {
		case rowLine:
			rows = true
		case startLine:
			if rows {
				return true
			}
		case titleLine:
			return true
		}
	}
	return false
}

// sections divides a text into outputs. It is the reader of the current one.
type sections struct {
	in    *bufio.Reader
	name  string
	title string // of the current output, if it has one

	line      []byte // unread rest of the current line
	within    bool   // the next piece of in goes on with a line
	rows      bool   // the output has rows
	held      bool   // the line is the first of the next output
	following string // the title of that
	lines     int    // so far
	before    int    // the current output
	end       bool
	err       error
}

// next advances to the next output, and reports whether there is one.
func (s *sections) next() bool {
	if s.lines == 0 && s.err == nil && !s.end {
		s.fill() // the first line may be a title
		return true
	}
	_, _ = io.Copy(io.Discard, s) // its errors were reported with the output
	if !s.held {
		return false
	}
	s.held, s.rows, s.title, s.before = false, false, s.following, s.lines-1
	return true
}

func (s *sections) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if s.held || s.end && len(s.line) == 0 {
			break
		}
		if len(s.line) > 0 {
			k := copy(p[n:], s.line)
			n, s.line = n+k, s.line[k:]
			continue
		}
		if s.err != nil {
			return n, s.err
		}
		s.fill()
	}
	if n == 0 && len(p) > 0 {
		if s.err != nil {
			return 0, s.err
		}
		return 0, io.EOF
	}
	return n, nil
}

// fill reads the next piece of a line.
func (s *sections) fill() {
	line, err := s.in.ReadSlice('\n')
	whole := !s.within
	s.within = err == bufio.ErrBufferFull
	if err != nil && err != io.EOF && !s.within {
		s.err = err
	}
	s.end = err == io.EOF
	s.line = line
	if !whole || len(line) == 0 {
		return
	}
	s.lines++
	switch kind, title := kindOfLine(line); {
	case kind == rowLine:
		s.rows = true
	case kind == titleLine:
		s.held, s.following = s.lines > 1, title
		if s.lines == 1 {
			s.title = title
		}
	case kind == startLine && s.rows:
		s.held, s.following = true, s.title
	}
}

// The text in memory is bounded for each pod and for all pods of a file together; a pod without
// text counts as podSize bytes.
const (
	maxPod  = 64 << 20
	maxPods = 256 << 20
	podSize = 512
)

// pods reads lines with the prefixes of pods. Each pod is a file of its own; an output of a pod is
// read when the pod's next output begins. The text of a pod is not searched for further prefixes.
func (s *sections) pods(o Options, depth int, each func(*File, error) error) error {
	if depth > maxNested {
		return each(nil, &Error{File: s.name, Msg: "names of pods before names of pods; keep one before each line"})
	}
	held := 0 // bytes
	type pod struct {
		text bytes.Buffer
		rows bool
	}
	pods, order := map[string]*pod{}, []string{}
	flush := func(name string) error {
		p := pods[name]
		text := p.text.Bytes()
		defer func() { p.text, p.rows = bytes.Buffer{}, false }()
		held -= len(text)
		if len(bytes.TrimSpace(text)) == 0 {
			return nil
		}
		return outputs(bytes.NewReader(text), s.name+"!"+name, o, maxNested+1, each)
	}
	var last *pod
	for {
		line, err := s.in.ReadSlice('\n')
		if err != nil && err != io.EOF && err != bufio.ErrBufferFull {
			for _, name := range order { // complete outputs may be kept
				if err := flush(name); err != nil {
					return err
				}
			}
			return each(nil, &Damaged{File: &File{Name: s.name, Lines: s.lines}, Err: err})
		}
		if !s.within {
			s.lines++
			name, rest := podOf(line)
			p := pods[name]
			if p == nil {
				p = new(pod)
				pods[name], order = p, append(order, name)
				held += podSize
			}
			kind, _ := kindOfLine(rest)
			if kind == startLine && p.rows {
				if err := flush(name); err != nil {
					return err
				}
			}
			p.rows = p.rows || kind == rowLine
			line, last = rest, p
		}
		s.within = err == bufio.ErrBufferFull
		if last.text.Len()+len(line) > maxPod {
			return each(nil, &Error{File: s.name, Line: s.lines, Msg: "more than 64 MiB of one pod that cannot be divided; write the logs of each pod to a file"})
		}
		if held += len(line); held > maxPods {
			return each(nil, &Error{File: s.name, Line: s.lines, Msg: "more than 256 MiB of pods that have not ended; write the logs of each pod to a file"})
		}
		last.text.Write(line)
		if err == io.EOF {
			break
		}
	}
	for _, name := range order {
		if err := flush(name); err != nil {
			return err
		}
	}
	return nil
}
