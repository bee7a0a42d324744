package main

func Example() {
	main()
	// Output:
	// rank 0 is finished after 7.64 µs
	// rank 1 is finished after 16.64 µs
}
