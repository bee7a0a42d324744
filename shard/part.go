package shard

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"iter"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/internal/atomicfile"
)

// A Header identifies a part: a shard of the answer to a question. Only parts of the same question
// are merged.
type Header struct {
	Asked json.RawMessage // the options that matter, enough to ask again
	Shard
}

// A part has the lines magic, the header, one for each record, and the end. Each line after magic
// is a checksum of its number and its text in 8 hexadecimal digits, a blank, and the text. The
// header is line 0, the records are numbered from 1, and the end has the text "end" and the next
// number.
const (
	form       = atomicfile.Imprint + ": part "
	magic      = form + "2\n"
	end        = "end"
	mostRecord = 1 << 26 // bytes
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func sumOf(number int64, text []byte) []byte {
	sum := crc32.Checksum(strconv.AppendInt(nil, number, 10), castagnoli)
	return fmt.Appendf(nil, "%08x", crc32.Update(sum, castagnoli, text))
}

func line(to []byte, number int64, text []byte) []byte {
	return append(append(append(append(to, sumOf(number, text)...), ' '), text...), '\n')
}

// An Encoder makes the lines of a part. Records is the number of records so far.
type Encoder struct{ Records int64 }

// Head returns the first bytes of a part.
func Head(h Header) ([]byte, error) {
	text, err := json.Marshal(h)
	return line([]byte(magic), 0, text), err
}

// Append appends a record, which is one line of at most 64 MiB.
func (e *Encoder) Append(to, record []byte) ([]byte, error) {
	if len(record) > mostRecord || bytes.ContainsRune(record, '\n') || string(record) == end {
		return to, fmt.Errorf("a record of %d bytes does not fit into a part; divide the file behind it", len(record))
	}
	e.Records++
	return line(to, e.Records, record), nil
}

// End appends the end of a part.
func (e *Encoder) End(to []byte) []byte { return line(to, e.Records+1, []byte(end)) }

// Errors of a part that cannot be read.
var (
	ErrNoPart    = errors.New("is not a halfpeak part file")
	ErrVersion   = errors.New("was written by another version of halfpeak; use one version for all shards")
	ErrTruncated = errors.New("is truncated: the shard was interrupted or the file was cut off")
	ErrDamaged   = errors.New("is damaged: its checksum is wrong")
)

// A Reader reads a part.
type Reader struct {
	Header
	in     *bufio.Reader
	number int64 // of the next line
}

// NewReader reads the beginning of a part. The error is [ErrNoPart], [ErrVersion], [ErrTruncated],
// [ErrDamaged] or one of reading.
func NewReader(in io.Reader) (*Reader, error) {
	r := &Reader{in: bufio.NewReaderSize(in, 1<<16)}
	first, err := r.in.Peek(len(magic))
	switch err = cut(err); {
	case err != nil && err != ErrTruncated:
		return nil, err
	case !strings.HasPrefix(string(first), form):
		return nil, ErrNoPart
	case err != nil:
		return nil, err
	case string(first) != magic:
		return nil, ErrVersion
	}
	_, _ = r.in.Discard(len(magic))
	text, err := r.Next()
	if err == nil && (json.Unmarshal(text, &r.Header) != nil || !r.valid()) || err == io.EOF {
		err = ErrDamaged
	}
	return r, err
}

// Next returns the next record; after a whole part, io.EOF. Other errors are those of [NewReader].
func (r *Reader) Next() ([]byte, error) {
	text, err := r.in.ReadBytes('\n')
	if err != nil {
		return nil, cut(err)
	}
	sum, text, ok := bytes.Cut(text[:len(text)-1], []byte(" "))
	if !ok || !bytes.Equal(sum, sumOf(r.number, text)) {
		return nil, ErrDamaged
	}
	if r.number++; string(text) != end {
		return text, nil
	}
	if _, err := r.in.ReadByte(); err != io.EOF {
		return nil, ErrDamaged
	}
	return nil, io.EOF
}

// records returns the records of a part, each valid until the next.
func records(path string, h *Header) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		file, err := os.Open(path)
		if err != nil {
			yield(nil, cut(err))
			return
		}
		defer file.Close()
		r, err := NewReader(file)
		if err != nil {
			yield(nil, err)
			return
		}
		*h = r.Header
		for {
			record, err := r.Next()
			if err == io.EOF || !yield(record, err) || err != nil {
				return
			}
		}
	}
}

// cut returns an error of reading: at the end of the file, [ErrTruncated].
func cut(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return ErrTruncated
	}
	if e := new(fs.PathError); errors.As(err, &e) {
		return fmt.Errorf("cannot be read: %w", e.Err)
	}
	return err
}

// difference returns the first option, by name, that differs between two questions.
func difference(name string, a, b json.RawMessage) (at, is, was string) {
	var as, bs map[string]json.RawMessage
	if json.Unmarshal(a, &as) == nil && json.Unmarshal(b, &bs) == nil && as != nil && bs != nil {
		all := maps.Clone(as)
		maps.Copy(all, bs)
		for _, key := range slices.Sorted(maps.Keys(all)) {
			if !bytes.Equal(as[key], bs[key]) {
				return difference(key, as[key], bs[key])
			}
		}
	}
	show := func(text json.RawMessage) string {
		const most = 60
		switch {
		case len(text) == 0 || string(text) == "null":
			return "not given"
		case len(text) > most:
			text = append(bytes.ToValidUTF8(text[:most], nil), "…"...)
		}
		return strings.Map(func(r rune) rune {
			if !strconv.IsPrint(r) {
				return '?'
			}
			return r
		}, string(text))
	}
	return name, show(a), show(b)
}

// A File is a part that is being written, with its records as rows.
type File struct {
	*atomicfile.Partial
	encoder Encoder
}

// OpenFile begins a part, or continues an interrupted one.
func OpenFile(files atomicfile.Files, path string, h Header) (*File, error) {
	p := &File{}
	head, err := Head(h)
	if err != nil {
		return nil, err
	}
	if p.Partial, err = files.OpenPartial(path, fmt.Sprintf("part %x", head), head, false); err != nil {
		return nil, err
	}
	if p.Rows() == 0 {
		if _, err := p.Partial.Write(head); err != nil {
			return nil, p.Partial.End(err, nil)
		}
	}
	p.encoder.Records = p.Rows()
	return p, nil
}

// Kept returns the records in the part at path, whole or cut off, if it has the header h. It ends
// at the first damage.
func Kept(path string, h Header) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		var its Header
		for record, err := range records(path, &its) {
			if err != nil || !bytes.Equal(its.Asked, h.Asked) || its.Shard != h.Shard || !yield(record) {
				return
			}
		}
	}
}

// Write adds a record.
func (p *File) Write(record []byte) error {
	text, err := p.encoder.Append(nil, record)
	if err == nil {
		err = p.WriteRows(text, 1)
	}
	return err
}

// End finishes the part or, after an error, leaves it for the same command to continue; whole
// describes the number of records.
func (p *File) End(err error, whole func(records int64) string) error {
	if err == nil {
		_, err = p.Partial.Write(p.encoder.End(nil))
	}
	return p.Partial.End(err, whole)
}
