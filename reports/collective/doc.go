// Package collective answers how long a collective takes on a platform, by which algorithm.
//
// A [Question] is calls on designs, and what is wanted of their times. [Question.Ask] has package
// collectives time them, from measurements or by simulation, and finds what was wanted: the sizes
// at which the best algorithm changes, a library's rules, or how far the times are from measured
// ones. The [Answer] has rows and a figure, for which nothing more is computed. [List] answers
// which algorithms there are.
package collective
