package quantity

// An Interval is a value and the ends of its interval, in µs and bytes. What it holds, and how
// often, is said by the function that returns it.
type Interval struct{ Value, Low, High float64 }
