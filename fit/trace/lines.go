package trace

import (
	"bufio"
	"bytes"
	"io"
	"regexp"
)

// maxLine is the longest line that is looked at; of a longer one the rest is
// dropped. No benchmark prints rows as long.
const maxLine = 64 << 10

// A lineReader gives the lines of a file in constant memory, without what
// terminals and launchers put around them.
type lineReader struct {
	in       *bufio.Reader
	read     int64
	progress func(int64)
	told     int64
	long     int  // lines that were cut
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
		return line[:len(line)-1], nil
	case err == bufio.ErrBufferFull:
		l.long++
		line = bytes.Clone(line)
		for err == bufio.ErrBufferFull {
			var more []byte
			more, err = l.in.ReadSlice('\n')
			l.read += int64(len(more))
		}
		if err == io.EOF {
			err = nil
		}
		return line, err
	case err == io.EOF && len(line) > 0:
		l.partial = true
		return line, nil
	}
	return nil, err
}

var (
	ansi = regexp.MustCompile(`\x1b(\[[0-9;?]*[ -/]*[@-~]|[@-Z\\-_])`)
	// mpirun --tag-output writes [1,0]<stdout>: before each line, newer versions
	// without the colon; loggers write a time.
	rankTag   = regexp.MustCompile(`^\[\d+,\d+\]<std(out|err|diag)>:? ?`)
	timeStamp = regexp.MustCompile(`^\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d([.,]\d+)?(Z|[+-]\d\d:?\d\d)?\]?:?[ \t]+`)
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
	if i := bytes.LastIndexByte(line, '\r'); i >= 0 { // a progress bar, overwritten
		line = bytes.TrimSpace(line[i+1:])
	}
	if len(line) > 0 && line[0] == '[' {
		line = bytes.TrimSpace(line[len(rankTag.Find(line)):])
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
