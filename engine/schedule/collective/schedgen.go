package collective

// Schedgen holds the algorithms of LogGOPSim's schedgen, by MPI's names in lower case. They serve
// to reproduce published finish times of LogGOPSim: a run of one of its schedules differs from
// reality where its dissemination does. schedgen has no gather and no scatter, so these are linear.
var Schedgen = map[string]Algorithm{
	// A message of a barrier has 1 byte in schedgen, whose format has no empty messages.
	"barrier":   func(p *member) { p.Bytes = 1; schedgenDissemination(p) },
	"bcast":     binomialBroadcast,
	"reduce":    binomialReduce,
	"allreduce": schedgenDissemination,
	"gather":    nonblockingGather,
	"scatter":   nonblockingScatter,
	"allgather": schedgenDissemination,
	"alltoall":  linearAlltoall,
}

// schedgenDissemination is dissemination as schedgen writes it: a send waits only for the receive
// of the previous round, so it may report arrivals too early. schedgen uses it for barriers and for
// all collectives that send from every rank to every rank.
func schedgenDissemination(p *member) {
	var recv uint32
	for d := 1; d < p.Size; d *= 2 {
		send := p.addSend(p.Bytes, p.shifted(d))
		if d > 1 {
			p.requires(send, recv)
		}
		recv = p.addRecv(p.Bytes, p.shifted(-d))
	}
}
