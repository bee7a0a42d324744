package mpitrace

import (
	"cmp"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule"
)

// A function describes the arguments and the effect of an MPI function. Each word of args is the
// meaning of an argument:
//
//	count type peer tag    of a message; with a 2, of the other direction of an exchange
//	root comm              of a collective
//	blocks                 counts, one for each rank
//	request                number of a request
type function struct {
	args string
	do   func(p *profiled, a *arguments) error
}

var functions = func() map[string]function {
	const message = "count type peer tag comm"
	// by binds a kind of operation.
	by := func(do func(*profiled, *arguments, schedule.Kind) error,
		kind schedule.Kind) func(*profiled, *arguments) error {
		return func(p *profiled, a *arguments) error { return do(p, a, kind) }
	}
	blocking := func(p *profiled, a *arguments, kind schedule.Kind) error {
		return p.blocking(a, kind)
	}
	all := map[string]function{
		"MPI_Recv":  {message, by(blocking, schedule.Recv)},
		"MPI_Irecv": {message + " request", by((*profiled).nonBlocking, schedule.Recv)},
		"MPI_Sendrecv": {"count type peer tag count2 type2 peer2 tag2 comm",
			(*profiled).sendrecv},
		"MPI_Sendrecv_replace": {"count type peer tag peer2 tag2 comm",
			(*profiled).replace},
		"MPI_Probe":     {"comm", (*profiled).probe},
		"MPI_Wait":      {"request", (*profiled).waitOne},
		"MPI_Recv_init": {message + " request", by((*profiled).prepare, schedule.Recv)},
		"MPI_Start":     {"request", (*profiled).start},
	}
	// Standard, buffered, synchronous and ready sends. How a message travels is decided by the
	// machine that is simulated, so all are the same here.
	for _, mode := range []string{"S", "Bs", "Ss", "Rs"} {
		all["MPI_"+mode+"end"] = function{message, by(blocking, schedule.Send)}
		all["MPI_"+mode+"end_init"] = function{message + " request",
			by((*profiled).prepare, schedule.Send)}
		all["MPI_I"+strings.ToLower(mode)+"end"] = function{message + " request",
			by((*profiled).nonBlocking, schedule.Send)}
	}
	all["MPI_Bsend"] = function{message, func(p *profiled, a *arguments) error {
		return p.buffered(a)
	}}
	// If a call has both counts, a root's own count, or the first one with MPI_IN_PLACE, may be
	// undefined.
	const second, both = "count type comm", "count type count2 type2 root comm"
	for name, args := range map[string]string{
		"barrier": "comm", "bcast": "count type root comm",
		"reduce": "count type root comm", "allreduce": "count type comm",
		"allgather": second, "alltoall": second, "gather": both, "scatter": both,
	} {
		all["MPI_"+strings.ToUpper(name[:1])+name[1:]] = function{args,
			func(p *profiled, a *arguments) error {
				return p.collective(name, a, nil)
			}}
		all["MPI_I"+name] = function{args + " request", func(p *profiled, a *arguments) error {
			// The address may be that of a request that a test has completed.
			p.reuse(int64(a.request))
			return p.collective(name, a, &a.request)
		}}
	}
	const lists = "blocks type "
	for name, v := range map[string]struct{ of, args string }{
		"Scan": {"scan", "count type comm"}, "Exscan": {"scan", "count type comm"},
		"Reduce_scatter": {"reduce-scatter", "blocks type comm"},
		"Allgatherv":     {"allgatherv", "blocks type comm"},
		"Gatherv":        {"gatherv", "count type blocks type2 root comm"},
		"Scatterv":       {"scatterv", lists + "count2 type2 root comm"},
		"Alltoallv":      {"alltoallv", lists + "blocks2 type2 comm"},
	} {
		all["MPI_"+name] = function{v.args, func(p *profiled, a *arguments) error {
			return p.withBlocks(v.of, a, nil)
		}}
	}
	// Creating a communicator synchronizes the members of the one that it is made of.
	barrier := all["MPI_Barrier"].do
	all["MPI_Comm_create"] = function{"comm", barrier}
	for name := range makesSplit {
		all[name] = function{"comm", func(p *profiled, a *arguments) error {
			return cmp.Or(barrier(p, a), p.joiner.make(p.rank, p.made))
		}}
	}
	return all
}()

// makesSplit are the functions that make a communicator as MPI_Comm_split does.
var makesSplit = map[string]bool{"MPI_Comm_dup": true, "MPI_Comm_split": true,
	"MPI_Cart_create": true}

// local reports whether a function does not communicate, so that its time is computation. A
// name that is neither here nor in functions is an error: dropping a call that communicates
// would make the simulated program too fast, without a sign of it. Tests and probes that do
// not wait are here, since their number depends on the speed of the traced machine.
func local(name string) bool {
	switch name {
	case "MPI_Comm_rank", "MPI_Comm_size", "MPI_Comm_group", "MPI_Comm_compare", "MPI_Comm_free",
		"MPI_Comm_test_inter",
		"MPI_Comm_set_name", "MPI_Comm_get_name", "MPI_Comm_get_attr", "MPI_Comm_set_attr",
		"MPI_Comm_delete_attr",
		"MPI_Comm_set_errhandler", "MPI_Comm_get_errhandler", "MPI_Comm_create_errhandler",
		"MPI_Cart_coords", "MPI_Cart_get", "MPI_Cart_rank", "MPI_Cart_shift", "MPI_Cartdim_get",
		"MPI_Dims_create", "MPI_Topo_test",
		"MPI_Get_count", "MPI_Get_elements", "MPI_Get_processor_name", "MPI_Get_version",
		"MPI_Get_address", "MPI_Address",
		"MPI_Initialized", "MPI_Finalized", "MPI_Is_thread_main", "MPI_Query_thread", "MPI_Wtime",
		"MPI_Wtick", "MPI_Pcontrol",
		"MPI_Alloc_mem", "MPI_Free_mem", "MPI_Buffer_attach", "MPI_Buffer_detach", "MPI_Pack",
		"MPI_Unpack", "MPI_Pack_size",
		"MPI_Op_create", "MPI_Op_free", "MPI_Error_class", "MPI_Error_string",
		"MPI_Test", "MPI_Testall", "MPI_Testany", "MPI_Testsome", "MPI_Iprobe",
		"MPI_Request_get_status", "MPI_Request_free":
		return true
	}
	for _, prefix := range []string{"MPI_Type_", "MPI_Group_", "MPI_Info_", "MPI_Attr_",
		"MPI_Keyval_", "MPI_Errhandler_"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}
