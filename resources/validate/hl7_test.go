package validate_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/sharedtest"
	"github.com/roget-health/roget/resources/validate"
)

// A verdict is what HL7's validator says about a resource.
type verdict struct {
	Valid    bool
	Messages []message
}

type message struct{ Severity, Location, ID, Text string }

// hl7 starts HL7's validator, which reads resources and writes verdicts.
func hl7(t *testing.T) func(resources [][]byte) []verdict {
	t.Helper()
	run := sharedtest.Java(t, sharedtest.Path(t, "conformance/validator/Validate.java"))
	in, err := run.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := run.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := run.Wait(); err != nil {
			t.Error(err)
		}
	})
	answers := bufio.NewReader(out)
	return func(resources [][]byte) []verdict {
		go func() {
			for _, r := range resources {
				if _, err := in.Write(append(bytes.ReplaceAll(r, []byte("\n"), []byte(" ")), '\n')); err != nil {
					return
				}
			}
		}()
		var list []verdict
		for len(list) < len(resources) {
			line, err := answers.ReadBytes('\n')
			if err != nil && err != io.EOF || err == io.EOF && len(line) == 0 {
				t.Fatalf("after %d of %d verdicts: %v", len(list), len(resources), err)
			}
			var v verdict
			if bytes.HasPrefix(line, []byte("{")) { // libraries write notes
				if err := json.Unmarshal(line, &v); err != nil {
					t.Fatalf("%v: %s", err, line)
				}
				list = append(list, v)
			}
		}
		return list
	}
}

// changes are what TestHL7 does to a value of an example, nil if it does not apply.
var changes = []func(random *rand.Rand, v document.Value) []byte{
	func(_ *rand.Rand, v document.Value) []byte { // another code or text
		return only(v, document.String, strconv.Quote(v.Text()+"x"))
	},
	func(random *rand.Rand, v document.Value) []byte { // another date
		if len(v.Text()) < 4 || strings.Trim(v.Text()[:4], "0123456789") != "" {
			return nil
		}
		return only(v, document.String, fmt.Sprintf(`"%d%s"`, 1990+random.IntN(40), v.Text()[4:]))
	},
	func(_ *rand.Rand, v document.Value) []byte { return only(v, document.String, `""`) },
	func(_ *rand.Rand, v document.Value) []byte { return only(v, document.Number, "-"+v.Text()) },
	func(_ *rand.Rand, v document.Value) []byte { return only(v, document.Number, v.Text()+"00") },
	func(_ *rand.Rand, v document.Value) []byte {
		return only(v, document.Bool, strconv.FormatBool(v.Text() == "false"))
	},
	func(_ *rand.Rand, v document.Value) []byte { // twice
		if v.Kind() != document.Array {
			return nil
		}
		return fmt.Appendf(nil, "[%s,%s", v.Index(0).Raw(), bytes.TrimPrefix(v.Raw(), []byte("[")))
	},
	func(_ *rand.Rand, v document.Value) []byte { // without what is in it
		return only(v, document.Object, `{"extension":[{"url":"http://example.org/x","valueString":"x"}]}`)
	},
}

