//go:build linux

package live

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/halfpeak/halfpeak/internal/engine"
)

// errEnded is the error of a node that cannot go on because another node's program has failed.
var errEnded = errors.New("another node ended with an error")

// Run runs a program on two nodes of this process, each in a goroutine of its own. A node whose
// program has ended serves the other until both have ended; then Run returns the errors of both. An
// error of one node ends both.
func Run(t Transport, o engine.Options, program func(*engine.Endpoint) error) error {
	ports, err := t.local()
	if err != nil {
		return err
	}
	return run(ports, t, o, false, program)
}

// runPinned is Run with each node on a processor of its own.
func runPinned(t Transport, o engine.Options, program func(*engine.Endpoint) error) error {
	ports, err := t.local()
	if err != nil {
		return err
	}
	return run(ports, t, o, true, program)
}

func run(ports [nodes]*port, t Transport, o engine.Options, pinned bool, program func(*engine.Endpoint) error) error {
	var left atomic.Int32
	left.Store(int32(len(ports)))
	end := func(err error) {
		for _, p := range ports {
			p.raise(&signal{err})
		}
	}
	var running sync.WaitGroup
	errs := make([]error, len(ports))
	for i, p := range ports {
		running.Go(func() {
			errs[i] = guard(func() error {
				if pinned {
					unpin, err := pin(i)
					if err != nil {
						return err
					}
					defer unpin()
				}
				ep, err := p.endpoint(t, o)
				if err != nil {
					return err
				}
				if err := program(ep); err != nil {
					return err
				}
				if err := ep.Flush(); err != nil {
					return err
				}
				if left.Add(-1) == 0 {
					end(nil)
				}
				ep.Linger(func() bool { return left.Load() == 0 })
				return nil
			})
			if errs[i] != nil {
				end(errEnded)
			}
		})
	}
	running.Wait()
	for i, p := range ports {
		p.close()
		if errs[i] == errEnded {
			errs[i] = nil
		} else if errs[i] != nil {
			errs[i] = fmt.Errorf("node %d: %w", i, errs[i])
		}
	}
	return errors.Join(errs...)
}

// heap is memory for the nodes of one process. The race detector watches it.
func heap() []byte {
	memory := make([]byte, sharedSize+line)
	skip := -int(uintptr(unsafe.Pointer(&memory[0]))) & (line - 1)
	return memory[skip : skip+sharedSize]
}

// local makes ports for the nodes of this process.
func (t Transport) local() (ports [nodes]*port, err error) {
	if t == Shm {
		memory := heap()
		for i := range ports {
			ports[i] = newShared(memory, i, nil)
		}
		return ports, nil
	}
	mine, theirs, err := t.connected()
	if err != nil {
		return ports, err
	}
	if ports[0], err = t.open(0, mine); err != nil {
		return ports, errors.Join(err, unix.Close(theirs))
	}
	if ports[1], err = t.open(1, theirs); err != nil {
		ports[0].close()
	}
	return ports, err
}
