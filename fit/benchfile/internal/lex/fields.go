package lex

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Quote returns s if a terminal can print it safely, else s quoted as in Go.
func Quote(s string) string {
	for _, r := range s {
		if !strconv.IsPrint(r) || r == utf8.RuneError {
			return strconv.Quote(s)
		}
	}
	return s
}

// Plain returns s with each character that is not printable, such as an escape, replaced by '?'.
func Plain(s string) string {
	return strings.Map(func(r rune) rune {
		if !strconv.IsPrint(r) || r == utf8.RuneError {
			return '?'
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
}

// Short returns the first 60 bytes of b, made safe to print by [Plain].
func Short(b []byte) string {
	if len(b) > 60 {
		b = b[:60]
	}
	return Plain(string(b))
}

// Bounded returns a text or, if it is longer than names of hosts and files are, its beginning with
// a checksum of the whole, so that different texts stay different.
func Bounded(text []byte) []byte {
	const longest = 255 // bytes
	if len(text) <= longest {
		return text
	}
	return fmt.Appendf(nil, "%s…%08x", text[:longest-32], crc32.ChecksumIEEE(text))
}

// Split cuts a line into fields, without blanks and quotes around the values.
func Split(into [][]byte, line []byte, comma byte) [][]byte {
	if comma == ' ' {
		return append(into, bytes.Fields(line)...)
	}
	for {
		for len(line) > 0 && line[0] == ' ' {
			line = line[1:]
		}
		if len(line) > 0 && line[0] == '"' {
			if value, rest, ok := quoted(line); ok { // it may hold the separator
				i := bytes.IndexByte(rest, comma)
				after := rest[:max(i, 0)]
				if i < 0 {
					after = rest
				}
				if after = trimField(after); len(after) > 0 {
					value = append(bytes.Clone(value), after...)
				}
				into = append(into, value)
				if i < 0 {
					return into
				}
				line = rest[i+1:]
				continue
			}
		}
		i := 0
		for i < len(line) && line[i] != comma { // values are short
			i++
		}
		into = append(into, trimField(line[:i]))
		if i == len(line) {
			return into
		}
		line = line[i+1:]
	}
}

// quoted returns the quoted value at the beginning of a line, with doubled quotes replaced by
// single ones, and the rest of the line. It returns false if the closing quote is missing.
func quoted(line []byte) (value, rest []byte, ok bool) {
	doubled := false
	for i := 1; i < len(line); i++ {
		switch {
		case line[i] != '"':
		case i+1 < len(line) && line[i+1] == '"':
			doubled = true
			i++
		case doubled:
			return bytes.ReplaceAll(line[1:i], []byte(`""`), []byte(`"`)), line[i+1:], true
		default:
			return line[1:i], line[i+1:], true
		}
	}
	return nil, nil, false
}

func trimField(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '"') {
		b = b[1:]
	}
	for len(b) > 0 && (b[len(b)-1] == ' ' || b[len(b)-1] == '"') {
		b = b[:len(b)-1]
	}
	return b
}