// mutant returns an example with one change, nil if the choice does not apply.
func mutant(t *testing.T, random *rand.Rand, example []byte) []byte {
	t.Helper()
	d, err := document.Parse(example, r4.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	values := below(nil, d.Root())
	at := values[random.IntN(len(values))]
	edit := d.Edit()
	parent := at.Parent()
	switch n := random.IntN(2 * len(changes)); {
	case at.Name() == "resourceType" || at.Name() == "div":
		return nil
	case n < len(changes):
		to := changes[n](random, at)
		if to == nil || bytes.Equal(to, at.Raw()) {
			return nil
		}
		edit.Replace(at, to)
	case n < len(changes)+3 && parent.Kind() == document.Object:
		edit.Add(parent, "extra", []byte(`"x"`))
	case parent.Kind() == document.Object && parent.Len() > 1:
		edit.Remove(at)
	default:
		return nil
	}
	data, err := edit.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := document.Parse(data, r4.Limits{}); err != nil {
		return nil // a number such as --1
	}
	return data
}

// differences are the errors of HL7's validator that are no errors here, by the beginning of their id
// or text. docs/validation.md explains them.
var differences = []string{
	"CONCEPTMAP_GROUP_TARGET_CODE_INVALID", "BUNDLE_BUNDLE_ENTRY_NOTFOUND", "DUPLICATE_ID",
	"Validation_VAL_Profile_Unknown", "Extension_EXT_SubExtension_Invalid",
	"TYPE_SPECIFIC_CHECKS_DT_ATT_", "Type_Specific_Checks_DT_XHTML_Resolve_Img",
	"IG_HL7_", "MEASURE_M_",
	"rng-2",
}

// stricter are the beginnings of the errors that HL7's validator does not have.
var stricter = []string{"a string must not be empty", "ele-1", "ctm-1"}

// unreported are the keys that HL7's validator does not report, with the reason.
var unreported = map[string]string{
	"cid-0":  "a ChargeItemDefinition has no name",
	"con-3":  "its expression for it is always true",
	"ctm-1":  "it does not resolve the reference",
	"dom-3":  "it reports CONTAINED_ORPHAN_DOM3",
	"ele-1":  "it accepts an element with nothing but an id",
	"smp-1":  "it fails",
	"tst-11": "it takes the constraints of TestScript.setup.action.assert",
	"tst-13": "it takes the constraints of TestScript.setup.action.assert",
}

// explained reports whether a difference is one of those above.
func (v verdict) explained(issues []validate.Issue) bool {
	begins := func(list []string, text string) bool {
		return slices.ContainsFunc(list, func(beginning string) bool { return strings.HasPrefix(text, beginning) })
	}
	if v.Valid {
		return !slices.ContainsFunc(issues, func(i validate.Issue) bool { return i.Severity == validate.Error && !begins(stricter, i.Text) })
	}
	for _, m := range v.Messages {
		id := m.ID[strings.LastIndexByte(m.ID, '#')+1:]
		if (m.Severity == "error" || m.Severity == "fatal") && (begins(differences, id) || begins(differences, m.Text)) {
			return true
		}
	}
	return false
}

// TestHL7 compares verdicts with those of HL7's validator: on the examples of R4, and on examples with
// one change, ROGET_MUTANTS of them.
func TestHL7(t *testing.T) {
	v, ask := validate.New(definitions.R4(), withBase(t)), hl7(t)
	differ := func(documents [][]byte, theirs []verdict) (different int) {
		for i, text := range documents {
			d, err := document.Parse(text, r4.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			issues := v.Strict(d)
			if validate.Failed(issues) != theirs[i].Valid {
				continue
			}
			if different++; !theirs[i].explained(issues) {
				t.Errorf("ours %v\ntheirs %+v\n%.2000s", issues, theirs[i], text)
			}
		}
		return different
	}
	examples := slices.Collect(sharedtest.Lines(t, sharedtest.Path(t, "data/r4-core/examples.ndjson.gz")))
	theirs := ask(examples)
	n := differ(examples, theirs)
	if t.Logf("%d of %d examples differ", n, len(examples)); n > len(examples)/50 {
		t.Error("the verdicts of more than 2 % differ")
	}

	random := rand.New(rand.NewPCG(20, 26))
	var accepted, mutants [][]byte
	for i, e := range examples {
		if theirs[i].Valid && len(e) < 12_000 && !bytes.Contains(e, []byte(`"profile":["http`)) { // profiles are not checked
			accepted = append(accepted, e)
		}
	}
	wanted := 400
	if more, err := strconv.Atoi(os.Getenv("ROGET_MUTANTS")); err == nil {
		wanted = more
	}
	for len(mutants) < wanted {
		if m := mutant(t, random, accepted[random.IntN(len(accepted))]); m != nil {
			mutants = append(mutants, m)
		}
	}
	theirs = ask(mutants)
	refused := 0
	for _, verdict := range theirs {
		if !verdict.Valid {
			refused++
		}
	}
	n = differ(mutants, theirs)
	t.Logf("%d of %d changed examples differ, of which HL7's validator refuses %d", n, len(mutants), refused)
	if n > len(mutants)/50 || refused < len(mutants)/5 || refused > len(mutants)*4/5 {
		t.Error("the verdicts of more than 2 % differ, or nearly all are the same")
	}
}

// TestHL7Constraints checks that HL7's validator reports the same constraints, and has the same
// verdict on answers to a Questionnaire.
func TestHL7Constraints(t *testing.T) {
	ask, violations := hl7(t), violating(t)
	for _, key := range slices.Sorted(maps.Keys(violations)) {
		var texts [][]byte
		for _, text := range violations[key] {
			texts = append(texts, []byte(text))
		}
		for i, verdict := range ask(texts) {
			reported := slices.ContainsFunc(verdict.Messages, func(m message) bool { return strings.HasSuffix(m.ID, "#"+key) })
			if reported == (unreported[key] != "") {
				t.Errorf("%s: reported %v: %s", key, reported, texts[i])
			}
		}
	}

	var responses [][]byte
	rows := answerRows()
	list := slices.Sorted(maps.Keys(rows))
	for _, items := range list {
		responses = append(responses, fmt.Appendf(nil, `{"resourceType":"QuestionnaireResponse","contained":[%s],"questionnaire":"#q","status":"completed","item":[%s]}`,
			strings.Replace(questionnaire, `"status"`, `"id":"q","status"`, 1), items))
	}
	for i, verdict := range ask(responses) {
		if verdict.Valid != (rows[list[i]] == nil) {
			t.Errorf("%s: %+v", list[i], verdict)
		}
	}
}
