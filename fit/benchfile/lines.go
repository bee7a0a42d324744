package benchfile

import (
	"bufio"
	"bytes"
	"io"
	"regexp"
	"slices"
	"strings"
)

// maxLine is the longest line that is read; the rest of a longer one is dropped, except in JSON,
// which is read in pieces. No benchmark prints rows that long.
const maxLine = 64 << 10

// A lineReader returns the lines of a file in constant memory, without colours, rank tags and
// timestamps of terminals and launchers.
type lineReader struct {
	in       *bufio.Reader
	source   *source // of in; nil until blocks are read
	read     int64
	progress func(int64)
	reported int64
	long     int  // lines that were cut
	more     bool // the line goes on: see piece
	partial  bool // the last line had no end

	pace    pace
	bulkAt  int64 // where blocks are tried next
	stretch int64 // minimum number of bytes between a line that is not plain and the next blocks
}

// A source is the reader of a file's text. Text that was read can be put back.
type source struct {
	r    io.Reader
	back [][]byte
	err  error // that r gave when it was read to be put back
}

func (s *source) Read(into []byte) (n int, err error) {
	for len(s.back) > 0 {
		if len(s.back[0]) > 0 {
			n = copy(into, s.back[0])
			s.back[0] = s.back[0][n:]
			return n, nil
		}
		s.back = s.back[1:]
	}
	if s.err != nil {
		return 0, s.err
	}
	return s.r.Read(into)
}

func newLines(in *bufio.Reader, progress func(int64), pace pace) lineReader {
	return lineReader{in: in, progress: progress, pace: pace, bulkAt: pace.after, stretch: pace.after}
}

// next returns the next line without its end, valid until the next call.
func (l *lineReader) next() ([]byte, error) {
	line, err := l.in.ReadSlice('\n')
	l.count(len(line))
	switch {
	case err == nil:
		l.more = false
		return line[:len(line)-1], nil
	case err == bufio.ErrBufferFull:
		l.more = true
		return line, nil
	case err == io.EOF && len(line) > 0:
		l.more, l.partial = false, true
		return line, nil
	}
	l.more = false
	if l.progress != nil {
		l.progress(l.read)
	}
	return nil, err
}

// count adds n to the number of bytes read, and reports progress.
func (l *lineReader) count(n int) {
	l.read += int64(n)
	if l.progress != nil && l.read-l.reported >= 1<<20 {
		l.reported = l.read
		l.progress(l.read)
	}
}

// blocks returns the file's blocks of complete lines, beginning with the current line. No line may
// be read until [blocks.leave].
func (l *lineReader) blocks() *blocks {
	if l.source == nil {
		l.source = &source{r: l.in}
		l.in = bufio.NewReaderSize(l.source, maxLine)
	}
	buffered, _ := l.in.Peek(l.in.Buffered()) // cannot fail: it is there
	l.source.back = append([][]byte{bytes.Clone(buffered)}, l.source.back...)
	l.in.Reset(l.source)
	return &blocks{lines: l}
}

type blocks struct {
	lines *lineReader
	carry []byte // the beginning of a line
	ended bool
}

// next returns the next block in the memory of text. It returns false at the end of the file, and
// before a line that is longer than a block.
func (b *blocks) next(text []byte) ([]byte, bool) {
	if b.ended {
		return text, false
	}
	text = slices.Grow(text[:0], b.lines.pace.block)[:b.lines.pace.block]
	filled := copy(text, b.carry)
	for filled < len(text) && !b.ended {
		n, err := b.lines.source.Read(text[filled:])
		filled += n
		b.lines.source.err, b.ended = err, err != nil
	}
	text = text[:filled]
	end := bytes.LastIndexByte(text, '\n') + 1
	b.carry = append(b.carry[:0], text[end:]...)
	b.ended = b.ended || end == 0
	return text[:end], end > 0
}

// leave returns to reading line by line: first the texts in rest, then the unread text.
func (b *blocks) leave(rest [][]byte) {
	s := b.lines.source
	s.back = append(append(rest, b.carry), s.back...)
}

// drop reads the rest of a line that goes on.
func (l *lineReader) drop() {
	l.long++
	for l.more {
		_, _ = l.next() // an error comes again with the next line
	}
}

