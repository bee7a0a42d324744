//go:build !linux

package memory

func advise[T any]([]T) {}
