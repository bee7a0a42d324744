package main

func Example() {
	main()
	// Output:
	// linear       25028.73 µs
	// binomial     2458.26 µs
	// scatter-ring 1153.23 µs
}
