// Package tuner predicts the times of collectives' algorithms from measurements of some of them,
// and selects what to measure next.
//
// The logarithm of a time is that of the schedule's time plus corrections. The parts of the
// schedule's time (latency, overheads, bytes, sums) have factors that all collectives share. The
// corrections for the collective, the schedule and the algorithm depend on size, ranks and bytes of
// a message: they are a Gaussian process for each collective (New, Tuner.Add). The next
// measurements are those that reduce the expected time of the chosen algorithms most, and some that
// verify the least certain choices (Tuner.Next).
//
// References:
//
//	[rasmussen]  Rasmussen, Williams. Gaussian Processes for Machine Learning. MIT Press. 2006.
//	[frazier]    Frazier, Powell, Dayanik. The Knowledge-Gradient Policy for Correlated Normal
//	             Beliefs. INFORMS Journal on Computing 21. 2009.
package tuner
