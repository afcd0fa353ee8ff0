package score_test

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/score"
)

// parse parses a document.
func parse(t testing.TB, text string) document.Value {
	t.Helper()
	d, err := document.Parse([]byte(text), r4.Limits{})
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return d.Root()
}

// item returns an item with one answer.
func item(linkID, answer string) string {
	return fmt.Sprintf(`{"linkId":%q,"answer":[%s]}`, linkID, answer)
}

// integer returns an answer that is an integer.
func integer(n int) string { return fmt.Sprintf(`{"valueInteger":%d}`, n) }

// response returns a QuestionnaireResponse to a questionnaire.
func response(questionnaire string, items ...string) string {
	return fmt.Sprintf(`{"resourceType":"QuestionnaireResponse","status":"completed","questionnaire":%q,"item":[%s]}`, questionnaire, strings.Join(items, ","))
}

// adding returns items whose answers have a sum.
func adding(items, sum int) []string {
	list := make([]string, items)
	for i := range list {
		n := min(sum, score.MaxAnswer)
		sum -= n
		list[i] = item(strconv.Itoa(i+1), integer(n))
	}
	return list
}

// TestBands scores every possible total. The bands are those of the clinical document, repeated
// here.
func TestBands(t *testing.T) {
	for _, tt := range []struct {
		instrument string
		items      int
		bands      string // the band of each total, by its letter
	}{
		{"phq-9", 9, "00000" + "11111" + "22222" + "33333" + "44444444"},
		{"gad-7", 7, "00000" + "11111" + "22222" + "4444444"},
	} {
		names := []string{"minimal", "mild", "moderate", "moderately severe", "severe"}
		if len(tt.bands) != tt.items*score.MaxAnswer+1 {
			t.Fatalf("%s: %d totals", tt.instrument, len(tt.bands))
		}
		for total := range tt.bands {
			want := names[tt.bands[total]-'0']
			r, err := score.Score(parse(t, response("http://example.org/"+tt.instrument, adding(tt.items, total)...)), score.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if !r.Complete || r.Total != total || r.Band != want || r.Partial != total || r.Answered != tt.items || len(r.Missing) != 0 || r.Instrument.Code != tt.instrument {
				t.Errorf("%s %d: %+v, want %s", tt.instrument, total, r, want)
			}
		}
		in, _ := score.Find(tt.instrument)
		for _, none := range []int{-1, len(tt.bands)} {
			if got := in.Band(none); got != "" {
				t.Errorf("%s %d: %s", tt.instrument, none, got)
			}
		}
	}
}

func TestWhichInstrument(t *testing.T) {
	const phq, gad, no = "phq-9", "gad-7", ""
	for _, tt := range []struct {
		questionnaire, option, want string
		err                         error
	}{
		{"http://example.org/Questionnaire/phq-9", no, phq, nil},
		{"http://example.org/Questionnaire/PHQ9|2.1", no, phq, nil},
		{"http://example.org/Questionnaire/Gad-7|1#part", no, gad, nil},
		{"http://example.org/Questionnaire/gad7#phq-9", no, gad, nil},
		{"Questionnaire/GAD7", no, gad, nil},
		{"urn:example:phq-9", no, phq, nil},
		{"phq9", no, phq, nil},
		{"http://example.org/phq-9/", no, phq, nil},
		{"http://example.org/phq-9?version=1", no, phq, nil},
		{"http://example.org/phq-9/items", no, no, score.ErrUnknownInstrument},
		{"http://example.org/my-phq-9", no, no, score.ErrUnknownInstrument},
		{"http://example.org/ph-q9", no, no, score.ErrUnknownInstrument},
		{"http://example.org/phq-2", no, no, score.ErrUnknownInstrument},
		{"", no, no, score.ErrUnknownInstrument},
		{"http://example.org/other", "GAD-7", gad, nil},
		{"", "phq9", phq, nil},
		{"http://example.org/phq-9", "PHQ-9", phq, nil},
		{"http://example.org/phq-9", "audit", no, score.ErrUnknownInstrument},
		{"http://example.org/phq-9", gad, no, score.ErrOtherInstrument},
	} {
		r, err := score.Score(parse(t, response(tt.questionnaire)), score.Options{Instrument: tt.option})
		if !errors.Is(err, tt.err) || (err == nil) != (tt.err == nil) {
			t.Errorf("%s, %q: %v, want %v", tt.questionnaire, tt.option, err, tt.err)
			continue
		}
		if err == nil && r.Instrument.Code != tt.want {
			t.Errorf("%s, %q: %s", tt.questionnaire, tt.option, r.Instrument.Code)
		}
		if errors.Is(err, score.ErrUnknownInstrument) && !strings.Contains(err.Error(), "phq-9 and gad-7") {
			t.Errorf("%v does not name the instruments", err)
		}
	}
	_, err := score.Score(parse(t, `{"resourceType":"QuestionnaireResponse","status":"completed"}`), score.Options{})
	if !errors.Is(err, score.ErrUnknownInstrument) {
		t.Errorf("without a questionnaire: %v", err)
	}
	if got := score.Codes(); !slices.Equal(got, []string{phq, gad}) {
		t.Errorf("%v", got)
	}
}

// TestMissing scores incomplete responses, which have no total and no band.
func TestMissing(t *testing.T) {
	all := adding(7, 21)
	for _, tt := range []struct {
		name    string
		items   []string
		missing []string
		partial int
	}{
		{"none there", nil, []string{"1", "2", "3", "4", "5", "6", "7"}, 0},
		{"last not there", all[:6], []string{"7"}, 18},
		{"first and third not there", append([]string{all[1]}, all[3:]...), []string{"1", "3"}, 15},
		{"no answer", append([]string{`{"linkId":"1"}`}, all[1:]...), []string{"1"}, 18},
		{"empty list of answers", append([]string{`{"linkId":"1","answer":[]}`}, all[1:]...), []string{"1"}, 18},
		{"other linkIds", append([]string{item("01", integer(3)), item("8", integer(3)), item("0", integer(3)), item("+1", integer(3)), item("1.1", `{"valueString":"x"}`)}, all[1:]...), []string{"1"}, 18},
	} {
		r, err := score.Score(parse(t, response("gad-7", tt.items...)), score.Options{})
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if r.Complete || r.Total != 0 || r.Band != "" || r.Partial != tt.partial || !slices.Equal(r.Missing, tt.missing) || r.Answered != 7-len(tt.missing) {
			t.Errorf("%s: %+v", tt.name, r)
		}
	}
	if r, err := score.Score(parse(t, `{"resourceType":"QuestionnaireResponse","questionnaire":"gad7"}`), score.Options{}); err != nil || len(r.Missing) != 7 {
		t.Errorf("no item element: %v, %v", r, err)
	}
}

// TestNested finds items below items and below answers.
func TestNested(t *testing.T) {
	items := adding(7, 12)
	nested := response("gad-7",
		`{"linkId":"part","item":[`+items[0]+`,{"linkId":"inner","item":[`+items[1]+`]}]}`,
		`{"linkId":"filter","answer":[{"valueBoolean":true,"item":[`+items[2]+`]},{"item":[`+items[3]+`]}]}`,
		`{"linkId":"5","answer":[{"valueInteger":0,"item":[`+items[5]+`]}],"item":[`+items[6]+`]}`,
		item("difficulty", `{"valueInteger":17}`))
	for _, doc := range []string{nested, `{"resourceType":"Bundle","type":"collection","entry":[{"resource":` + nested + `}]}`} {
		v := parse(t, doc)
		if v.Get("entry").Exists() {
			v = v.Get("entry").Index(0).Get("resource")
		}
		r, err := score.Score(v, score.Options{})
		if err != nil || !r.Complete || r.Total != 12 || r.Band != "moderate" {
			t.Errorf("%+v, %v", r, err)
		}
	}
}

// TestWrongInput covers every way in which a response cannot be scored: the kind, the item, the
// place and the text.
func TestWrongInput(t *testing.T) {
	second := func(answer string) string { return response("gad-7", item("1", integer(0)), item("2", answer)) }
	const at = "QuestionnaireResponse.item[1].answer[0]"
	for _, tt := range []struct {
		name, doc          string
		kind               error
		linkID, expression string
		found              string
	}{
		{"too large", second(integer(4)), score.ErrOutOfRange, "2", at, "valueInteger is 4"},
		{"negative", second(integer(-1)), score.ErrOutOfRange, "2", at, "valueInteger is -1"},
		{"huge", second(`{"valueInteger":99999999999999999999}`), score.ErrOutOfRange, "2", at, "99999999999999999999"},
		{"decimal", second(`{"valueDecimal":1}`), score.ErrNotInteger, "2", at, "valueDecimal is 1"},
		{"coding", second(`{"valueCoding":{"code":"LA6568-5"}}`), score.ErrNotInteger, "2", at, "valueCoding is an object"},
		{"text", second(`{"valueString":"1"}`), score.ErrNotInteger, "2", at, `valueString is "1"`},
		{"integer as text", second(`{"valueInteger":"1"}`), score.ErrNotInteger, "2", at, `valueInteger is "1"`},
		{"integer as boolean", second(`{"valueInteger":true}`), score.ErrNotInteger, "2", at, "valueInteger is true"},
		{"integer as list", second(`{"valueInteger":[1]}`), score.ErrNotInteger, "2", at, "valueInteger is a list"},
		{"fraction", second(`{"valueInteger":1.5}`), score.ErrNotInteger, "2", at, "valueInteger is 1.5"},
		{"decimal point", second(`{"valueInteger":1.0}`), score.ErrNotInteger, "2", at, "valueInteger is 1.0"},
		{"exponent", second(`{"valueInteger":1e0}`), score.ErrNotInteger, "2", at, "valueInteger is 1e0"},
		{"minus nothing", second(`{"valueInteger":-0}`), score.ErrNotInteger, "2", at, "valueInteger is -0"},
		{"no value", second(`{}`), score.ErrNoValue, "2", at, "value is missing"},
		{"null", second(`{"valueInteger":null}`), score.ErrNoValue, "2", at, "value is missing"},
		{"no value but a reason", second(`{"_valueInteger":{"extension":[{"url":"x"}]}}`), score.ErrNoValue, "2", at, "value is missing"},
		{"two values", second(`{"valueInteger":1,"valueString":"x"}`), score.ErrSeveralAnswers, "2", at, "valueInteger and valueString"},
		{"two answers", response("gad-7", `{"linkId":"2","answer":[{"valueInteger":1},{"valueInteger":1}]}`), score.ErrSeveralAnswers, "2", "QuestionnaireResponse.item[0]", "2 answers"},
		{"answer is no object", response("gad-7", `{"linkId":"2","answer":[7]}`), score.ErrMalformed, "2", "QuestionnaireResponse.item[0].answer[0]", "the answer is 7"},
		{"twice", response("gad-7", item("2", integer(1)), item("2", integer(1))), score.ErrRepeatedItem, "2", "QuestionnaireResponse.item[1]", "another item"},
		{"twice, one of them nested and without an answer", response("gad-7", `{"linkId":"2","item":[{"linkId":"2"}]}`), score.ErrRepeatedItem, "2", "QuestionnaireResponse.item[0].item[0]", "another item"},
		{"list of answers is none", response("gad-7", `{"linkId":"2","answer":{"valueInteger":1}}`), score.ErrMalformed, "", "QuestionnaireResponse.item[0].answer", "an object"},
		{"list of items is none", `{"resourceType":"QuestionnaireResponse","questionnaire":"gad7","item":{"linkId":"1"}}`, score.ErrMalformed, "", "QuestionnaireResponse.item", "an object"},
		{"item is none", response("gad-7", `"x"`), score.ErrMalformed, "", "QuestionnaireResponse.item[0]", `"x"`},
		{"no linkId", response("gad-7", `{"answer":[{"valueInteger":1}]}`), score.ErrMalformed, "", "QuestionnaireResponse.item[0]", "linkId is absent"},
		{"linkId is a number", response("gad-7", `{"linkId":2,"answer":[{"valueInteger":1}]}`), score.ErrMalformed, "", "QuestionnaireResponse.item[0]", "linkId is 2"},
		{"another type", `{"resourceType":"Questionnaire"}`, score.ErrNotQuestionnaireResponse, "", "QuestionnaireResponse", `"Questionnaire"`},
		{"no type", `{}`, score.ErrNotQuestionnaireResponse, "", "QuestionnaireResponse", "resourceType is absent"},
		{"no object", `[]`, score.ErrNotQuestionnaireResponse, "", "QuestionnaireResponse", "resourceType is absent"},
		{"entered in error", `{"resourceType":"QuestionnaireResponse","questionnaire":"gad7","status":"entered-in-error"}`, score.ErrEnteredInError, "", "QuestionnaireResponse.status", "entered-in-error"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := score.Score(parse(t, tt.doc), score.Options{})
			if r != nil || !errors.Is(err, tt.kind) {
				t.Fatalf("%+v, %v", r, err)
			}
			invalid, _ := errors.AsType[*score.Invalid](err)
			p := invalid.Problems[0]
			if p.LinkID != tt.linkID || p.Expression != tt.expression || !strings.Contains(p.Text, tt.found) || p.Code() == "" {
				t.Errorf("%+v, want %s at %s with %q", p, tt.linkID, tt.expression, tt.found)
			}
			if tt.linkID != "" && !errors.Is(tt.kind, score.ErrRepeatedItem) && !strings.Contains(p.Text, "expected") {
				t.Errorf("%q does not say what was expected", p.Text)
			}
			if tt.linkID != "" && !strings.Contains(err.Error(), "item "+tt.linkID+": ") {
				t.Errorf("%q does not name the item", err)
			}
		})
	}
}

