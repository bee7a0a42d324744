// Package tune chooses which collectives to measure, so that a rules file for a library comes from
// a small part of the sweep over algorithms, ranks and sizes.
//
// The logarithm of a time is the schedule's, with factors of its parts (latency, overheads, bytes,
// sums) that all collectives share, plus corrections over size, ranks and bytes of a message, for
// the collective, the schedule and the algorithm: a Gaussian process for each collective (New,
// Tuner.Add). The next measurements are those that reduce the expected time of the chosen
// algorithms most, and some that verify the least certain choices (Tuner.Next).
//
// References:
//
//	[rasmussen]  Rasmussen, Williams. Gaussian Processes for Machine Learning. MIT Press. 2006.
//	[frazier]    Frazier, Powell, Dayanik. The Knowledge-Gradient Policy for Correlated Normal
//	             Beliefs. INFORMS Journal on Computing 21. 2009.
package tune
