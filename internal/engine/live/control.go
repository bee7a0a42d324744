//go:build linux

package live

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unicode"
)

// An answer is a line of node 1: that it is ready for a job, or how the job ended there.
type answer struct {
	Ready bool   `json:"ready,omitempty"`
	Error string `json:"error,omitempty"`
	lost  error
}

// An order is a line of node 0: a job, or its end.
type order struct {
	Job  *Job `json:"job,omitempty"`
	lost error
}

// Limits of a line in bytes: of an order or an answer, and of a greeting.
const (
	// A job of 100 computations is about 2 KiB of JSON; errors of the other node may be longer.
	maxAnswer = 64 << 10
	// A greeting comes before its token is checked, so it may use little memory.
	maxLine = 4 << 10
)

// serve runs the jobs that node 0 orders, until node 0 closes the connection or orders none for the
// time idle; 0: no limit.
func serve(t Transport, p *port, in io.Reader, out io.Writer, idle time.Duration) error {
	defer p.close()
	// A peer that dies without closing its connection must not keep this node waiting.
	p.stall, p.alone = micros(Patience), true
	// Orders are read by a goroutine, so that the end of a connection is noticed during a job,
	// too.
	orders, done := make(chan order), make(chan struct{})
	var ended atomic.Bool // the job that runs
	defer close(done)
	go readLines(in, func(o order, err error) bool {
		switch {
		case err != nil:
			o.lost = err
			p.raise(&signal{errors.New("the other node is gone")})
		// The signal wakes the port, which may be waiting for messages that do not come any more.
		case o.Job == nil:
			ended.Store(true)
			p.raise(&signal{})
			return true
		}
		select {
		case orders <- o:
			return true
		case <-done:
			return false
		}
	})
	say := json.NewEncoder(out)
	for {
		var late <-chan time.Time
		if idle > 0 {
			late = time.After(idle)
		}
		var o order
		select {
		case <-late:
			return fmt.Errorf("no job was ordered for %v", idle)
		case o = <-orders:
		}
		switch {
		case errors.Is(o.lost, errClosed) || errors.Is(o.lost, os.ErrClosed): // which is no error
			return nil
		case o.lost != nil:
			return o.lost
		}
		j := *o.Job
		if err := j.check(); err != nil {
			return errors.Join(err, say.Encode(answer{Error: err.Error()}))
		}
		p.prepare(j.Epoch, j.Piece)
		// The end of the last job is not that of the next; an error remains. CompareAndSwap, since
		// an error may replace the signal between the two calls.
		if s := p.signal.Load(); s != nil && s.err == nil {
			p.signal.CompareAndSwap(s, nil)
		}
		ended.Store(false)
		// Node 0 sends its first frame when it reads this. The port has the new epoch by then, so
		// that no frame of the job is taken for an old one.
		if err := say.Encode(answer{Ready: true}); err != nil {
			return err
		}
		err := guard(func() error { return j.serve(p, t, &ended) })
		var a answer
		if err != nil {
			a.Error = strings.TrimSpace(err.Error())
		}
		if sayErr := say.Encode(a); sayErr != nil || err != nil {
			return err
		}
	}
}

// serve runs the job on node 1, and then serves node 0 until the job has ended.
func (j Job) serve(p *port, t Transport, ended *atomic.Bool) error {
	ep, err := j.endpoint(p, t)
	if err != nil {
		return err
	}
	if _, err := j.run(ep, p); err != nil {
		return err
	}
	ep.Linger(ended.Load)
	return nil
}

// readLines reads lines of JSON, which take gets until it returns false, and in the end the error
// after which there are no more.
func readLines[T any](in io.Reader, take func(line T, err error) (more bool)) {
	for lines := bufio.NewReaderSize(in, maxAnswer); ; {
		var line T
		err := readLine(lines, &line)
		if !take(line, err) || err != nil {
			return
		}
	}
}

// readLine reads one line of JSON, no longer than the reader's buffer.
func readLine(in *bufio.Reader, into any) error {
	text, err := in.ReadSlice('\n')
	if errors.Is(err, io.EOF) {
		return errClosed
	}
	// A line longer than the buffer is refused, so that the other node cannot use up the memory.
	if errors.Is(err, bufio.ErrBufferFull) || err == nil && json.Unmarshal(text, into) != nil {
		return errors.New("it does not speak halfpeak's protocol")
	}
	if e := net.Error(nil); errors.As(err, &e) && e.Timeout() {
		return errors.New("it did not send a complete line in time")
	}
	return err
}

var errClosed = errors.New("it closed the connection")

// printable makes text of the other node safe to print at a terminal.
func printable(text string) string {
	// Four lines of a terminal: a text is for people, and a hostile node must not fill the
	// screen.
	const longest = 300
	if len(text) > longest {
		text = text[:longest] + "…"
	}
	// Escape sequences could change the terminal, or hide what was printed before.
	if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(text)
	}
	return text
}
