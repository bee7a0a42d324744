package trace

import (
	"bufio"
	"bytes"
	"io"
	"regexp"
	"strings"
)

// maxLine is the longest line that is read; the rest of a longer one is dropped, except in JSON,
// which is read in pieces. No benchmark prints rows that long.
const maxLine = 64 << 10

// A lineReader gives the lines of a file in constant memory, without what
// terminals and launchers put around them.
type lineReader struct {
	in       *bufio.Reader
	read     int64
	progress func(int64)
	told     int64
	long     int  // lines that were cut
	more     bool // the line goes on: see piece
	partial  bool // the last line had no end
}

// next returns the next line without its end, valid until the next call.
func (l *lineReader) next() ([]byte, error) {
	line, err := l.in.ReadSlice('\n')
	l.read += int64(len(line))
	if l.progress != nil && (l.read-l.told >= 1<<20 || err == io.EOF) {
		l.told = l.read
		l.progress(l.read)
	}
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
	return nil, err
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

// clean takes colours, rank tags, timestamps and the white space around it from
// a line. A row of plain numbers passes with a few comparisons.
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

// unlabelled returns a line without the rank before it, as srun -l ("0: …") and
// mpiexec -l ("[0] …") print it.
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

// fields splits a line at white space into at most len(into) fields; more of
// them make the count len(into)+1.
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

// stacked reads the names of columns that stand in lines above each other: a column ends where
// all lines are blank.
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
