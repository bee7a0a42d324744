// Package predict predicts the costs of messages on unchanged platforms: times, gaps and bandwidths
// (Costs, Compare), the sizes at which one layer overtakes another (FindCrossover), the best
// packets (Cuts), curves and timelines (Curves, Timeline), and tables of a platform's parameters.
//
// Answers are typed. Only their method Rows has the columns of a table; package reports prints it.
package predict
