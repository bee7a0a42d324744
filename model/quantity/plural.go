package quantity

import "fmt"

// Plural returns a number with its noun: "1 row", "2 rows".
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
