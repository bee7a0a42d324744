//go:build !race

package programs_test

const raceEnabled = false
