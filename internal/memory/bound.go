package memory

import "fmt"

// A Bound is the number of bytes that the program may use, and where it comes from.
type Bound struct {
	Bytes int64
	Of    string // "the machine's memory"
}

// String returns the bound for a message: "18.1 GiB, three quarters of the machine's memory".
func (b Bound) String() string {
	return fmt.Sprintf("%s, three quarters of %s", shown(float64(b.Bytes)), b.Of)
}

// shown returns a number of bytes with about three digits.
func shown(bytes float64) string {
	unit, name := 1.0, "B"
	for _, next := range []string{"KiB", "MiB", "GiB", "TiB", "PiB"} {
		if bytes < 1024*unit {
			break
		}
		unit, name = 1024*unit, next
	}
	digits := 2
	for n := bytes / unit; n >= 9.995 && digits > 0; n /= 10 {
		digits--
	}
	return fmt.Sprintf("%.*f %s", digits, bytes/unit, name)
}
