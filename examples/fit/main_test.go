package main

func Example() {
	main()
	// Output:
	// β = 2.16 µs, τ = 2.0542 µs/KiB
	// 32 KiB take 67.89 µs
}
