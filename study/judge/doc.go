// Package judge compares the models with the numbers that papers print (Reproduce, PaperFigures),
// with the message engine (Validate), and with this machine (ValidateLive).
package judge
