//go:build linux

package live

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/halfpeak/halfpeak/internal/engine/programs"
)

// A Pair is node 0 of two processes, that of a run.
type Pair struct {
	Transport Transport
	port      *port
	control   io.WriteCloser
	answers   chan answer
	epoch     uint8
	failed    bool
	child     *exec.Cmd
	said      *bytes.Buffer // by the child before it died
	unpin     func()        // the goroutine of Start; nil if it is not pinned
}

// Start starts another process of this program with the given arguments, which must call [Child]
// with the transport, and connects to it. Close ends it. If pinned, the calling goroutine stays on
// one processor.
func Start(t Transport, pinned bool, args ...string) (*Pair, error) {
	mine, fd, err := t.connected()
	if err != nil {
		return nil, err
	}
	theirs := os.NewFile(uintptr(fd), "node 1")
	defer theirs.Close()
	p, err := t.open(0, mine)
	if err != nil {
		return nil, err
	}
	started := false
	defer func() {
		if !started {
			p.close()
		}
	}()
	path, err := os.Executable()
	if err != nil {
		return nil, err
	}
	child := exec.Command(path, args...)
	child.Args[0] = os.Args[0]
	// The child finds it as descriptor 3, behind its standard streams.
	child.ExtraFiles = []*os.File{theirs}
	var said bytes.Buffer
	child.Stderr = &said
	in, err := child.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := child.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := child.Start(); err != nil {
		return nil, err
	}
	started = true
	q := newPair(t, p, in, out)
	q.child, q.said = child, &said
	if pinned {
		// Only now: a process that is started while this one is pinned inherits its one processor.
		if q.unpin, err = pin(0); err != nil {
			return nil, errors.Join(err, q.Close())
		}
	}
	return q, nil
}

// Largest returns the largest packet of the transport, in bytes.
func (q *Pair) Largest() int { return q.port.largest }

func newPair(t Transport, p *port, control io.WriteCloser, from io.Reader) *Pair {
	// A peer that dies without closing its connection must not keep this node waiting.
	p.stall, p.alone = micros(Patience), true
	// Room for the two answers of a job, the error of the connection, and one to spare: the
	// reader never waits for a Pair that is being closed.
	q := &Pair{Transport: t, port: p, control: control, answers: make(chan answer, 4)}
	go readLines(from, func(a answer, err error) bool {
		if err != nil {
			a.lost = fmt.Errorf("the other node is gone: %w", err)
			// The program may be waiting for a message of that node: the signal ends its wait.
			p.raise(&signal{a.lost})
		}
		q.answers <- a
		return true
	})
	return q
}

func (q *Pair) answer() error {
	select {
	case a := <-q.answers:
		if a.lost != nil {
			q.answers <- a // for the next call
			return a.lost
		}
		if a.Error != "" {
			return fmt.Errorf("node 1: %s", printable(a.Error))
		}
		return nil
	case <-time.After(Patience):
		return fmt.Errorf("the other node has not answered for %v", Patience)
	}
}

func (q *Pair) say(o order) error {
	if err := json.NewEncoder(q.control).Encode(o); err != nil {
		return fmt.Errorf("the other node is gone: %w", err)
	}
	return nil
}

// Run runs a job on both nodes. After an error, the pair can only be closed.
func (q *Pair) Run(j Job) (r programs.Result, err error) {
	if err := j.check(); err != nil {
		return r, err
	}
	defer func() { q.failed = err != nil }()
	// It wraps around after 256 jobs: frames of a job so long ago cannot still be on their way.
	q.epoch++
	j.Epoch = q.epoch
	q.port.prepare(j.Epoch, j.Piece)
	if err := q.say(order{Job: &j}); err != nil {
		return r, err
	}
	if err := q.answer(); err != nil {
		return r, err
	}
	err = guard(func() (err error) {
		ep, err := j.endpoint(q.port, q.Transport)
		if err != nil {
			return err
		}
		if r, err = j.run(ep, q.port); err != nil {
			return err
		}
		// Node 1 may only be told to end when it owes no reply.
		return ep.Flush()
	})
	if err != nil {
		return r, err
	}
	if err := q.say(order{}); err != nil {
		return r, err
	}
	return r, q.answer()
}

// Close ends the other node, and waits for it if it is a process of ours; if it has failed, not for
// long, since it may not end by itself. The goroutine that started a pinned pair must close it.
func (q *Pair) Close() error {
	if q.unpin != nil {
		defer q.unpin()
	}
	err := q.control.Close()
	if q.child != nil {
		wait := Patience
		if q.failed {
			// Half a second: the result is lost already, and a user waits for the message.
			wait /= 8
		}
		late := time.AfterFunc(wait, func() { _ = q.child.Process.Kill() })
		defer late.Stop()
		if ended := q.child.Wait(); ended != nil {
			said := bytes.TrimSpace(q.said.Bytes())
			err = errors.Join(err, fmt.Errorf("node 1: %w %s", ended, said))
		}
	}
	q.port.close()
	return err
}

// Child runs the other process of [Start]: it serves until in ends.
func Child(t Transport, in io.Reader, out io.Writer, pinned bool) error {
	// Descriptor 3 is the first of the extra files that Start passes.
	p, err := t.open(1, 3)
	if err != nil {
		return err
	}
	if pinned {
		unpin, err := pin(1)
		if err != nil {
			return err
		}
		defer unpin()
	}
	return serve(t, p, in, out, 0)
}
