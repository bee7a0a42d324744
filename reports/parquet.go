//go:build !js

package reports

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"io"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/internal/atomicfile"
)

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
	groups  []thrift
	zip     *gzip.Writer
}

// A parquetColumn is a column of the open row group.
type parquetColumn struct {
	key    string
	levels []byte // definition levels: runs of absent and of present values
	run    int    // values in the run that is open
	there  bool   // whether those are present
	values []byte // of the present ones, eight bytes each
	kind   int64  // parquetDouble or parquetInt64
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
	var root thrift
	root.text(4, "rows").number(5, int64(len(p.columns)))
	schema := []thrift{root.end()}
	var orders []thrift // of the type itself: without it, readers pass over statistics
	for _, c := range p.columns {
		var column, order, plain thrift
		column.number(1, c.kind).number(3, parquetOptional).text(4, c.key)
		schema, orders = append(schema, column.end()), append(orders, order.nested(1, plain.end()).end())
	}
	var imprint, footer thrift
	imprint.text(1, "writer").text(2, atomicfile.Imprint)
	footer.number(1, 1).structs(2, schema).long(3, p.total).structs(4, p.groups).structs(5, []thrift{imprint.end()}).text(6, "halfpeak").structs(7, orders)
	text := footer.end().b
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

// endGroup writes the rows that are held as a row group.
func (p *Parquet) endGroup() {
	var chunks []thrift
	begin := p.offset
	for i := range p.columns {
		chunks = append(chunks, p.writeColumn(&p.columns[i]))
	}
	var group thrift
	group.structs(1, chunks).long(2, p.offset-begin).long(3, int64(p.rows))
	p.groups = append(p.groups, group.end())
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

	var data, header thrift
	data.number(1, int64(p.rows)).number(2, parquetPlain).number(3, parquetRLE).number(4, parquetRLE)
	header.number(1, 0).number(2, int64(size)).number(3, int64(page.Len())).nested(5, data.end())
	at, head := p.offset, header.end().b
	p.write(head)
	p.write(page.Bytes())

	var about, chunk thrift
	about.number(1, c.kind).numbers(2, parquetPlain, parquetRLE).texts(3, c.key).number(4, parquetGzip).long(5, int64(p.rows))
	about.long(6, int64(len(head)+size)).long(7, int64(len(head)+page.Len())).long(9, at)
	var statistics thrift
	statistics.long(3, int64(p.rows-len(c.values)/8))
	if len(c.values) > 0 {
		statistics.text(5, string(c.encoded(nil, c.greatest))).text(6, string(c.encoded(nil, c.least)))
	}
	about.nested(12, statistics.end())
	c.levels, c.values = c.levels[:0], c.values[:0]
	return chunk.long(2, at).nested(3, about.end()).end()
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

// A thrift is a struct in Thrift's compact protocol, field by field in ascending order of their
// identifiers.
type thrift struct {
	b    []byte
	last byte // identifier of the field before
}

// Types of fields and of elements of lists.
const (
	thriftInt32  = 5
	thriftInt64  = 6
	thriftText   = 8
	thriftList   = 9
	thriftStruct = 12
)

func (t *thrift) field(id, kind byte) {
	t.b = append(t.b, (id-t.last)<<4|kind)
	t.last = id
}

func (t *thrift) number(id byte, v int64) *thrift {
	t.field(id, thriftInt32)
	t.b = binary.AppendVarint(t.b, v)
	return t
}

func (t *thrift) long(id byte, v int64) *thrift {
	t.field(id, thriftInt64)
	t.b = binary.AppendVarint(t.b, v)
	return t
}

func (t *thrift) text(id byte, s string) *thrift {
	t.field(id, thriftText)
	t.b = append(binary.AppendUvarint(t.b, uint64(len(s))), s...)
	return t
}

func (t *thrift) nested(id byte, v thrift) *thrift {
	t.field(id, thriftStruct)
	t.b = append(t.b, v.b...)
	return t
}

// list begins a list of n elements.
func (t *thrift) list(id, kind byte, n int) {
	t.field(id, thriftList)
	if n < 15 {
		t.b = append(t.b, byte(n)<<4|kind)
	} else {
		t.b = binary.AppendUvarint(append(t.b, 15<<4|kind), uint64(n))
	}
}

func (t *thrift) structs(id byte, list []thrift) *thrift {
	t.list(id, thriftStruct, len(list))
	for _, v := range list {
		t.b = append(t.b, v.b...)
	}
	return t
}

func (t *thrift) numbers(id byte, list ...int64) *thrift {
	t.list(id, thriftInt32, len(list))
	for _, v := range list {
		t.b = binary.AppendVarint(t.b, v)
	}
	return t
}

func (t *thrift) texts(id byte, list ...string) *thrift {
	t.list(id, thriftText, len(list))
	for _, s := range list {
		t.b = append(binary.AppendUvarint(t.b, uint64(len(s))), s...)
	}
	return t
}

// end returns the struct with the mark of its end.
func (t *thrift) end() thrift { return thrift{b: append(t.b, 0)} }
