// Package tuner predicts the times of collectives' algorithms from measurements of some of them,
// and selects what to measure next.
//
// The logarithm of a time is that of the schedule's time on a nominal network plus a Gaussian
// process. Its covariance has a term for the machine's network (the factors of latency, overhead,
// bytes and sums), and one for each name that two candidates share: the author of the code, the
// collective, the schedule, the variant of the algorithm. All of these terms change with size and
// ranks (New, Tuner.Add). The next measurements are those that reduce the expected time of the
// choices most, and some that verify the least certain choices (Tuner.Next). No number is learned
// from other machines but those in model.go, each with its reason.
//
// References:
//
//	[rasmussen]  Rasmussen, Williams. Gaussian Processes for Machine Learning. MIT Press. 2006.
//	[frazier]    Frazier, Powell, Dayanik. The Knowledge-Gradient Policy for Correlated Normal
//	             Beliefs. INFORMS Journal on Computing 21. 2009.
package tuner
