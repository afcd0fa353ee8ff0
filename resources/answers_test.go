package resources_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/roget-health/roget/adapters/memory"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/validate"
)

// TestAnswers checks that a QuestionnaireResponse is compared with its Questionnaire, where that is.
func TestAnswers(t *testing.T) {
	service := resources.NewService(memory.New(), nil)
	store := func(typ, id, body string) error {
		_, err := service.Update(t.Context(), typ, id, []byte(body), resources.UpdateOptions{})
		return err
	}
	const item = `"status":"active","item":[{"linkId":"1","type":"boolean"}]}`
	for id, head := range map[string]string{"one": `"url":"http://x/q","version":"1",`, "two": `"url":"http://x/q","version":"2",`, "only": `"url":"http://x/only",`} {
		if err := store("Questionnaire", id, `{"resourceType":"Questionnaire","id":"`+id+`",`+head+item); err != nil {
			t.Fatal(err)
		}
	}
	for canonical, known := range map[string]bool{
		"http://x/only": true, "http://x/q|2": true, "http://x/q": false, "http://x/q|3": false, "http://x/none": false, "#q": true, "#other": false, "http://x/a,b": false,
	} {
		response := `{"resourceType":"QuestionnaireResponse","id":"r","status":"completed","questionnaire":"` + canonical + `","contained":[{"resourceType":"Questionnaire","id":"q",` + item +
			`],"extension":[{"url":"http://x","valueReference":{"reference":"#q"}}],"item":[{"linkId":"1","answer":[{"valueBoolean":true}]}]}`
		if err := store("QuestionnaireResponse", "r", response); err != nil {
			t.Errorf("%s: %v", canonical, err)
		}
		wrong := strings.Replace(response, `"valueBoolean":true`, `"valueString":"yes"`, 1)
		err := store("QuestionnaireResponse", "r", wrong)
		var invalid *validate.Invalid
		if errors.As(err, &invalid) != known || !known && err != nil {
			t.Errorf("%s: %v", canonical, err)
		}
		if known && !strings.Contains(err.Error(), "QuestionnaireResponse.item[0].answer[0].value: an answer of the type boolean must be valueBoolean") {
			t.Errorf("%s: %v", canonical, err)
		}
	}
}
