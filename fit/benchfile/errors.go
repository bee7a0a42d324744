package benchfile

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// An Error reports in one line a file that cannot be used: where, what is wrong, and what to do.
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
		return fmt.Sprintf("%s:%d: %s", printable(e.File), e.Line, e.Msg)
	}
	return printable(e.File) + ": " + e.Msg
}

// A Damaged reports that reading failed in the middle of a file, for example because a gzip file is
// truncated, its checksum is wrong, or a disk failed. File holds the tables before that. They may
// be shown, but the exit status must be an error, since the file is incomplete.
type Damaged struct {
	File *File // the tables before the damage; may have none
	Err  error
}

func (e *Damaged) Error() string {
	return fmt.Sprintf("%s:%d: the file is damaged or cut off here (%v); fetch it again", printable(e.File.Name), e.File.Lines+1, e.Err)
}

func (e *Damaged) Unwrap() error { return e.Err }

// printable returns s if a terminal can print it safely, else s quoted as in Go.
func printable(s string) string {
	for _, r := range s {
		if !strconv.IsPrint(r) || r == utf8.RuneError {
			return strconv.Quote(s)
		}
	}
	return s
}

// plain returns s with each character that is not printable, such as an escape, replaced by '?'.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if !strconv.IsPrint(r) || r == utf8.RuneError {
			return '?'
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
}

// short returns the first 60 bytes of b, made safe to print by plain.
func short(b []byte) string {
	if len(b) > 60 {
		b = b[:60]
	}
	return plain(string(b))
}
