// Package machine makes a machine of levels from the output of calibrate.c, and checks it against
// the measurements that it was not made of. A [Loop] predicts the times that OSU's benchmarks print.
package machine
