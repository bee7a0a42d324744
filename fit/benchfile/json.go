package benchfile

import (
	"bytes"
	"encoding/json"
)

// A jsonScanner takes JSON apart in pieces that may end anywhere, and passes each value to its
// sink: a file of any length takes the memory of its longest object. A value may be followed by a
// comma or another value; NaN and Infinity are values, as Python writes them. The tokens of
// encoding/json take 5.7 times as long (2 million objects, 107 MB: 5.4 s of CPU against 0.9 s for a
// whole fit) and exclude NaN.
type jsonScanner struct {
	sink  jsonSink
	stack []byte // '{' and '[' that are open
	keys  [jsonKeys]string
	want  jsonState
	text  []byte // of the incomplete token
	kind  byte   // '"' in a string, 'a' in another scalar, 0 between tokens
	slash bool   // behind a backslash
	long  bool   // the token is longer than a line may be: its value is unknown
	names map[string]string
}

// A jsonSink receives the values. The scanner's stack includes the container of a scalar, and the
// container that opens or closes.
type jsonSink interface {
	open(p *parser)
	close(p *parser)
	scalar(p *parser, text []byte)
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
	jsonDepth = 512 // maximum depth of nested containers
	jsonKeys  = 5   // keys are kept to this depth
)

// key returns the key of the current value at a depth of at least 1; "" in an array.
func (s *jsonScanner) key(depth int) string { return s.keys[depth] }

func (s *jsonScanner) reset() {
	*s = jsonScanner{sink: s.sink, stack: s.stack[:0], text: s.text[:0], names: s.names}
}

// idle reports whether the scanner is between top-level values.
func (s *jsonScanner) idle() bool { return len(s.stack) == 0 && s.kind == 0 }

// feed scans a piece. It returns false if the piece is not JSON.
func (s *jsonScanner) feed(p *parser, piece []byte) bool {
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
			if i = end; end < len(piece) && (piece[end] != '"' || !s.string(p)) {
				return false
			}
			continue
		case s.kind == 'a':
			if c > ' ' && c != ',' && c != ']' && c != '}' && c != ':' {
				s.append(piece[i : i+1])
				continue
			}
			if !s.word(p) {
				return false
			}
		}
		if c > ' ' && !s.begin(p, c) {
			return false
		}
	}
	return true
}

func (s *jsonScanner) append(b []byte) {
	if len(s.text)+len(b) > maxLine {
		s.long = true
		return
	}
	s.text = append(s.text, b...)
}

// begin scans the first byte of a token.
func (s *jsonScanner) begin(p *parser, c byte) bool {
	value := s.want == wantValue || s.want == wantValueOrEnd
	switch {
	case c == '{' || c == '[':
		if !value || len(s.stack) == jsonDepth {
			return false
		}
		if s.stack = append(s.stack, c); len(s.stack) < jsonKeys {
			s.keys[len(s.stack)] = ""
		}
		s.want = wantKeyOrEnd
		if c == '[' {
			s.want = wantValueOrEnd
		}
		s.sink.open(p)
	case c == '}' || c == ']':
		if len(s.stack) == 0 || s.stack[len(s.stack)-1] != c-2 || s.want != wantComma && s.want != wantKeyOrEnd && s.want != wantValueOrEnd {
			return false // in ASCII, a bracket ends two behind its beginning
		}
		s.sink.close(p)
		s.stack = s.stack[:len(s.stack)-1]
		s.endValue()
	case c == ',':
		if len(s.stack) == 0 {
			return true // objects that have lost their array
		}
		if s.want != wantComma {
			return false
		}
		if s.want = wantValue; s.stack[len(s.stack)-1] == '{' {
			s.want = wantKey
		}
	case c == ':':
		if s.want != wantColon {
			return false
		}
		s.want = wantValue
	case len(s.stack) == 0: // scalars outside of containers are not a table
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

// endValue sets the state that follows a value.
func (s *jsonScanner) endValue() {
	if s.want = wantComma; len(s.stack) == 0 {
		s.want = wantValue
	}
}

// token ends the token in s.text.
func (s *jsonScanner) token() []byte {
	text := s.text
	if s.long {
		text = nil
	}
	s.kind, s.slash, s.long = 0, false, false
	return text
}

// string ends a string: a key, or a value.
func (s *jsonScanner) string(p *parser) bool {
	text := s.token()
	if bytes.IndexByte(text, '\\') >= 0 {
		var plain string
		if json.Unmarshal([]byte(`"`+string(text)+`"`), &plain) != nil {
			return false
		}
		text = []byte(plain)
	}
	if s.want == wantKey || s.want == wantKeyOrEnd {
		if len(s.stack) < jsonKeys {
			s.keys[len(s.stack)] = s.name(text[:min(len(text), 4*maxText)])
		}
		s.want = wantColon
		return true
	}
	s.sink.scalar(p, text)
	s.endValue()
	return true
}

// name returns a key; equal keys share one string.
func (s *jsonScanner) name(text []byte) string {
	name, ok := s.names[string(text)]
	if !ok {
		name = string(text)
		if s.names == nil {
			s.names = map[string]string{}
		}
		if len(s.names) < maxKeys {
			s.names[name] = name
		}
	}
	return name
}

// word ends a number or a literal.
func (s *jsonScanner) word(p *parser) bool {
	text := s.token()
	switch string(text) {
	case "null":
		text = nil
	case "true", "false", "NaN", "nan", "Infinity", "-Infinity":
	default:
		if _, ok := parse(text); !ok && text != nil {
			return false
		}
	}
	s.sink.scalar(p, text)
	s.endValue()
	return true
}
