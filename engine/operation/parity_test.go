package operation

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/roget-health/roget/resources/r4"
)

// seen is everything the accessors of an Input give.
func seen(in *Input) map[string]any {
	all := map[string]any{}
	for i := range in.Op.In {
		name := in.Op.In[i].Name
		value, given := in.Bool(name)
		n, isInt := in.Int(name)
		var docs []string
		for _, doc := range in.Resources(name) {
			var compact bytes.Buffer
			if err := json.Compact(&compact, doc); err != nil {
				panic(err)
			}
			docs = append(docs, compact.String())
		}
		all[name] = []any{
			in.Has(name), in.String(name), in.Strings(name), value, given, n, isInt,
			in.Coding(name), in.CodeableConcept(name), docs, in.Parts(name),
		}
	}
	return all
}

// value is one parameter in the three forms it can be given.
type value struct{ text, member string }

func quoteJSON(s string) string { return string(r4.AppendString(nil, s)) }

func drawValue(t *rapid.T, p *Param) value {
	word := rapid.StringOfN(rapid.RuneFrom([]rune("abcÄßé %+&=|#\"\\/?λ😀")), 1, 12, -1)
	switch kindOf(p.Type) {
	case kindBoolean:
		s := strconv.FormatBool(rapid.Bool().Draw(t, "bool"))
		return value{s, `"valueBoolean":` + s}
	case kindInteger:
		s := strconv.Itoa(int(rapid.Int32Min(0).Draw(t, "int")))
		return value{s, `"valueInteger":` + s}
	case kindDecimal:
		s := rapid.SampledFrom([]string{"1", "1.50", "-0.001", "1.0e2"}).Draw(t, "decimal")
		return value{s, `"valueDecimal":` + s}
	case kindDate:
		s := rapid.SampledFrom([]string{"2024", "2024-02", "2024-02-29", "2024-02-29T10:00:00Z"}).Draw(t, "date")
		return value{s, `"valueDateTime":"` + s + `"`}
	case kindCoding:
		c := `{"system":"http://s","code":` + quoteJSON(word.Draw(t, "code")) + `}`
		return value{c, `"valueCoding":` + c}
	case kindConcept:
		c := `{"coding":[{"code":` + quoteJSON(word.Draw(t, "code")) + `}],"text":"x"}`
		return value{c, `"valueCodeableConcept":` + c}
	case kindResource:
		doc := `{"resourceType":"ValueSet","name":` + quoteJSON(word.Draw(t, "name")) + `}`
		return value{doc, `"resource":` + doc}
	case kindParts:
		parts := `[{"name":"code","valueCode":"c"},{"name":"value","valueString":` + quoteJSON(word.Draw(t, "value")) + `}]`
		return value{parts, `"part":` + parts}
	}
	s := word.Draw(t, "text")
	suffix := rapid.SampledFrom([]string{"String", "Uri", "Canonical", "Code"}).Draw(t, "type")
	return value{s, `"value` + suffix + `":` + quoteJSON(s)}
}

// TestQueryAndBodyAgree is the law that a call means the same whichever way it comes: a
// query, flags of a terminal, or a Parameters resource.
func TestQueryAndBodyAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var query, body, flags Input
		query.Reset(sample)
		body.Reset(sample)
		flags.Reset(sample)
		var raw, doc string
		var pairs [][2]string
		for _, i := range rapid.SliceOfNDistinct(rapid.IntRange(0, len(sample.In)-1), 0, -1, rapid.ID[int]).Draw(t, "which") {
			p := &sample.In[i]
			times := 1
			if p.Many {
				times = rapid.IntRange(1, 3).Draw(t, "times")
			}
			for range times {
				v := drawValue(t, p)
				raw += "&" + url.QueryEscape(p.Name) + "=" + url.QueryEscape(v.text)
				doc += `,{"name":"` + p.Name + `",` + v.member + `}`
				pairs = append(pairs, [2]string{p.Name, v.text})
			}
		}
		text := `{"resourceType":"Parameters"}`
		if doc != "" {
			text = `{"resourceType":"Parameters","parameter":[` + doc[1:] + `]}`
		}
		p, err := r4.DecodeParameters([]byte(text))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		bodyErr := body.DecodeParameters(p, true)
		queryErr := query.DecodeQuery(raw, true)
		var flagsErr error
		for _, pair := range pairs {
			if flagsErr == nil {
				flagsErr = flags.Add(pair[0], pair[1])
			}
		}
		if (bodyErr == nil) != (queryErr == nil) || (bodyErr == nil) != (flagsErr == nil) {
			t.Fatalf("body: %v\nquery: %v\nflags: %v", bodyErr, queryErr, flagsErr)
		}
		if bodyErr != nil {
			return
		}
		if diff := cmp.Diff(seen(&body), seen(&query)); diff != "" {
			t.Fatalf("body and query differ: %s", diff)
		}
		if diff := cmp.Diff(seen(&query), seen(&flags)); diff != "" {
			t.Fatalf("query and flags differ: %s", diff)
		}
	})
}

// TestUnescapeAgrees compares with net/url.
func TestUnescapeAgrees(t *testing.T) {
	for r := rune(0); r < 0x800; r++ {
		want, escaped := string(r), ""
		for i := range len(want) {
			escaped += fmt.Sprintf([]string{"%%%02x", "%%%02X"}[r%2], want[i])
		}
		if got, ok := unescape(escaped); !ok || got != want {
			t.Errorf("%s: %q, %v", escaped, got, ok)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOf(rapid.RuneFrom([]rune("ab%+0129cCfF&=ä"))).Draw(t, "s")
		got, ok := unescape(s)
		want, err := url.QueryUnescape(s)
		if err == nil && !validUTF8(want) {
			if ok {
				t.Fatalf("%q: took what is not UTF-8", s)
			}
			return
		}
		if ok != (err == nil) || (ok && got != want) {
			t.Fatalf("%q: got %q %v, want %q %v", s, got, ok, want, err)
		}
	})
}

func validUTF8(s string) bool { return bytes.Equal(bytes.ToValidUTF8([]byte(s), nil), []byte(s)) }
