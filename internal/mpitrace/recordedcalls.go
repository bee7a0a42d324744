package mpitrace

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule"
)

// recordedCalls are the calls of trace.c, by their names without MPI_.
var recordedCalls = func() map[string]recordedCall {
	all := map[string]recordedCall{}
	add := func(name, args string, do func(*recorded, *arguments) error) {
		all[name] = recordedCall{name: "MPI_" + name, args: strings.Fields(args), do: do}
	}
	outside := func(name, args string, do func(*recorded, *arguments) error) {
		add(name, args, do)
		call := all[name]
		call.outside = true
		all[name] = call
	}
	const message = "buffer bytes peer tag comm"
	blocking := func(kinds ...schedule.Kind) func(*recorded, *arguments) error {
		return func(p *recorded, a *arguments) error { return p.blocking(a, kinds...) }
	}
	begins := func(kind schedule.Kind) func(*recorded, *arguments) error {
		return func(p *recorded, a *arguments) error {
			if err := p.rank.nonBlocking(a, kind, a.request); err != nil {
				return err
			}
			if w := a.way[0]; kind == schedule.Recv && (w.peer == p.anyRank || w.tag == p.anyTag) {
				if open, is := p.requests[a.request]; is {
					p.wild[open.newest()] = p.in(a)
				}
			}
			return nil
		}
	}
	// Making a persistent request is local, so that it counts as computation; it may be made
	// before a region.
	prepares := func(kind schedule.Kind, buffered bool) func(*recorded, *arguments) error {
		return func(p *recorded, a *arguments) (err error) {
			x := persistent{buffer: a.way[0].buffer, buffered: buffered}
			x.op, x.ok, err = p.message(kind, a, 0)
			p.persistent[int64(a.request)] = x
			p.idle += p.spent
			return err
		}
	}
	for _, mode := range []string{"S", "Ss", "Rs"} {
		add(mode+"end", message+" written", blocking(schedule.Send))
		add("I"+strings.ToLower(mode)+"end", message+" written request", begins(schedule.Send))
		outside(mode+"end_init", message+" written request", prepares(schedule.Send, false))
	}
	buffered := func(p *recorded, a *arguments) error { return p.buffered(a) }
	add("Bsend", message+" written", buffered)
	add("Ibsend", message+" written request", buffered)
	outside("Bsend_init", message+" written request", prepares(schedule.Send, true))
	add("Recv", message, blocking(schedule.Recv))
	add("Mrecv", message, blocking(schedule.Recv))
	add("Irecv", message+" request", begins(schedule.Recv))
	add("Imrecv", message+" request", begins(schedule.Recv))
	outside("Recv_init", message+" request", prepares(schedule.Recv, false))
	for _, name := range []string{"Sendrecv", "Sendrecv_replace"} {
		add(name, message+" written buffer2 bytes2 peer2 tag2",
			blocking(schedule.Send, schedule.Recv))
	}
	start := func(p *recorded, a *arguments) error { return p.startRequests(a.list) }
	add("Start", "list", start)
	add("Startall", "list", start)
	wait := (*recorded).waitFor
	for _, which := range []string{"", "all", "any", "some"} {
		add("Wait"+which, "list", wait)
		add("Test"+which, "list", wait)
	}
	local := func(p *recorded, _ *arguments) error {
		p.idle += p.spent
		return nil
	}
	add("Pcontrol", "root", local) // its level
	add("Finalize", "", local)
	add("Cancel", "list", func(p *recorded, a *arguments) error {
		for _, at := range a.list {
			if open, is := p.requests[request(at)]; is {
				p.shared.cancelled = append(p.shared.cancelled, open.oldest)
			}
		}
		return local(p, a)
	})
	add("Request_free", "list", func(p *recorded, a *arguments) error {
		for _, at := range a.list {
			p.oldest(request(at))
			delete(p.persistent, at)
		}
		return local(p, a)
	})
	// Messages get on in a test that finds nothing, so the computation has a gap.
	add("Poll", "", func(p *recorded, a *arguments) error {
		p.idle += p.spent
		return p.enter()
	})
	// The receive of what a probe finds has a line of its own.
	found := func(p *recorded, _ *arguments) error { return p.enter() }
	add("Probe", "comm", found)
	add("Mprobe", "comm", found)
	addCollectives(add)
	return all
}()

