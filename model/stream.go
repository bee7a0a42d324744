package model

import "github.com/halfpeak/halfpeak/model/quantity"

// InPackets returns the one-way time of a message of n bytes in packets of p bytes, n and p ≥ 1,
// from the time of a packet alone and the time that a packet adds behind another:
//
//	T = alone(p) + (K−1)·behind(p) + behind(q)        CLIP §4.2.2.2, eq. 4
//
// Where: K = ⌊n/p⌋ full packets; q = n − Kp bytes in a shorter last one, if any. A message
// shorter than a packet takes alone(n).
//
// In a [Pipeline] alone is Σt_i and behind max t_i; with equal packets T is its time. A short last
// packet can leave the stages after the slowest one earlier than in the formula.
func InPackets(n, p quantity.Bytes, alone, behind Linear) quantity.Micros {
	if n <= p {
		return alone.OneWay(n)
	}
	full := int(n / p)
	t := alone.OneWay(p) + quantity.Micros(full-1)*behind.OneWay(p)
	if rest := n - quantity.Bytes(full)*p; rest > 0 {
		t += behind.OneWay(rest)
	}
	return t
}

// WindowInterval returns the mean interval of a steady stream of messages with the gap g, if at
// most w can await their credit and the receiver returns credits k at a time, 1 ≤ k ≤ w, R
// after the send of the last of the k messages:
//
//	interval = max(g, (R + i·g)/(w − k + 1 + i)),  i = (k − 1 − w) mod k
//
// A batch of credits returns R after its last message; i is that message's place in the burst that
// an earlier batch released. With k = w, w/2 or 1 the second term is (R + (k−1)g)/w: a window
// takes a round trip, plus the time of the other k−1 messages of a batch.
//
// It follows from the recurrence s_j = max(s_{j−1} + g, s_{r} + R), with r the last message of
// the batch that contains message j − w.
func WindowInterval(g, R quantity.Micros, w, k int) quantity.Micros {
	i := ((k-1-w)%k + k) % k
	return max(g, (R+quantity.Micros(i)*g)/quantity.Micros(w-k+1+i))
}

// Interval returns the mean interval between many requests, each followed by a computation of Δ =
// delta, as in a LogP signature: a request costs its own overhead, the overhead of receiving a
// reply, and Δ (HP-LAM §4.2; Culler et al. 1996).
//
//	max(g, o_s + o_r + Δ)
func (l LogP) Interval(delta quantity.Micros) quantity.Micros {
	return max(l.GapTime, l.SendOverhead+l.ReceiveOverhead+delta)
}
