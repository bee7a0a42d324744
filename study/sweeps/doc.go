// Package sweeps writes the rows of sweeps over parameters of a platform to files of any size, in
// one process or in parts that several processes compute.
package sweeps