// addCollectives adds collectives with their non-blocking forms, and calls that make communicators,
// which synchronize the members of the one that they are made of.
func addCollectives(add func(name, args string, do func(*recorded, *arguments) error)) {
	const one, blocks = "bytes root comm", "bytes root comm blocks"
	for name, form := range map[string]struct{ of, args string }{
		"Barrier": {"barrier", one}, "Bcast": {"bcast", one}, "Reduce": {"reduce", one},
		"Allreduce": {"allreduce", one}, "Scan": {"scan", one}, "Exscan": {"scan", one},
		"Reduce_scatter_block": {"reduce-scatter", one}, "Allgather": {"allgather", one},
		"Alltoall": {"alltoall", one}, "Gather": {"gather", one}, "Scatter": {"scatter", one},
		"Reduce_scatter": {"reduce-scatter", blocks}, "Allgatherv": {"allgatherv", blocks},
		"Gatherv": {"gatherv", blocks}, "Scatterv": {"scatterv", blocks},
		"Alltoallv": {"alltoallv", blocks + " blocks2"},
		"Alltoallw": {"alltoallv", blocks + " blocks2"},
	} {
		do := func(p *recorded, a *arguments, q *request) error {
			a.way[1] = a.way[0] // whichever side of a gather or scatter the rank is
			return p.collective(form.of, a, q)
		}
		add(name, form.args, func(p *recorded, a *arguments) error { return do(p, a, nil) })
		add("I"+strings.ToLower(name), form.args+" request",
			func(p *recorded, a *arguments) error { return do(p, a, &a.request) })
	}
	for _, of := range []string{"allgather", "alltoall", "allgatherv", "alltoallv", "alltoallw"} {
		const args = "bytes root comm sources blocks dests blocks2"
		add("Neighbor_"+of, args, func(p *recorded, a *arguments) error {
			return p.neighbours(a, nil)
		})
		add("Ineighbor_"+of, args+" request", func(p *recorded, a *arguments) error {
			return p.neighbours(a, &a.request)
		})
	}
	create := func(p *recorded, a *arguments, q *request) error {
		if p.in(a).remote != nil {
			return p.enter()
		}
		return p.collective("barrier", a, q)
	}
	for _, name := range []string{"Comm_dup", "Comm_dup_with_info", "Comm_split",
		"Comm_split_type", "Comm_create", "Cart_create", "Cart_sub", "Graph_create",
		"Dist_graph_create", "Dist_graph_create_adjacent", "Intercomm_create", "Intercomm_merge"} {
		add(name, "comm new", func(p *recorded, a *arguments) error { return create(p, a, nil) })
	}
	add("Comm_idup", "comm new request", func(p *recorded, a *arguments) error {
		return create(p, a, &a.request)
	})
	// Only the members of the new communicator take part.
	add("Comm_create_group", "comm new", func(p *recorded, a *arguments) error {
		if a.made == nil {
			return p.enter()
		}
		a.comm = a.made
		return p.collective("barrier", a, nil)
	})
}

// waitFor waits for requests that have operations; others were messages of the null process.
func (p *recorded) waitFor(a *arguments) error {
	ops := make([]uint32, 0, 8)
	for _, at := range a.list {
		if op, ok := p.oldest(request(at)); ok {
			ops = append(ops, op)
		}
	}
	if len(ops) == 0 {
		return nil // the computation before it belongs to the next call
	}
	if err := p.enter(); err != nil {
		return err
	}
	p.wait(ops...)
	return nil
}

// neighbours adds a collective of a neighbourhood: all messages at once.
func (p *recorded) neighbours(a *arguments, q *request) error {
	m := p.in(a)
	if len(a.list) != len(a.blocks[0]) || len(a.dests) != len(a.blocks[1]) {
		return errors.New("it needs a size for each neighbour")
	}
	if err := p.next(m, "neighbours", 0); err != nil {
		return err
	}
	tag := collectiveTag + (m.called-1)%collectiveTags
	var ops []schedule.Op
	for way, kind := range [...]schedule.Kind{schedule.Recv, schedule.Send} {
		peers := a.list
		if kind == schedule.Send {
			peers = a.dests
		}
		for i, peer := range peers {
			x := arguments{comm: a.comm}
			x.way[0].count, x.way[0].size, x.way[0].peer = float64(a.blocks[way][i]), 1, peer
			if peer < 0 && peer != p.nullRank {
				return fmt.Errorf("there is no rank %d", peer)
			}
			op, ok, err := p.message(kind, &x, 0)
			if err != nil {
				return err
			}
			if op.Tag, op.Context = tag, m.context+1; ok {
				ops = append(ops, op)
			}
		}
	}
	if err := p.enter(); err != nil {
		return err
	}
	if q == nil || len(ops) == 0 {
		p.Blocking(ops...)
		return nil
	}
	all := slices.Clone(p.Begin(collectiveStream, ops...))
	p.rest[all[0]] = all[1:]
	p.opens(*q, all[0])
	return nil
}