// TestAllProblems checks that all problems are reported in order, with expressions that begin at
// the response even if it is part of another document.
func TestAllProblems(t *testing.T) {
	doc := response("phq-9", item("1", integer(9)), item("2", integer(1)), item("3", `{}`), item("2", integer(1)), item("5", `{"valueBoolean":true}`))
	v := parse(t, `{"entry":[{"resource":`+doc+`}]}`).Get("entry").Index(0).Get("resource")
	_, err := score.Score(v, score.Options{})
	invalid, ok := errors.AsType[*score.Invalid](err)
	if !ok {
		t.Fatal(err)
	}
	var got []string
	for _, p := range invalid.Problems {
		got = append(got, p.LinkID+" "+p.Expression)
	}
	want := []string{
		"1 QuestionnaireResponse.item[0].answer[0]", "3 QuestionnaireResponse.item[2].answer[0]",
		"2 QuestionnaireResponse.item[3]", "5 QuestionnaireResponse.item[4].answer[0]",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if text := err.Error(); !strings.HasPrefix(text, "item 1: the answer is out of range: ") || !strings.HasSuffix(text, "; and more") {
		t.Error(text)
	}
}

// TestManyProblems checks that the number of problems is limited.
func TestManyProblems(t *testing.T) {
	_, err := score.Score(parse(t, response("phq-9", strings.Repeat("{},", 1000)+"{}")), score.Options{})
	invalid, ok := errors.AsType[*score.Invalid](err)
	if !ok || len(invalid.Problems) != 100 {
		t.Errorf("%v", err)
	}
}

func TestJSON(t *testing.T) {
	for _, tt := range []struct{ items, want string }{
		{strings.Join(adding(7, 15), ","), `{"name":"instrument","valueCode":"gad-7"},{"name":"total","valueInteger":15},{"name":"band","valueString":"severe"},{"name":"complete","valueBoolean":true},{"name":"answered","valueInteger":7}`},
		{strings.Join(adding(7, 15)[:5], ","), `{"name":"instrument","valueCode":"gad-7"},{"name":"complete","valueBoolean":false},{"name":"answered","valueInteger":5},{"name":"partial","valueInteger":15},{"name":"missing","valueString":"6"},{"name":"missing","valueString":"7"}`},
	} {
		r, err := score.Score(parse(t, response("gad-7", tt.items)), score.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := string(r.AppendJSON(nil)), `{"resourceType":"Parameters","parameter":[`+tt.want+`]}`; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// FuzzScore checks the invariants of scores for any input.
func FuzzScore(f *testing.F) {
	f.Add(response("phq-9", adding(9, 13)...), "")
	f.Add(response("gad-7", item("1", `{"valueInteger":1.5}`), item("x", `{"item":[{"linkId":"2","answer":[{"valueInteger":3}]}]}`)), "GAD7")
	f.Add(`{"resourceType":"QuestionnaireResponse","item":[{"linkId":"1","answer":[{}]},7]}`, "phq-9")
	f.Fuzz(func(t *testing.T, doc, instrument string) {
		d, err := document.Parse([]byte(doc), r4.Limits{})
		if err != nil {
			return
		}
		r, err := score.Score(d.Root(), score.Options{Instrument: instrument})
		if err != nil {
			invalid, ok := errors.AsType[*score.Invalid](err)
			if r != nil || !ok || len(invalid.Problems) == 0 || err.Error() == "" {
				t.Fatalf("%v, %v", r, err)
			}
			for _, p := range invalid.Problems {
				if p.Code() == "" || p.Text == "" || !strings.HasPrefix(p.Expression, "QuestionnaireResponse") {
					t.Fatalf("%+v", p)
				}
			}
			return
		}
		if r.Answered+len(r.Missing) != r.Instrument.Items || r.Partial < 0 || r.Partial > score.MaxAnswer*r.Answered {
			t.Fatalf("%+v", r)
		}
		if r.Complete != (len(r.Missing) == 0) || r.Complete && (r.Total != r.Partial || r.Band == "") || !r.Complete && (r.Total != 0 || r.Band != "") {
			t.Fatalf("%+v", r)
		}
		if _, err := r4.DecodeParameters(r.AppendJSON(nil)); err != nil {
			t.Fatal(err)
		}
	})
}
