//go:build linux

package live

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

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
			p.tell(&signal{err})
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
