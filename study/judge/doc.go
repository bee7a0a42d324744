// Package judge compares the models with what they claim to describe: the numbers that papers print
// (Reproduce, PaperFigures), the message engine (Validate), and this machine (ValidateLive).
package judge
