package answer

import (
	"encoding/json"
	"sort"
)

// overhead is the size of what surrounds the value and the text of a result.
const overhead = 256

// Size returns the bytes of a result with this value and this text as JSON.
func Size(value any, text string) int {
	doc, err := json.Marshal(value)
	if err != nil {
		return overhead
	}
	quoted, err := json.Marshal(text)
	if err != nil {
		return overhead
	}
	return len(doc) + len(quoted) + overhead
}

// Fit returns how many of n items an answer of at most limit bytes can have. With returns
// the answer with the first items: its value and its text.
func Fit(n, limit int, with func(items int) (value any, text string)) int {
	fits := func(items int) bool {
		value, text := with(items)
		return Size(value, text) <= limit
	}
	if fits(n) {
		return n
	}
	return max(sort.Search(n, func(items int) bool { return !fits(items + 1) }), 0)
}
