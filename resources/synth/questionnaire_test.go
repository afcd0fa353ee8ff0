package synth_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/score"
	"github.com/roget-health/roget/resources/synth"
)

// asked is an item of a questionnaire.
type asked struct {
	typ, above string
	after      string // the question that must be answered with yes
	repeats    bool
	options    map[string]bool // values as JSON
	answered   int
}

// valueOf is the member of an answer by the type of its question.
var valueOf = map[string]string{
	"boolean": "valueBoolean", "decimal": "valueDecimal", "integer": "valueInteger", "date": "valueDate", "dateTime": "valueDateTime",
	"time": "valueTime", "string": "valueString", "text": "valueString", "url": "valueUri", "attachment": "valueAttachment",
	"quantity": "valueQuantity", "reference": "valueReference",
}

// ask collects the items of a questionnaire.
func ask(list document.Value, above string, into map[string]*asked) {
	for item := range list.Items() {
		q := &asked{
			typ: item.Get("type").Text(), above: above, repeats: item.Get("repeats").Exists(), options: map[string]bool{},
			after: item.Get("enableWhen").Index(0).Get("question").Text(),
		}
		for option := range item.Get("answerOption").Items() {
			for value := range option.Members() {
				q.options[value.Name()+string(value.Raw())] = true
			}
		}
		into[item.Get("linkId").Text()] = q
		ask(item.Get("item"), item.Get("linkId").Text(), into)
	}
}

// checkItems compares the items of a response with those of its questionnaire.
func checkItems(t *testing.T, list document.Value, above string, yes bool, questions map[string]*asked) {
	t.Helper()
	for item := range list.Items() {
		link := item.Get("linkId").Text()
		q := questions[link]
		if q == nil || q.above != above || q.after != "" && (q.after != above || !yes) {
			t.Fatalf("item %s stands below %q, which was answered with yes: %v; the questionnaire has %+v", link, above, yes, q)
		}
		q.answered++
		checkItems(t, item.Get("item"), link, false, questions)
		answers := 0
		for answer := range item.Get("answer").Items() {
			answers++
			for value := range answer.Members() {
				name := value.Name()
				switch {
				case name == "item":
					checkItems(t, value, link, string(answer.Get("valueBoolean").Raw()) == "true", questions)
				case q.typ == "choice":
					if !q.options[name+string(value.Raw())] {
						t.Fatalf("%s is answered with %s, which is none of %v", link, value.Raw(), q.options)
					}
				case name != valueOf[q.typ]:
					t.Fatalf("%s, a %s, is answered with %s", link, q.typ, name)
				}
			}
		}
		if answers > 1 && !q.repeats || (answers == 0) != (q.typ == "group") {
			t.Fatalf("%s, a %s, has %d answers", link, q.typ, answers)
		}
	}
}

// Responses match the generated questionnaires: the same items in the same places, with answers
// of their types and options. Every question is answered in some of 1,000 responses.
func TestResponsesAnswerQuestionnaires(t *testing.T) {
	t.Parallel()
	questionnaires := map[string]map[string]*asked{}
	each(t, "Questionnaire", synth.Options{Seed: 1}, 10, func(n int, body []byte) {
		root := parse(t, body)
		url, version := root.Get("url").Text(), root.Get("version").Text()
		if want := []string{"1.0.0", "1.1.0"}[n/5]; version != want {
			t.Errorf("questionnaire %d is version %s, not %s", n, version, want)
		}
		questions := map[string]*asked{}
		ask(root.Get("item"), "", questions)
		questionnaires[url] = questions
	})
	if len(questionnaires) != 5 {
		t.Fatalf("%d questionnaires", len(questionnaires))
	}
	for url, questions := range questionnaires {
		o := synth.Options{Seed: 1, Values: map[string]string{"questionnaire_template": url[strings.LastIndexByte(url, '/')+1:]}}
		each(t, "QuestionnaireResponse", o, 1000, func(_ int, body []byte) {
			root := parse(t, body)
			if got := root.Get("questionnaire").Text(); got != url {
				t.Fatalf("response to %s, not %s", got, url)
			}
			checkItems(t, root.Get("item"), "", false, questions)
		})
		for link, q := range questions {
			if q.answered == 0 {
				t.Errorf("%s: %s is never answered", url, link)
			}
		}
	}
}

// The screenings can be scored: completed responses have a total, and all bands occur. Those in
// progress lack answers.
func TestScreeningsAreScored(t *testing.T) {
	for _, code := range score.Codes() {
		instrument, _ := score.Find(code)
		bands := map[string]int{}
		partial := 0
		each(t, "QuestionnaireResponse", synth.Options{Seed: 1, Values: map[string]string{"questionnaire_template": code}}, 1000, func(n int, body []byte) {
			root := parse(t, body)
			result, err := score.Score(root, score.Options{})
			status := root.Get("status").Text()
			if (err != nil) != (status == "entered-in-error") {
				t.Fatalf("%s %d: %v\n%s", code, n, err, body)
			}
			switch {
			case err != nil: // it is not to be scored
			case result.Complete:
				bands[result.Band]++
			case status == "in-progress" || status == "stopped":
				partial++
			default:
				t.Errorf("%s %d is %s and has no total\n%s", code, n, status, body)
			}
		})
		for _, band := range instrument.Bands {
			if bands[band.Name] == 0 {
				t.Errorf("%s: no total is %s: %v", code, band.Name, bands)
			}
		}
		if partial == 0 {
			t.Errorf("%s: no response lacks answers", code)
		}
	}
}

// An option can set another questionnaire.
func TestQuestionnaireGiven(t *testing.T) {
	const url = "https://example.org/Questionnaire/mood|2"
	each(t, "QuestionnaireResponse", synth.Options{Values: map[string]string{"questionnaire_ref": url}}, 20, func(_ int, body []byte) {
		if got := parse(t, body).Get("questionnaire").Text(); got != url {
			t.Errorf("questionnaire %s", got)
		}
	})
	for name, value := range map[string]string{"questionnaire_ref": "a b", "questionnaire_template": "phq-8", "author_ref": "Condition/1"} {
		if _, err := synth.New("QuestionnaireResponse", synth.Options{Values: map[string]string{name: value}}); !errors.Is(err, synth.ErrOption) {
			t.Errorf("%s %q: %v", name, value, err)
		}
	}
}
