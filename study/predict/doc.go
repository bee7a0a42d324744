// Package predict answers what messages cost on platforms as they are: times, gaps and bandwidths
// (Costs, Compare), where one layer overtakes another (FindCrossover), the best packets (Cuts),
// the curves and timelines of both (Curves, Timeline), and what a platform consists of.
//
// Answers are typed. Only their method Rows knows the columns of a table; package reports prints
// it.
package predict
