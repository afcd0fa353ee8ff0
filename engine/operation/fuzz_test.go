package operation

import (
	"errors"
	"testing"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/r4"
)

// FuzzDecodeQuery checks that no query breaks the decoder, and that its errors are
// errors of a parameter.
func FuzzDecodeQuery(f *testing.F) {
	for _, seed := range []string{
		"", "url=http%3A%2F%2Fx%7C1&count=10", "coding={\"code\":\"a\"}", "property=a=b", "%", "%2", "a=%zz", "valueSet={}",
		"tx-resource={\"resourceType\":\"CodeSystem\"}&tx-resource=[", "date=2024-02-30T25:00:00Z", "&&=&", "codeableConcept=a|b|c|d",
	} {
		f.Add(seed, true)
		f.Add(seed, false)
	}
	f.Fuzz(func(t *testing.T, raw string, strict bool) {
		var in Input
		in.Reset(sample)
		err := in.DecodeQuery(raw, strict)
		checkDecoded(t, &in, err)
	})
}

// FuzzDecodeParameters does the same for bodies.
func FuzzDecodeParameters(f *testing.F) {
	for _, seed := range []string{
		`{"resourceType":"Parameters"}`,
		`{"resourceType":"Parameters","parameter":[{"name":"url","valueUri":"x"},{"name":"count","valueInteger":3}]}`,
		`{"resourceType":"Parameters","parameter":[{"name":"property","part":[{"name":"code","valueCode":"x"}]}]}`,
		`{"resourceType":"Parameters","parameter":[{"name":"valueSet","resource":{"resourceType":"ValueSet"}}]}`,
		`{"resourceType":"Parameters","parameter":[{"name":"coding","valueCoding":{}}]}`,
		`{"resourceType":"Parameters","parameter":[{"name":"codeableConcept","valueCodeableConcept":null}]}`,
	} {
		f.Add([]byte(seed), true)
	}
	f.Fuzz(func(t *testing.T, body []byte, strict bool) {
		p, err := r4.DecodeParameters(body)
		if err != nil {
			return
		}
		var in Input
		in.Reset(sample)
		err = in.DecodeParameters(p, strict)
		checkDecoded(t, &in, err)
	})
}

func checkDecoded(t *testing.T, in *Input, err error) {
	if err != nil {
		var parameter *engine.ParameterError
		if !errors.As(err, &parameter) {
			t.Fatalf("not an error of a parameter: %v", err)
		}
		class, outcome := Outcome(err)
		if class != invalidClass || len(outcome.Issue) != 1 || ExitCode(err) != ExitUsage {
			t.Fatalf("%v: class %d, exit %d", err, class, ExitCode(err))
		}
		if checkErr := r4.Check(outcome.AppendJSON(nil), r4.DefaultLimits()); checkErr != nil {
			t.Fatalf("the outcome of %q is not JSON: %v", err, checkErr)
		}
		return
	}
	for i := range in.Op.In {
		p := &in.Op.In[i]
		if !in.Has(p.Name) {
			continue
		}
		switch kindOf(p.Type) {
		case kindCoding:
			if in.Coding(p.Name) == nil {
				t.Fatalf("%s has no Coding", p.Name)
			}
		case kindConcept:
			if in.CodeableConcept(p.Name) == nil {
				t.Fatalf("%s has no CodeableConcept", p.Name)
			}
		case kindInteger:
			if _, given := in.Int(p.Name); !given {
				t.Fatalf("%s is no integer", p.Name)
			}
		case kindResource:
			if in.Resource(p.Name) == nil {
				t.Fatalf("%s has no resource", p.Name)
			}
		}
	}
}
