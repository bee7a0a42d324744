//go:build !js

package reports

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/atomicfile"
	"github.com/halfpeak/halfpeak/internal/list"
)

// StreamFormats lists the formats for writing tables of numbers row by row: CSV as [Write] prints
// it, one JSON object per line, and Parquet.
func StreamFormats() []string { return []string{"csv", "jsonl", "parquet"} }

// NewRowEncoder returns the header of the format csv or jsonl, and a function that appends a row of
// numbers to text; a number that is not finite is absent.
func NewRowEncoder(format string, keys []string) (header []byte, encode func([]byte, []float64) []byte, err error) {
	switch format {
	case "csv":
		header, err = Rows{Columns: list.Map(keys, func(k string) Column { return Column{Key: k} })}.CSV()
		return header, encodeCSV, err
	case "jsonl":
		names := make([]string, len(keys))
		for i, k := range keys {
			names[i] = "," + jsonString(k) + ":"
		}
		names[0] = "{" + names[0][1:]
		return nil, func(text []byte, row []float64) []byte {
			for i, v := range row {
				text = append(text, names[i]...)
				text = AppendNumber(text, v)
			}
			return append(text, "}\n"...)
		}, nil
	}
	return nil, nil, fmt.Errorf("unknown format %q for writing row by row; choose one of %s", format, strings.Join(StreamFormats(), ", "))
}

func encodeCSV(text []byte, row []float64) []byte {
	for i, v := range row {
		if i > 0 {
			text = append(text, ',')
		}
		if finite(v) {
			text = appendFloat(text, v)
		}
	}
	return append(text, '\n')
}

// A Parquet writes rows of numbers as an Apache Parquet file: an optional double for each key, or
// an optional 64-bit integer, in row groups of up to [groupRows] rows with one gzipped page, and
// the least and greatest value, for each column. The numbers of the format are those of
// parquet.thrift, in Thrift's compact protocol.
type Parquet struct {
	w       io.Writer
	err     error // of the first write that failed
	offset  int64 // bytes written
	columns []parquetColumn
	rows    int   // in the open group
	total   int64 // in the groups that are written
	groups  []any // structs
	zip     *gzip.Writer
}

// A parquetColumn is a column of the open row group.
type parquetColumn struct {
	key    string
	levels []byte // definition levels: runs of absent and of present values
	run    int    // values in the run that is open
	there  bool   // whether those are present
	values []byte // of the present ones, eight bytes each
	kind   int    // parquetDouble or parquetInt64
	// least and greatest of the present values, if there is one
	least, greatest float64
}

const (
	groupRows = 1 << 17 // a page of one MiB

	parquetMagic    = "PAR1"
	parquetInt64    = 2 // Type
	parquetDouble   = 5
	parquetOptional = 1 // FieldRepetitionType
	parquetPlain    = 0 // Encoding
	parquetRLE      = 3 // Encoding
	parquetGzip     = 2 // CompressionCodec
)

// NewParquet begins a file with a column for each key, in their order. Columns of integers hold
// whole numbers below 2⁵³ alone.
func NewParquet(w io.Writer, keys []string, integers ...string) *Parquet {
	p := &Parquet{w: w}
	for _, k := range keys {
		c := parquetColumn{key: k, kind: parquetDouble}
		if slices.Contains(integers, k) {
			c.kind = parquetInt64
		}
		p.columns = append(p.columns, c)
	}
	p.zip, _ = gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is valid
	p.write([]byte(parquetMagic))
	return p
}

// Write adds rows, one behind the other in values; a number that is not finite is absent.
func (p *Parquet) Write(values []float64) error {
	for width := len(p.columns); len(values) >= width; values = values[width:] {
		for i, v := range values[:width] {
			p.columns[i].add(v)
		}
		if p.rows++; p.rows == groupRows {
			p.endGroup()
		}
	}
	return p.err
}

// Close ends the file; w stays open.
func (p *Parquet) Close() error {
	if p.rows > 0 {
		p.endGroup()
	}
	schema := []any{newThrift(4, "rows", 5, len(p.columns))}
	var orders []any // of the type itself: without it, readers pass over statistics
	for _, c := range p.columns {
		schema = append(schema, newThrift(1, c.kind, 3, parquetOptional, 4, c.key))
		orders = append(orders, newThrift(1, newThrift()))
	}
	text := newThrift(1, 1, 2, schema, 3, p.total, 4, p.groups, 5, []any{newThrift(1, "writer", 2, atomicfile.Imprint)}, 6, "halfpeak", 7, orders)
	p.write(binary.LittleEndian.AppendUint32(text, uint32(len(text))))
	p.write([]byte(parquetMagic))
	return p.err
}

