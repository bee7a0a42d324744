package benchfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"iter"

	"github.com/halfpeak/halfpeak/internal/lex"
)

// A jsonStream decodes JSON line by line. Its decoder is a coroutine that waits in Read for the
// next line: so JSON may begin and end anywhere in a log, the line of an error is known, and
// memory holds one value at a time.
type jsonStream struct {
	buffer []byte // of the current piece
	text   []byte // of the piece, as far as it has not been read
	word   []byte // the beginning of a word that the next piece ends
	quoted bool   // the text ends within a string,
	escape bool   // and there behind a backslash
	held   int    // bytes since the last progress
	next   func() (error, bool)
	stop   func()
}

// maxHeldJSON is the maximum length in bytes of a value that is decoded as a whole. An object
// of a million sizes and times takes about 20 MiB.
const maxHeldJSON = 64 << 20

// newJSONStream returns a stream. Of each value outside of others it reads the first token, and
// calls value to read the rest.
func newJSONStream(value func(json.Token, *json.Decoder) error) *jsonStream {
	s := &jsonStream{}
	s.next, s.stop = iter.Pull(func(yield func(error) bool) {
		in := lex.ReaderFunc(func(into []byte) (int, error) {
			// The text is used up: write returns, and continues here with the next piece.
			// After stop, yield returns false, and the decoder sees the end of its input.
			if len(s.text) == 0 && !yield(nil) {
				return 0, io.EOF
			}
			n := copy(into, s.text)
			s.text = s.text[n:]
			if s.held += n; s.held > maxHeldJSON {
				return 0, errors.New("a value of more than 64 MiB")
			}
			return n, nil
		})
		dec := json.NewDecoder(in)
		for {
			token, err := dec.Token()
			// A decoder does not go on after an error, so a new one does.
			if err != nil && s.skipComma(dec) {
				dec = json.NewDecoder(in)
				continue
			}
			if err == nil {
				err = value(token, dec)
			}
			if err != nil {
				yield(err)
				return
			}
			s.progress()
		}
	})
	return s
}

// progress reports that the text so far need not be held.
func (s *jsonStream) progress() { s.held = 0 }

// skipComma skips a comma between objects that have lost their array, which the decoder rejects.
func (s *jsonStream) skipComma(dec *json.Decoder) bool {
	rest, _ := io.ReadAll(dec.Buffered()) // cannot fail: it is in memory
	rest, ok := bytes.CutPrefix(bytes.TrimLeft(rest, " \t\n"), []byte(","))
	if ok {
		s.text = append(rest, s.text...)
	}
	return ok
}

// notFinite matches the numbers that Python writes and JSON does not have.
var notFinite = lex.NewPattern(`NaN|-?Infinity`)

// quoteNumbers puts quotes around the numbers that are not finite, outside of strings. As a text,
// such a number is a time that is not a number: its row is dropped and counted.
func (s *jsonStream) quoteNumbers(text []byte) []byte {
	has := bytes.Contains(text, []byte("NaN")) || bytes.Contains(text, []byte("Infinity"))
	var all []byte
	from := 0
	add := func(to int) {
		part := text[from:to]
		if from = to; !s.quoted {
			part = notFinite().ReplaceAll(part, []byte(`"$0"`))
		}
		all = append(all, part...)
	}
	for i, c := range text {
		switch {
		case s.escape:
			s.escape = false
		case c == '\\':
			s.escape = s.quoted
		case c == '"':
			if has {
				add(i)
			}
			s.quoted = !s.quoted
		}
	}
	if !has {
		return text
	}
	add(len(text))
	return all
}

// write reads a piece of a line, and its end if it is the last. It returns an error if the text is
// not JSON.
func (s *jsonStream) write(piece []byte, ends bool) error {
	s.buffer = append(append(s.buffer[:0], s.word...), piece...)
	whole := len(s.buffer)
	// The newline ends a number: without it the decoder would wait for more digits.
	if ends {
		s.buffer = append(s.buffer, '\n')
		whole++
	} else {
		// The letters of NaN and -Infinity: a word may be cut in two by the end of a piece. It
		// waits for the next one.
		whole = len(bytes.TrimRight(s.buffer, "-INafinty"))
	}
	s.text, s.word = s.buffer[:whole], append(s.word[:0], s.buffer[whole:]...)
	s.text = s.quoteNumbers(s.text)
	err, _ := s.next()
	return err
}

// plainText returns a value as a CSV file has it: a string without its quotes, null or no value as
// nothing.
func plainText(value json.RawMessage) []byte {
	if len(value) == 0 {
		return nil
	}
	if value[0] == '"' {
		if bytes.IndexByte(value, '\\') < 0 {
			return lex.Bounded(value[1 : len(value)-1])
		}
		var text string
		_ = json.Unmarshal(value, &text) // cannot fail: the value has been decoded once
		return lex.Bounded([]byte(text))
	}
	if string(value) == "null" {
		return nil
	}
	return lex.Bounded(value)
}

// skipRest reads the rest of an array.
func skipRest(dec *json.Decoder) error {
	for dec.More() {
		if err := dec.Decode(new(json.RawMessage)); err != nil {
			return err
		}
	}
	_, err := dec.Token()
	return err
}
