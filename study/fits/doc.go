// Package fits reads measurements, fits models to them (Fit), and writes the result as a platform
// file. It reads the output of benchmarks of messages, levels of machines, and collectives.
package fits
