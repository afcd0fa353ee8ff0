package validate_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/validate"
)

const questionnaire = `{"resourceType":"Questionnaire","status":"active","item":[
 {"linkId":"smoker","type":"boolean","required":true},
 {"linkId":"packs","type":"integer","required":true,"enableWhen":[{"question":"smoker","operator":"=","answerBoolean":true}]},
 {"linkId":"doubt","type":"string","enableBehavior":"any","enableWhen":[{"question":"packs","operator":">","answerInteger":5},{"question":"note","operator":"exists","answerBoolean":true}]},
 {"linkId":"info","type":"display"},
 {"linkId":"note","type":"string","maxLength":3,"repeats":true},
 {"linkId":"colour","type":"choice","answerOption":[{"valueCoding":{"system":"http://x","code":"red"}},{"valueString":"none"}],"item":[{"linkId":"shade","type":"decimal"}]},
 {"linkId":"pet","type":"open-choice","answerOption":[{"valueCoding":{"system":"http://x","code":"cat"}}]},
 {"linkId":"group","type":"group","item":[{"linkId":"born","type":"date"}]}]}`

// answerRows returns the issues of completed responses, by their items.
func answerRows() map[string][]string {
	rows := map[string][]string{}
	for items, want := range map[string][]string{
		`{"linkId":"smoker","answer":[{"valueBoolean":false}]}`:                                                                    nil,
		`{"linkId":"smoker","answer":[{"valueBoolean":true}]},{"linkId":"packs","answer":[{"valueInteger":6}]},{"linkId":"doubt"}`: nil,
		`{"linkId":"smoker","answer":[{"valueBoolean":true}]}`:                                                                     {"required QuestionnaireResponse"},
		`{"linkId":"smoker"}`: {"required QuestionnaireResponse.item[0]"},
		`{"linkId":"note"}`:   {"required QuestionnaireResponse"},
		`SMOKER{"linkId":"packs","answer":[{"valueInteger":1}]}`:                                                   {"invariant QuestionnaireResponse.item[1]"},
		`SMOKER{"linkId":"doubt","answer":[{"valueString":"a"}]}`:                                                  {"invariant QuestionnaireResponse.item[1]"},
		`SMOKER{"linkId":"note","answer":[{"valueString":"a"}]},{"linkId":"doubt","answer":[{"valueString":"a"}]}`: {"structure QuestionnaireResponse.item[2]"},
		`SMOKER{"linkId":"none"}`: {"value QuestionnaireResponse.item[1]"},
		`SMOKER{"linkId":"born"}`: {"value QuestionnaireResponse.item[1]"},
		`SMOKER{"linkId":"group","item":[{"linkId":"born","answer":[{"valueDate":"2020"}]}]}`:                                     nil,
		`SMOKER{"linkId":"group","item":[{"linkId":"born","answer":[{"valueString":"2020"}]}]}`:                                   {"value QuestionnaireResponse.item[1].item[0].answer[0].value"},
		`SMOKER{"linkId":"info","answer":[{"valueString":"a"}]}`:                                                                  {"structure QuestionnaireResponse.item[1]"},
		`SMOKER{"linkId":"note","answer":[{"valueString":"a"},{"valueString":"b"}]}`:                                              nil,
		`SMOKER{"linkId":"note","answer":[{"valueString":"abcd"}]}`:                                                               {"value QuestionnaireResponse.item[1].answer[0].value"},
		`SMOKER{"linkId":"pet","answer":[{"valueString":"dog"}]}`:                                                                 nil,
		`SMOKER{"linkId":"pet","answer":[{"valueCoding":{"system":"http://x","code":"cat","display":"Cat"}}]}`:                    nil,
		`SMOKER{"linkId":"pet","answer":[{"valueCoding":{"system":"http://x","code":"dog"}}]}`:                                    {"value QuestionnaireResponse.item[1].answer[0].value"},
		`SMOKER{"linkId":"pet","answer":[{"valueString":"a"},{"valueString":"b"}]}`:                                               {"structure QuestionnaireResponse.item[1]"},
		`SMOKER{"linkId":"pet"},{"linkId":"pet"}`:                                                                                 {"structure QuestionnaireResponse.item[2]"},
		`SMOKER{"linkId":"colour","answer":[{"valueString":"none"}]}`:                                                             nil,
		`SMOKER{"linkId":"colour","answer":[{"valueString":"blue"}]}`:                                                             {"value QuestionnaireResponse.item[1].answer[0].value"},
		`SMOKER{"linkId":"colour","answer":[{"valueString":"none","item":[{"linkId":"shade","answer":[{"valueDecimal":0.5}]}]}]}`: nil,
		`SMOKER{"linkId":"colour","answer":[{"valueString":"none","item":[{"linkId":"shade","answer":[{"valueInteger":1}]}]}]}`:   {"value QuestionnaireResponse.item[1].answer[0].item[0].answer[0].value"},
	} {
		if rest, cut := strings.CutPrefix(items, "SMOKER"); cut {
			items = `{"linkId":"smoker","answer":[{"valueBoolean":false}]},` + rest
		}
		rows[items] = want
	}
	return rows
}

func TestAnswers(t *testing.T) {
	q := parse(t, questionnaire)
	for items, want := range answerRows() {
		response := parse(t, `{"resourceType":"QuestionnaireResponse","status":"completed","item":[`+items+`]}`)
		var got []string
		for _, i := range validate.Answers(response, q.Root()) {
			got = append(got, i.Code+" "+i.Expression)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", items, got, want)
		}
	}
	unfinished := parse(t, `{"resourceType":"QuestionnaireResponse","status":"in-progress"}`)
	if list := validate.Answers(unfinished, q.Root()); list != nil {
		t.Errorf("in progress: %v", list)
	}
}

func parse(t *testing.T, text string) *document.Document {
	t.Helper()
	d, err := document.Parse([]byte(text), r4.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}
