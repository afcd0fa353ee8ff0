package main

func Example_main() {
	main()
	// Output:
	// cutter, bread-knife: subsumes
	// bread-knife Bread knife
	// kitchen-tool Kitchen tool
	// whisk Whisk
}
