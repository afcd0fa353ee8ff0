package main

func Example_main() {
	main()
	// Output:
	// < 100001 : 100020 = << 100011 AND 100021 = 100031
	//   100002 Salmon pie
	//   100003 Salmon toast
	// < 100001 : { 100020 = << 100011 AND 100021 = 100031 }
	//   100002 Salmon pie
	// (< 100001 : 100021 = 100032) . 100020
	//   100012 Salmon
	//   100013 Bread
}
