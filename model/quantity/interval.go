package quantity

// An Interval is a value and the ends of its interval, in µs and bytes. The function that returns
// one states its meaning (parameters, or the next measurement) and its probability.
type Interval struct{ Value, Low, High float64 }
