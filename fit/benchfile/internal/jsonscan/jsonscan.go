// Package jsonscan takes JSON apart in pieces that may end anywhere, in constant memory.
package jsonscan

import (
	"bytes"
	"encoding/json"

	"github.com/halfpeak/halfpeak/fit/benchfile/internal/lex"
)

// A Scanner takes JSON apart in pieces that may end anywhere, and passes each value to its sink: a
// file of any length takes the memory of its longest object. A value may be followed by a comma or
// another value; NaN and Infinity are values, as Python writes them. The tokens of encoding/json
// exclude NaN, and take several times as long as the rest of a fit.
type Scanner struct {
	Sink  Sink
	Stack []byte // '{' and '[' that are open
	keys  [jsonKeys]string
	want  jsonState
	text  []byte // of the incomplete token
	kind  byte   // '"' in a string, 'a' in another scalar, 0 between tokens
	slash bool   // behind a backslash
	long  bool   // the token is longer than a line may be: its value is unknown
	names map[string]string
}

// A Sink receives the values. The scanner's stack includes the container of a scalar, and the
// container that opens or closes.
type Sink interface {
	Open()
	Close()
	Scalar(text []byte)
}

type jsonState uint8

const (
	wantValue jsonState = iota // also at the beginning
	wantValueOrEnd
	wantKey
	wantKeyOrEnd
	wantColon
	wantComma
)

const (
	jsonDepth = 512      // maximum depth of nested containers
	jsonKeys  = 5        // keys are kept to this depth
	jsonNames = 1 << 12  // maximum number of keys whose strings are shared
	jsonKey   = 256      // maximum length of a key, in bytes
	jsonToken = 64 << 10 // maximum length of a token, in bytes
)

// Key returns the key of the current value at a depth of at least 1; "" in an array.
func (s *Scanner) Key(depth int) string { return s.keys[depth] }

func (s *Scanner) Reset() {
	*s = Scanner{Sink: s.Sink, Stack: s.Stack[:0], text: s.text[:0], names: s.names}
}

// Idle reports whether the scanner is between top-level values.
func (s *Scanner) Idle() bool { return len(s.Stack) == 0 && s.kind == 0 }

// Feed scans a piece. It returns false if the piece is not JSON.
func (s *Scanner) Feed(piece []byte) bool {
	for i := 0; i < len(piece); i++ {
		c := piece[i]
		switch {
		case s.kind == '"':
			end := i
			for end < len(piece) && piece[end] >= ' ' && (s.slash || piece[end] != '"') {
				s.slash = piece[end] == '\\' && !s.slash
				end++
			}
			s.append(piece[i:end])
			if i = end; end < len(piece) && (piece[end] != '"' || !s.string()) {
				return false
			}
			continue
		case s.kind == 'a':
			if c > ' ' && c != ',' && c != ']' && c != '}' && c != ':' {
				s.append(piece[i : i+1])
				continue
			}
			if !s.word() {
				return false
			}
		}
		if c > ' ' && !s.begin(c) {
			return false
		}
	}
	return true
}

func (s *Scanner) append(b []byte) {
	if len(s.text)+len(b) > jsonToken {
		s.long = true
		return
	}
	s.text = append(s.text, b...)
}

func (s *Scanner) begin(c byte) bool {
	value := s.want == wantValue || s.want == wantValueOrEnd
	switch {
	case c == '{' || c == '[':
		if !value || len(s.Stack) == jsonDepth {
			return false
		}
		if s.Stack = append(s.Stack, c); len(s.Stack) < jsonKeys {
			s.keys[len(s.Stack)] = ""
		}
		s.want = wantKeyOrEnd
		if c == '[' {
			s.want = wantValueOrEnd
		}
		s.Sink.Open()
	case c == '}' || c == ']':
		if len(s.Stack) == 0 || s.Stack[len(s.Stack)-1] != c-2 || s.want != wantComma && s.want != wantKeyOrEnd && s.want != wantValueOrEnd {
			return false // in ASCII, a bracket ends two behind its beginning
		}
		s.Sink.Close()
		s.Stack = s.Stack[:len(s.Stack)-1]
		s.endValue()
	case c == ',':
		if len(s.Stack) == 0 {
			return true // objects that have lost their array
		}
		if s.want != wantComma {
			return false
		}
		if s.want = wantValue; s.Stack[len(s.Stack)-1] == '{' {
			s.want = wantKey
		}
	case c == ':':
		if s.want != wantColon {
			return false
		}
		s.want = wantValue
	case len(s.Stack) == 0: // scalars outside of containers are not a table
		return false
	case c == '"':
		if !value && s.want != wantKey && s.want != wantKeyOrEnd {
			return false
		}
		s.kind, s.text = '"', s.text[:0]
	default:
		if !value {
			return false
		}
		s.kind, s.text = 'a', append(s.text[:0], c)
	}
	return true
}

func (s *Scanner) endValue() {
	if s.want = wantComma; len(s.Stack) == 0 {
		s.want = wantValue
	}
}

func (s *Scanner) token() []byte {
	text := s.text
	if s.long {
		text = nil
	}
	s.kind, s.slash, s.long = 0, false, false
	return text
}

// string ends a string: a key, or a value.
func (s *Scanner) string() bool {
	text := s.token()
	if bytes.IndexByte(text, '\\') >= 0 {
		var plain string
		if json.Unmarshal([]byte(`"`+string(text)+`"`), &plain) != nil {
			return false
		}
		text = []byte(plain)
	}
	if s.want == wantKey || s.want == wantKeyOrEnd {
		if len(s.Stack) < jsonKeys {
			s.keys[len(s.Stack)] = s.name(text[:min(len(text), jsonKey)])
		}
		s.want = wantColon
		return true
	}
	s.Sink.Scalar(text)
	s.endValue()
	return true
}

// name returns a key; equal keys share one string.
func (s *Scanner) name(text []byte) string {
	name, ok := s.names[string(text)]
	if !ok {
		name = string(text)
		if s.names == nil {
			s.names = map[string]string{}
		}
		if len(s.names) < jsonNames {
			s.names[name] = name
		}
	}
	return name
}

func (s *Scanner) word() bool {
	text := s.token()
	switch string(text) {
	case "null":
		text = nil
	case "true", "false", "NaN", "nan", "Infinity", "-Infinity":
	default:
		if _, ok := lex.Parse(text); !ok && text != nil {
			return false
		}
	}
	s.Sink.Scalar(text)
	s.endValue()
	return true
}
