//go:build linux

package live

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/halfpeak/halfpeak/engine"
)

// errEnded is the error of a node that cannot go on because another node's program has failed.
var errEnded = errors.New("another node ended with an error")

// Run runs a program on nodes of this process, at most 64, each in a goroutine of its own. A node
// whose program has ended serves the others until all have ended; then Run returns the errors of
// all nodes. An error of one node ends all.
func Run(t Transport, nodes int, o Options, program func(*engine.Endpoint) error) error {
	if nodes < 1 || nodes > 64 {
		return fmt.Errorf("%d nodes: a process runs 1 to 64", nodes)
	}
	ports, err := t.local(nodes)
	if err != nil {
		return err
	}
	return run(ports, t, o, program)
}

func run(ports []*port, t Transport, o Options, program func(*engine.Endpoint) error) error {
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
				if o.Pin {
					unpin, err := pin(i)
					if err != nil {
						return err
					}
					defer unpin()
				}
				ep, err := o.endpoint(p, t)
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
func heap(nodes int) []byte {
	size := sharedSize(nodes)
	memory := make([]byte, size+line)
	skip := -int(uintptr(unsafe.Pointer(&memory[0]))) & (line - 1)
	return memory[skip : skip+size]
}

// local makes ports for the nodes of this process.
func (t Transport) local(nodes int) (_ []*port, err error) {
	ports := make([]*port, nodes)
	if t == Shm {
		memory := heap(nodes)
		for i := range ports {
			if ports[i], err = newShared(memory, i, nodes, nil); err != nil {
				return nil, err
			}
		}
		return ports, nil
	}
	fds := make([][]int, nodes)
	for i := range fds {
		fds[i] = make([]int, nodes)
		for j := range fds[i] {
			fds[i][j] = -1
		}
	}
	opened := 0 // ports, which own their sockets
	defer func() {
		if err == nil {
			return
		}
		for i := range nodes {
			if i < opened {
				ports[i].close()
			} else {
				closeAll(fds[i])
			}
		}
	}()
	for i := range nodes {
		for j := range i {
			if fds[i][j], fds[j][i], err = t.connected(); err != nil {
				return nil, err
			}
		}
	}
	for i := range ports {
		p, err := t.open(i, fds[i])
		if err != nil {
			fds[i] = nil
			return nil, err
		}
		ports[i] = p
		opened++
	}
	return ports, nil
}
