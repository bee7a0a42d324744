package collective

// LatencyBound returns a lower bound, over all algorithms, of the time in which a byte of one
// member reaches p ≥ 1 members, or a byte of each reaches one member. It is the time of the best
// broadcast in LogP if only the less busy processor counts (Karp, Sahay, Santos, Schauser 1993). If
// a member cannot send again before its message has arrived, as in Hockney's and the postal model
// (Bar-Noy, Kipnis 1992, with λ = 1), it is the ⌈log₂ p⌉α of Chan, Heimlich, Purkayastha, van de
// Geijn, Collective communication: theory, practice, and experience, 2007, section 4.
func LatencyBound(m LogP, p int) float64 {
	less := min(m.Send, m.Receive)
	return LogP{L: m.L + m.Send + m.Receive - 2*less, Send: less, Receive: less, G: m.G}.OptimalBroadcast(p)
}

// BandwidthBytes returns a lower bound, over all algorithms, of the bytes that some member sends or
// receives in a collective (Chan and others 2007, table 1). bytes is Call.Bytes: the whole message,
// or a block.
func BandwidthBytes(collective string, p int, bytes uint64) uint64 {
	rest := uint64(p - 1) // the other members
	switch collective {
	case "barrier":
		return 0
	case "bcast", "reduce", "scan":
		return min(rest, 1) * bytes
	case "allreduce":
		return 2 * rest * bytes / uint64(p)
	}
	return rest * bytes // blocks of the other members: gather, scatter, allgather, alltoall, reduce-scatter
}