var (
	ansi = regexp.MustCompile(`\x1b(\[[0-9;?]*[ -/]*[@-~]|[@-Z\\-_])`)
	// as cat -v and some logs show them
	caret = regexp.MustCompile(`\^\[\[[0-9;]*m`)
	// mpirun --tag-output writes [1,0]<stdout>: before each line, newer versions
	// without the colon; loggers write a time.
	rankTag   = regexp.MustCompile(`^\[\d+,\d+\]<std(out|err|diag)>:? ?`)
	timeStamp = regexp.MustCompile(`^\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d([.,]\d+)?(Z|[+-]\d\d:?\d\d)?\]?:?[ \t]+`)
	// of ts, and of syslog with the host and the program
	monthStamp = regexp.MustCompile(`^[A-Z][a-z][a-z] [ 0-3]\d \d\d:\d\d:\d\d([.,]\d+)? (?:\S+ [\w./-]+\[\d+\]: )?`)
	clockStamp = regexp.MustCompile(`^\[?\d\d:\d\d:\d\d([.,]\d+)?\]?:?[ \t]+`)
)

// find returns the submatches of e in line. All matches of e must contain part: looking for it
// first is much faster, since most lines do not contain it.
func find(e *regexp.Regexp, part string, line []byte) [][]byte {
	if !bytes.Contains(line, []byte(part)) {
		return nil
	}
	return e.FindSubmatch(line)
}

// clean returns a line without colours, rank tags, timestamps and surrounding white space. A row of
// plain numbers takes only a few comparisons.
func clean(line []byte) []byte {
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return line
	}
	if bytes.IndexByte(line, 0x1b) >= 0 {
		line = bytes.TrimSpace(ansi.ReplaceAll(line, nil))
	}
	if len(line) > 0 && line[0] > '9' && bytes.IndexByte(line, '^') >= 0 { // no row of numbers
		line = bytes.TrimSpace(caret.ReplaceAll(line, nil))
	}
	if i := bytes.LastIndexByte(line, '\r'); i >= 0 { // a progress bar, overwritten
		line = bytes.TrimSpace(line[i+1:])
	}
	if len(line) > 0 && line[0] == '[' {
		line = bytes.TrimSpace(line[len(rankTag.Find(line)):])
	}
	if len(line) > 0 && line[0] == '[' {
		_, line = podOf(line)
	}
	if len(line) > 16 && line[3] == ' ' && line[9] == ':' {
		line = bytes.TrimSpace(line[len(monthStamp.Find(line)):])
	}
	if len(line) > 9 && (line[2] == ':' && line[5] == ':' || line[0] == '[' && line[3] == ':') {
		line = bytes.TrimSpace(line[len(clockStamp.Find(line)):])
	}
	if len(line) > 20 && (line[0] == '[' || line[4] == '-' || line[5] == '-') {
		line = bytes.TrimSpace(line[len(timeStamp.Find(line)):])
	}
	return line
}

// unlabelled returns a line without the leading rank that srun -l ("0: …") and mpiexec -l ("[0] …")
// print.
func unlabelled(line []byte) []byte {
	bracket := line[0] == '['
	i := 0
	if bracket {
		i++
	}
	digits := i
	for i < len(line) && line[i] >= '0' && line[i] <= '9' {
		i++
	}
	end := ": "
	if bracket {
		end = "] "
	}
	if i == digits || !bytes.HasPrefix(line[i:], []byte(end)) {
		return line
	}
	return bytes.TrimSpace(line[i+2:])
}

// fields splits a line at white space into at most len(into) fields, and returns their number; it
// is len(into)+1 if the line has more.
func fields(line []byte, into [][]byte) int {
	n := 0
	for i := 0; i < len(line); {
		if line[i] == ' ' || line[i] == '\t' {
			i++
			continue
		}
		start := i
		for i < len(line) && line[i] != ' ' && line[i] != '\t' {
			i++
		}
		if n == len(into) {
			return n + 1
		}
		into[n] = line[start:i]
		n++
	}
	return n
}

// stacked returns the names of columns whose words are stacked in several lines. A column ends
// where all lines are blank.
func stacked(lines []string) []string {
	width := 0
	for _, l := range lines {
		width = max(width, len(l))
	}
	blank := func(at int) bool {
		for _, l := range lines {
			if at < len(l) && l[at] != ' ' {
				return false
			}
		}
		return true
	}
	var names []string
	for at := 0; at < width; {
		if blank(at) {
			at++
			continue
		}
		from := at
		for at < width && !blank(at) {
			at++
		}
		var words []string
		for _, l := range lines {
			if from < len(l) {
				words = append(words, strings.Fields(l[from:min(at, len(l))])...)
			}
		}
		names = append(names, strings.Join(words, " "))
	}
	return names
}
