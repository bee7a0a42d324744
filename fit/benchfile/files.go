package benchfile

import (
	"bufio"
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

// An Error is one line about a file that cannot be used: the place, the fault, and the remedy.
type Error struct {
	File string
	Line int // 0 if it is about the whole file
	Msg  string
	// NoTable is set if the file is valid but has no table, and so is not the output of a
	// benchmark. Callers that read a folder may skip such files.
	NoTable bool
}

func (e *Error) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("%s:%d: %s", lex.Quote(e.File), e.Line, e.Msg)
	}
	return lex.Quote(e.File) + ": " + e.Msg
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
	// An address such as s3://bucket/file is a path that does not exist, and the error would not
	// say why.
	if scheme, _, is := strings.Cut(name, "://"); is && errors.Is(err, fs.ErrNotExist) {
		msg = fmt.Sprintf("files are read from disks, not by %s; copy it here first, or mount it",
			lex.Plain(scheme))
	}
	return &Error{File: name, Msg: msg}
}

// A Damaged reports that a part of a file is missing. Either reading failed in the middle, for
// example because a gzip file is truncated, its checksum is wrong, or a disk failed: File holds the
// tables before that. Or a few rows of CSV or JSON are invalid: File holds the tables of all
// others. The tables may be shown, but the exit status must be an error, since they are incomplete.
type Damaged struct {
	File *File // the tables that could be read; may have none
	Err  error // an [*Error] if rows are invalid
}

func (e *Damaged) Error() string {
	if rows := (*Error)(nil); errors.As(e.Err, &rows) {
		return rows.Error()
	}
	if errors.Is(e.Err, lex.ErrUnzipped) {
		return fmt.Sprintf("%s:%d: %v", lex.Quote(e.File.Name), e.File.Lines+1, e.Err)
	}
	return fmt.Sprintf("%s:%d: the file is damaged or cut off here (%v); fetch it again",
		lex.Quote(e.File.Name), e.File.Lines+1, e.Err)
}

func (e *Damaged) Unwrap() error { return e.Err }
