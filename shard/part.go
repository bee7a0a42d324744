package shard

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A Header is what a part is of: a shard of the answer to a question. Parts are merged if they were
// asked the same.
type Header struct {
	Asked json.RawMessage // the options that matter, enough to ask again
	Shard
}

// A part is magic and version; then frames. A frame is the length of its record and the number of
// records before it, the record, and a checksum of all these. The header is a frame before them; the
// last frame has the length endLength and no bytes. All numbers have their least significant byte
// first.
const (
	magic      = "Written by halfpeak: part\n\x00" // with atomicfile.Imprint, and no text
	version    = 2
	frameHead  = 4 + 8
	endLength  = 1<<32 - 1
	mostRecord = 1 << 26 // bytes
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// An Encoder makes the bytes of a part. Records is the number of records so far.
type Encoder struct{ Records int64 }

// Head returns the first bytes of a part: magic, version and header.
func Head(h Header) ([]byte, error) {
	record, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	return frame(append([]byte(magic), version), 0, uint32(len(record)), record), nil
}

// Append appends a record of at most 64 MiB.
func (e *Encoder) Append(text, record []byte) ([]byte, error) {
	if len(record) > mostRecord {
		return text, fmt.Errorf("a record of %d bytes is too large for a part; divide the file behind it", len(record))
	}
	text = frame(text, e.Records, uint32(len(record)), record)
	e.Records++
	return text, nil
}

// End appends the end of a part.
func (e *Encoder) End(text []byte) []byte { return frame(text, e.Records, endLength, nil) }

func frame(text []byte, records int64, length uint32, record []byte) []byte {
	from := len(text)
	text = binary.LittleEndian.AppendUint32(text, length)
	text = binary.LittleEndian.AppendUint64(text, uint64(records))
	text = append(text, record...)
	return binary.LittleEndian.AppendUint32(text, crc32.Checksum(text[from:], castagnoli))
}

// Errors of a part that cannot be read.
var (
	ErrNoPart    = errors.New("is not a halfpeak part file")
	ErrVersion   = errors.New("was written in the form of another version of halfpeak; use one version for all shards")
	ErrTruncated = errors.New("is truncated: the shard was interrupted or the file was cut off")
	ErrDamaged   = errors.New("is damaged: its bytes are not those that were written")
)

// A Reader reads a part.
type Reader struct {
	Header
	in      io.Reader
	records int64 // read so far
	buffer  []byte
}

// NewReader reads the beginning of a part. The error is [ErrNoPart], [ErrVersion], [ErrTruncated],
// [ErrDamaged] or one of reading.
func NewReader(in io.Reader) (*Reader, error) {
	r := &Reader{in: in}
	var head [len(magic) + 1]byte
	_, err := io.ReadFull(in, head[:])
	switch err = cut(err); {
	case err != nil && err != ErrTruncated:
		return nil, err
	case string(head[:len(magic)]) != magic:
		return nil, ErrNoPart
	case err != nil:
		return nil, err
	case head[len(magic)] != version:
		return nil, ErrVersion
	}
	r.records = -1
	record, err := r.Next()
	if err == io.EOF {
		return nil, ErrDamaged
	}
	if err != nil {
		return nil, err
	}
	if json.Unmarshal(record, &r.Header) != nil || !r.valid() {
		return nil, ErrDamaged
	}
	return r, nil
}

// Next returns the next record, valid until the next call; io.EOF is the whole end. The errors are
// those of [NewReader].
func (r *Reader) Next() ([]byte, error) {
	var head [frameHead]byte
	if _, err := io.ReadFull(r.in, head[:]); err != nil {
		return nil, cut(err)
	}
	length := binary.LittleEndian.Uint32(head[:])
	before := int64(binary.LittleEndian.Uint64(head[4:]))
	size := int(length)
	if length == endLength {
		size = 0
	}
	if size > mostRecord || before != max(r.records, 0) {
		return nil, ErrDamaged
	}
	// A length that is not true takes no more memory than the file has bytes.
	r.buffer = r.buffer[:0]
	for want := size + 4; len(r.buffer) < want; {
		from := len(r.buffer)
		r.buffer = slices.Grow(r.buffer, min(want-from, 1<<20))
		r.buffer = r.buffer[:min(want, cap(r.buffer))]
		if n, err := io.ReadFull(r.in, r.buffer[from:]); err != nil {
			r.buffer = r.buffer[:from+n]
			return nil, cut(err)
		}
	}
	record, sum := r.buffer[:size], binary.LittleEndian.Uint32(r.buffer[size:])
	if crc32.Update(crc32.Checksum(head[:], castagnoli), castagnoli, record) != sum {
		return nil, ErrDamaged
	}
	if length == endLength {
		if n, err := r.in.Read(make([]byte, 1)); n > 0 || err != nil && err != io.EOF {
			return nil, ErrDamaged
		}
		return nil, io.EOF
	}
	r.records++
	return record, nil
}

// cut is an error of reading, which is [ErrTruncated] at the end of the file.
func cut(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return ErrTruncated
	}
	if e := new(fs.PathError); errors.As(err, &e) {
		return fmt.Errorf("cannot be read: %w", e.Err)
	}
	return err
}

// difference returns the first option in which two questions differ, in the order of their names.
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
