// Package study answers the questions that need several packages: how well the models reproduce
// the papers (Reproduce), whether the message engine agrees with them (Validate) and this machine
// (ValidateLive), how platforms compare (Compare, Crossover), what the figures show (Curves,
// Timeline, Signature, Shares, Tornado), and what a report says (Report).
//
// Answers are typed. Their method Rows gives the table that a program reads and the notes that
// a person reads beneath it; package reports prints both.
package study
