// Package bench measures this machine's transports with the benchmark programs of the engine.
package bench
