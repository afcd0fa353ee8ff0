package synth

// ListedCodes returns the codes of each list by the path of its element.
func ListedCodes() map[string][]string {
	codes := map[string][]string{}
	for _, l := range allLists() {
		for n := range l.codes {
			codes[l.path] = append(codes[l.path], l.codes[n].code)
		}
	}
	return codes
}

// ChiSquare compares counts with weights.
func ChiSquare(counts, weights []int) float64 { return chiSquare(counts, weights) }
