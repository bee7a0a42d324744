package collective

// LatencyBound returns the least time in which a byte of one member can reach p ≥ 1 members, or one
// of each can reach one member, by any algorithm: that of the best broadcast in LogP, where the
// processor that is less busy counts (Karp, Sahay, Santos, Schauser 1993). Where a member cannot
// send again before its message has arrived, as in Hockney's and the postal model (Bar-Noy, Kipnis
// 1992, with λ = 1), that is the ⌈log₂ p⌉α of Chan, Heimlich, Purkayastha, van de Geijn, Collective
// communication: theory, practice, and experience, 2007, section 4.
func LatencyBound(m LogP, p int) float64 {
	less := min(m.Send, m.Receive)
	return LogP{L: m.L + m.Send + m.Receive - 2*less, Send: less, Receive: less, G: m.G}.OptimalBroadcast(p)
}

// BandwidthBytes returns the bytes that some member has to send or to receive in a collective, by
// any algorithm (Chan and others 2007, table 1). bytes is Call.Bytes: of the whole message, or of a
// block.
func BandwidthBytes(collective string, p int, bytes uint64) uint64 {
	others := uint64(p - 1)
	switch collective {
	case "barrier":
		return 0
	case "bcast", "reduce", "scan":
		return min(others, 1) * bytes
	case "allreduce":
		return 2 * others * bytes / uint64(p)
	}
	return others * bytes // blocks of the others: gather, scatter, allgather, alltoall, reduce-scatter
}
