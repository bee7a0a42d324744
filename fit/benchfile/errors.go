package benchfile

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// An Error is a file that cannot be used, in one line: where, what, what to do.
type Error struct {
	File string
	Line int // 0 if it is about the whole file
	Msg  string
	// NoTable is set if the file was read without a fault but has no table: it is not the output of
	// a benchmark. Such files of a folder can be left out.
	NoTable bool
}

func (e *Error) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("%s:%d: %s", printable(e.File), e.Line, e.Msg)
	}
	return printable(e.File) + ": " + e.Msg
}

// A Damaged is a file whose reading failed in the middle: a gzip file that was cut off or whose
// checksum is wrong, a disk that failed. File has what was read before that. It may be shown, but
// it is incomplete, and the exit status must say so.
type Damaged struct {
	File *File // its tables are those before the damage; perhaps none
	Err  error
}

func (e *Damaged) Error() string {
	return fmt.Sprintf("%s:%d: the file is damaged or cut off here (%v); fetch it again", printable(e.File.Name), e.File.Lines+1, e.Err)
}

func (e *Damaged) Unwrap() error { return e.Err }

// printable returns text from outside fit for a terminal: as it is, or quoted as in Go.
func printable(s string) string {
	for _, r := range s {
		if !strconv.IsPrint(r) || r == utf8.RuneError {
			return strconv.Quote(s)
		}
	}
	return s
}

// plain removes from a text of the file, for titles, what a terminal would obey.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if !strconv.IsPrint(r) || r == utf8.RuneError {
			return '?'
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
}

// short returns the beginning of a text, fit for a message or a title.
func short(b []byte) string {
	if len(b) > 60 {
		b = b[:60]
	}
	return plain(string(b))
}