func (p *Parquet) write(text []byte) {
	if p.err == nil {
		_, p.err = p.w.Write(text)
		p.offset += int64(len(text))
	}
}

func (p *Parquet) endGroup() {
	var chunks []any
	begin := p.offset
	for i := range p.columns {
		chunks = append(chunks, p.writeColumn(&p.columns[i]))
	}
	p.groups = append(p.groups, newThrift(1, chunks, 2, p.offset-begin, 3, int64(p.rows)))
	p.total += int64(p.rows)
	p.rows = 0
}

// writeColumn writes a column of the open group as one page, empties it, and returns its
// ColumnChunk.
func (p *Parquet) writeColumn(c *parquetColumn) thrift {
	c.endRun()
	var page bytes.Buffer
	p.zip.Reset(&page)
	size := 4 + len(c.levels) + len(c.values)
	for _, part := range [][]byte{binary.LittleEndian.AppendUint32(nil, uint32(len(c.levels))), c.levels, c.values} {
		_, _ = p.zip.Write(part) // a bytes.Buffer takes all
	}
	_ = p.zip.Close()

	at := p.offset
	header := newThrift(1, 0, 2, size, 3, page.Len(), 5, newThrift(1, p.rows, 2, parquetPlain, 3, parquetRLE, 4, parquetRLE))
	p.write(header)
	p.write(page.Bytes())

	statistics := []any{3, int64(p.rows - len(c.values)/8)}
	if len(c.values) > 0 {
		statistics = append(statistics, 5, string(c.encoded(nil, c.greatest)), 6, string(c.encoded(nil, c.least)))
	}
	about := newThrift(1, c.kind, 2, []any{parquetPlain, parquetRLE}, 3, []any{c.key}, 4, parquetGzip, 5, int64(p.rows),
		6, int64(len(header)+size), 7, int64(len(header)+page.Len()), 9, at, 12, newThrift(statistics...))
	c.levels, c.values = c.levels[:0], c.values[:0]
	return newThrift(2, at, 3, about)
}

func (c *parquetColumn) add(v float64) {
	there := finite(v)
	if there != c.there {
		c.endRun()
		c.there = there
	}
	c.run++
	if there {
		if len(c.values) == 0 {
			c.least, c.greatest = v, v
		}
		c.least, c.greatest = min(c.least, v), max(c.greatest, v)
		c.values = c.encoded(c.values, v)
	}
}

// encoded appends a value in the type of the column.
func (c *parquetColumn) encoded(to []byte, v float64) []byte {
	bits := math.Float64bits(v)
	if c.kind == parquetInt64 {
		bits = uint64(int64(v))
	}
	return binary.LittleEndian.AppendUint64(to, bits)
}

// endRun writes the open run of definition levels: its length, doubled, and the level.
func (c *parquetColumn) endRun() {
	if c.run == 0 {
		return
	}
	level := byte(0)
	if c.there {
		level = 1
	}
	c.levels = append(binary.AppendUvarint(c.levels, uint64(c.run)<<1), level)
	c.run = 0
}

// A thrift is a struct in Thrift's compact protocol.
type thrift []byte

// Types of fields and of elements of lists.
const (
	thriftInt32  = 5
	thriftInt64  = 6
	thriftText   = 8
	thriftList   = 9
	thriftStruct = 12
)

// newThrift returns the struct with these fields: an identifier, in ascending order, and a value
// each.
func newThrift(fields ...any) thrift {
	var t thrift
	last := 0
	for k := 0; k < len(fields); k += 2 {
		kind, value := encodeThrift(fields[k+1])
		id := fields[k].(int)
		t = append(append(t, byte(id-last)<<4|kind), value...)
		last = id
	}
	return append(t, 0)
}

// encodeThrift returns the type and the bytes of a value: an int has 32 bits.
func encodeThrift(value any) (kind byte, b []byte) {
	switch v := value.(type) {
	case int:
		return thriftInt32, binary.AppendVarint(nil, int64(v))
	case int64:
		return thriftInt64, binary.AppendVarint(nil, v)
	case string:
		return thriftText, append(binary.AppendUvarint(nil, uint64(len(v))), v...)
	case thrift:
		return thriftStruct, v
	}
	list := value.([]any)
	for _, element := range list {
		var one []byte
		kind, one = encodeThrift(element)
		b = append(b, one...)
	}
	if n := len(list); n >= 15 {
		return thriftList, slices.Concat([]byte{15<<4 | kind}, binary.AppendUvarint(nil, uint64(n)), b)
	}
	return thriftList, append([]byte{byte(len(list))<<4 | kind}, b...)
}
