package benchfile

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/halfpeak/halfpeak/internal/atomicfile"
	"github.com/halfpeak/halfpeak/internal/lex"
	question "github.com/halfpeak/halfpeak/internal/usage"
)

// openInput opens a file, or standard input for "-", and returns its name in messages. Opening and
// reading end with ctx, which may be nil.
func openInput(name string, ctx context.Context) (
	in io.Reader, shown string, done func(), err error) {
	if ctx == nil {
		ctx = context.Background()
	}
	if name == "-" {
		if err := atomicfile.CheckInput(os.Stdin); err != nil {
			return nil, "", nil, err
		}
		// Standard input may be a terminal, at which nobody types.
		return lex.Waiting(ctx, os.Stdin), "standard input", func() {}, nil
	}
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, "", nil, pathError(name, err)
	case info.IsDir():
		return nil, "", nil,
			&Error{File: name, Msg: "is a directory; name a benchmark's output file"}
	}
	// Opening a pipe waits for its writer, who may never come.
	f, err := lex.Await(ctx, func() (*os.File, error) { return atomicfile.Open(name) })
	if err != nil {
		return nil, "", nil, pathError(name, err)
	}
	in = lex.Waiting(ctx, f)
	if info.Mode().IsRegular() { // which never waits
		in = lex.ReaderFunc(func(into []byte) (int, error) {
			if err := ctx.Err(); err != nil {
				return 0, err
			}
			return f.Read(into)
		})
	}
	return in, name, func() { _ = f.Close() }, nil
}

// Text returns the text of a file as UTF-8 without a byte order mark, whether the file is gzipped,
// or in UTF-16 as PowerShell's > writes it, or neither. The caller must call done when the text is
// read.
func Text(r io.Reader) (text *bufio.Reader, done func(), err error) {
	in, put := lex.Buffered(r)
	unzipped, unpacked, err := lex.Gunzip(in)
	if err != nil {
		put()
		return nil, nil, err
	}
	text = lex.UTF8(unzipped)
	if head, _ := text.Peek(3); string(head) == "\ufeff" {
		_, _ = text.Discard(3) // cannot fail: it was peeked
	}
	return text, func() { unpacked(); put() }, nil
}

// maxFiles is the maximum number of files in a folder: twice the million that fleets have
// been measured with. Beyond that, a wrong folder such as / is more likely.
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
	err = filepath.WalkDir(strings.TrimRight(name, "/")+"/",
		func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return pathError(path, err)
			// Hidden files are those of editors, file systems and git. The folder that the
			// user names may be hidden, or "." itself.
			case strings.HasPrefix(d.Name(), ".") && filepath.Clean(path) != filepath.Clean(name):
				if d.IsDir() {
					return fs.SkipDir
				}
			case d.Type().IsRegular() || d.Type() == fs.ModeSymlink && isRegular(path):
				if files = append(files, filepath.Clean(path)); len(files) > maxFiles {
					return &Error{File: name,
						Msg: fmt.Sprintf("more than %d files; name a smaller folder", maxFiles)}
				}
			}
			return nil
		})
	if err == nil && len(files) == 0 {
		err = &Error{File: name, Msg: "the folder has no files; give one that has"}
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

// pathError converts an error of the operating system to an [*Error]. A mistake in the question
// remains one.
func pathError(name string, err error) error {
	if e := (*Error)(nil); errors.As(err, &e) || errors.As(err, new(question.Error)) {
		return err
	}
	if e := new(fs.PathError); errors.As(err, &e) {
		err = e.Err
	}
	msg := err.Error()
	if errors.Is(err, fs.ErrNotExist) {
		msg += question.NearFile(name)
	}
	// An address such as s3://bucket/file is a path that does not exist, and the error would not
	// say why.
	if scheme, _, is := strings.Cut(name, "://"); is && errors.Is(err, fs.ErrNotExist) {
		msg = fmt.Sprintf("files are read from disks, not by %s; copy it here first, or mount it",
			lex.Plain(scheme))
	}
	return &Error{File: name, Msg: msg}
}

// Outputs reads a file that may hold the outputs of many runs behind each other, as cat *.log
// writes them. It calls each with every output, or with the error of an output that cannot be read,
// in file order.
//
// A new output begins where a benchmark prints its first line, and where head and tail print the
// name of a file (==> a.log <==); such an output is named FILE!a.log. Any other file is one output.
//
// Outputs holds one output at a time in memory. It returns an error of opening the file, or the
// first error that each returns, which ends the reading.
func Outputs(name string, o Options, each func(*File, error) error) error {
	in, name, done, err := openInput(name, o.Context)
	if err != nil {
		return err
	}
	defer done()
	return outputs(in, name, o, each)
}

func outputs(r io.Reader, name string, o Options, each func(*File, error) error) error {
	text, done, failure := Text(r)
	if failure != nil {
		return each(nil, &Error{File: name, Msg: failure.Error()})
	}
	defer done()
	if head, _ := text.Peek(4096); lex.NotText(head) != "" {
		return each(Read(text, name, o)) // reports the format and reads no further
	}
	var nothing error // the first error of an output without a table, if no output has one
	reported := false
	lines := lex.NewLines(text, o.Progress)
	for before, title := 0, ""; ; {
		r := newReader(lines, name, o)
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
		if r.lines.Held == nil { // without a line put back, the file has ended
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

// Open reads the named file; "-" is standard input. Errors are of type [*Error] or
// [*Damaged]. For a folder, see [Files].
func Open(name string, o Options) (*File, error) {
	in, name, done, err := openInput(name, o.Context)
	if err != nil {
		return nil, err
	}
	defer done()
	return Read(in, name, o)
}

// Read reads benchmark output, gzipped or not, to its end. The name appears in messages; if the
// text does not give the collective and the number of ranks, they are taken from the name. Read
// returns an [*Error] if the file has no usable table, or if 1 % of the rows of a CSV or JSON file
// are invalid. If fewer are, or if reading fails in the middle, it returns a [*Damaged] with the
// tables of the other rows, or of those before.
func Read(r io.Reader, name string, o Options) (*File, error) {
	text, done, failure := Text(r)
	if failure != nil {
		return nil, &Error{File: name, Msg: failure.Error()}
	}
	defer done()
	// 4 KiB are enough for the magic numbers, tar's is at 257, and for the zero bytes of a
	// binary file.
	head, _ := text.Peek(4096)
	if what := lex.NotText(head); what != "" {
		msg := what + "; wanted is the text that a benchmark printed"
		return nil, &Error{File: name, Msg: msg, NoTable: true}
	}
	if o.Other != nil && o.Other(text, name) {
		return &File{Name: name}, nil
	}
	return newReader(lex.NewLines(text, o.Progress), name, o).read()
}
