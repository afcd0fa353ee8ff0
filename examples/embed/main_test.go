package main

func Example_main() {
	main()
	// Output:
	// pet, sheepdog: subsumes
	// [bear Bear]
	// [polar-bear Polar bear]
}
