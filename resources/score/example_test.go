package score_test

import (
	"errors"
	"fmt"

	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/score"
)

func Example() {
	const response = `{"resourceType":"QuestionnaireResponse","status":"in-progress","questionnaire":"http://example.org/gad-7","item":[
		{"linkId":"1","answer":[{"valueInteger":2}]},{"linkId":"2","answer":[{"valueInteger":%d}]}]}`
	for _, second := range []int{1, 4} {
		doc, err := document.Parse(fmt.Appendf(nil, response, second), r4.Limits{})
		if err != nil {
			fmt.Println(err)
			return
		}
		r, err := score.Score(doc.Root(), score.Options{})
		if err != nil {
			fmt.Println(errors.Is(err, score.ErrOutOfRange), err)
			continue
		}
		fmt.Println(r.Complete, r.Partial, r.Missing)
	}
	// Output:
	// false 3 [3 4 5 6 7]
	// true item 2: the answer is out of range: valueInteger is 4, expected a valueInteger from 0 to 3
}
