package fhir

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/roget-health/roget/codesystem"
)

func TestReadErrors(t *testing.T) {
	concepts := func(s string) string {
		return "{\"resourceType\":\"CodeSystem\",\n\"url\":\"http://a\",\n\"property\":[{\"code\":\"n\",\"type\":\"integer\"}],\"concept\":[\n" + s + "]}"
	}
	deep := strings.Repeat(`{"code":"x","concept":[`, 100_000)
	tests := []struct {
		name, data string
		is         error
		says       []string
	}{
		{"empty", "", ErrFormat, []string{"input: ", "empty"}},
		{"only a mark", "\ufeff", ErrFormat, []string{"empty"}},
		{"white space", " \n\n", ErrFormat, []string{"white space"}},
		{"binary", "\x00\x01\x02", ErrFormat, []string{"00 01 02"}},
		{"text", "Hello world", ErrFormat, []string{"\"Hello wo\""}},
		{"xml", "<?xml version='1.0'?>", ErrFormat, []string{"XML"}},
		{"zip", "PK\x03\x04....", ErrFormat, []string{"zip"}},
		{"utf-16", "\xff\xfe{\x00", ErrFormat, []string{"UTF-16"}},
		{"damaged gzip header", "\x1f\x8b\x00\x00", ErrFormat, []string{"gzip"}},
		{"array", "[1]", nil, []string{"line 1", "expected an object, found an array"}},
		{"no type", `{"url":"x"}`, nil, []string{"resourceType is missing"}},
		{"type is no string", `{"resourceType":["CodeSystem"]}`, nil, []string{"resourceType", "expected a string"}},
		{"concepts without type", `{"concept":[{"code":"a"}]}`, nil, []string{"resourceType is missing"}},
		{"nothing of use", pat, ErrNothing, []string{"1 resources of other types"}},
		{"truncated", csA[:len(csA)-30], nil, []string{"line 1", "CodeSystem.concept[1].code", "input ends inside a string"}},
		{"truncated later", concepts("{\"code\":\"a\"},\n{\"co"), nil, []string{"line 5", "CodeSystem.concept[1]", "input ends inside a string"}},
		{"not UTF-8", concepts("{\"code\":\"a\",\n\"display\":\"\xe9\"}"), nil, []string{"line 5, column 12", "CodeSystem.concept[0].display", "UTF-8"}},
		{"wrong type", concepts(`{"code":"a"},{"code":"b","display":7}`), nil, []string{"line 4", "CodeSystem.concept[1].display", "expected a string, found a number"}},
		{"wrong header", `{"resourceType":"CodeSystem","concept":{}}`, nil, []string{"CodeSystem.concept", "expected an array"}},
		{"designation", concepts(`{"code":"a","designation":[{"use":"x"}]}`), nil, []string{"CodeSystem.concept[0].designation[0].use", "expected an object"}},
		{"duplicate name", concepts(`{"code":"a","code":"b"}`), nil, []string{"CodeSystem.concept[0].code", "occurs twice"}},
		{"duplicate concepts", `{"resourceType":"CodeSystem","concept":[],"concept":[]}`, nil, []string{"CodeSystem.concept", "occurs twice"}},
		{"duplicate code", concepts("{\"code\":\"a\"},\n{\"code\":\"a\"}"), codesystem.ErrDuplicateCode, []string{"CodeSystem.concept[1]", "line 5", "line 4"}},
		{"no code", concepts("{\"code\":\"a\"},\n{\"display\":\"a\"}"), codesystem.ErrEmptyCode, []string{"CodeSystem.concept[1]", "line 5"}},
		{"no code, nested", concepts("{\"code\":\"a\",\"concept\":[{}]}"), codesystem.ErrEmptyCode, []string{"CodeSystem.concept[0].concept[0]"}},
		{"unknown parent", concepts("{\"code\":\"a\"},\n{\"code\":\"b\",\"property\":[{\"code\":\"parent\",\"valueCode\":\"zz\"}]}"), codesystem.ErrUnknownParent, []string{"line 5", `"zz"`}},
		{"cycle", concepts(`{"code":"a","concept":[{"code":"b","property":[{"code":"child","valueCode":"a"}]}]}`), codesystem.ErrCycle, []string{"b → a → b"}},
		{"property type", concepts(`{"code":"a","property":[{"code":"n","valueCode":"x"}]}`), codesystem.ErrBadProperty, []string{"CodeSystem.concept[0].property[0]", "line 4", `valueCode of property "n", declared with valueInteger`}},
		{"property type, declared later", `{"resourceType":"CodeSystem","concept":[{"code":"a","property":[{"code":"n","valueCode":"x"}]}],"property":[{"code":"n","type":"integer"}]}`, codesystem.ErrBadProperty, []string{`concept "a"`}},
		{"integer", concepts(`{"code":"a","property":[{"code":"n","valueInteger":1.5}]}`), nil, []string{"CodeSystem.concept[0].property[0].valueInteger", "expected an integer, found 1.5"}},
		{"two values", concepts(`{"code":"a","property":[{"code":"n","valueInteger":1,"valueCode":"a"}]}`), nil, []string{"a value already"}},
		{"no such value", concepts(`{"code":"a","property":[{"code":"n","valueQuantity":{}}]}`), nil, []string{"property[0].valueQuantity", "no value of this type"}},
		{"property without code", concepts(`{"code":"a","property":[{"valueInteger":1}]}`), nil, []string{"property[0]", "no code"}},
		{"deep concepts", `{"resourceType":"CodeSystem","concept":[` + deep, nil, []string{"nested deeper than 4000 levels"}},
		{"deep junk", `{"resourceType":"Patient","x":` + strings.Repeat("[", 100_000), nil, []string{"nested deeper than"}},
		{"deep value set", `{"resourceType":"ValueSet","x":` + strings.Repeat(`{"a":`, 100_000), nil, []string{"nested deeper than"}},
		{"value set", "\n\n{\"resourceType\":\"ValueSet\",\n\"compose\":{\"include\":[{\"system\":1}]}}", nil, []string{"line 4, column 33", "ValueSet.compose.include[0].system"}},
		{"concept map", `{"resourceType":"ConceptMap","group":{}}`, nil, []string{"ConceptMap.group", "expected an array"}},
		{"in a bundle", "{\"resourceType\":\"Bundle\",\"entry\":[\n{\"resource\":" + concepts(`{"code":1}`) + "}]}", nil, []string{"line 5", "Bundle.entry[0].resource.concept[0].code"}},
		{"bundle entry", `{"resourceType":"Bundle","entry":[1]}`, nil, []string{"Bundle.entry[0]", "expected an object"}},
		{"in ndjson", csA + "\n" + csB + "\n" + `{"resourceType":"CodeSystem","url":3}`, nil, []string{"line 3", "CodeSystem.url"}},
		{"two on a line", csA + csB, nil, []string{"something else follows"}},
		{"junk behind", csA + " xyz", nil, []string{"something else follows"}},
		{"junk below", csA + "\nxyz", nil, []string{"line 2", "expected a value, found 'x'"}},
		{"gzip truncated", string(gzipped([]byte(csA)))[:60], nil, []string{"truncated"}},
		{"gzip checksum", flip(gzipped([]byte(csA)), -6), nil, []string{"damaged"}},
		{"gzip trailer", string(gzipped([]byte(csA))) + "trailing junk", nil, []string{"followed by something else"}},
		{"gzip in gzip", string(gzipped(gzipped([]byte(csA)))), ErrFormat, []string{"gzip inside gzip"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r, err := read(t, []byte(test.data), Options{})
			if err == nil {
				t.Fatal("no error")
			}
			if test.is != nil && !errors.Is(err, test.is) {
				t.Errorf("%v is not %v", err, test.is)
			}
			for _, words := range append(test.says, "input: ") {
				if !strings.Contains(err.Error(), words) {
					t.Errorf("%q lacks %q", err, words)
				}
			}
			if len(err.Error()) > 2000 {
				t.Errorf("a message of %d bytes", len(err.Error()))
			}
			if strings.Contains(test.name, "ndjson") || strings.Contains(test.name, "junk below") {
				return
			}
			if len(r.lines) > 0 {
				t.Errorf("handed on: %v", r.lines)
			}
		})
	}
}

func flip(data []byte, at int) string {
	data[len(data)+at] ^= 0xff
	return string(data)
}

func TestKeepGoing(t *testing.T) {
	badType := `{"resourceType":"CodeSystem","url":"http://bad","concept":[{"code":"x","display":[1,{"a":2}],"property":[]},{"code":"y"}]}`
	badCode := `{"resourceType":"CodeSystem","url":"http://bad","concept":[{"code":"x","concept":[{"code":"x"}]}],"title":"t"}`
	cycle := `{"resourceType":"CodeSystem","url":"http://bad","concept":[{"code":"x","property":[{"code":"parent","valueCode":"x"}]}]}`
	tests := []struct {
		name, data string
		errs       int
		want       []string
	}{
		{
			"ndjson", badType + "\n" + csA + "\n" + badCode + "\n" + `{"resourceType":"CodeSystem",` + "\n\"x\n" + vsA + "\n" + cycle + "\n", 4,
			[]string{"CodeSystem http://a|1 line 2 a1 a2 a3<a2", "ValueSet http://v| line 6"},
		},
		{
			"bundle", `{"resourceType":"Bundle","entry":[{"resource":` + badType + `},{"resource":` + csA + `},{"resource":` + badCode + `},{"resource":7},{"resource":` + cycle + `},{"resource":` + vsA + `}]}`, 4,
			[]string{"CodeSystem http://a|1 Bundle.entry[1] a1 a2 a3<a2", "ValueSet http://v| Bundle.entry[5]"},
		},
		{
			"bundle cut", `{"resourceType":"Bundle","entry":[{"resource":` + csA + `},{"resource":` + csB[:40], 1,
			[]string{"CodeSystem http://a|1 Bundle.entry[0] a1 a2 a3<a2"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r, err := read(t, []byte(test.data), Options{KeepGoing: true})
			n := 0
			if joined, ok := err.(interface{ Unwrap() []error }); ok {
				n = len(joined.Unwrap())
			} else if err != nil {
				n = 1
			}
			if n != test.errs {
				t.Errorf("%d errors, want %d: %v", n, test.errs, err)
			}
			wantLines(t, r, test.want...)
		})
	}
}

func TestKeepGoingInFolder(t *testing.T) {
	root := folder(t, entry{"a.json", csA[:50]}, entry{"b.json", csB}, entry{"c.json", "\x00"}, entry{"d.tgz", "no"}, entry{"e.json", vsA})
	r := &recorder{}
	err := Load(t.Context(), root, Options{KeepGoing: true}, r)
	for _, words := range []string{"a.json", "c.json", "d.tgz"} {
		if err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%v lacks %s", err, words)
		}
	}
	wantLines(t, r, lineB, "ValueSet http://v| ")
}

// endless returns the same JSON text over and over.
type endless struct {
	start, again string
	rest         string
	begun        bool
	read         int64
}

func (e *endless) Read(p []byte) (int, error) {
	if e.rest == "" {
		if e.rest = e.again; !e.begun {
			e.rest, e.begun = e.start, true
		}
	}
	n := copy(p, e.rest)
	e.rest = e.rest[n:]
	e.read += int64(n)
	return n, nil
}

func TestEndlessInput(t *testing.T) {
	const limit = 8 << 20
	space := strings.Repeat(" ", 64<<10)
	for name, source := range map[string]*endless{
		"value set":   {start: `{"resourceType":"ValueSet","compose":{"include":[{}`, again: "," + space + "{}"},
		"code system": {start: `{"resourceType":"CodeSystem","concept":[{"code":"x"}`, again: "," + space},
		"skipped":     {start: `{"resourceType":"Basic","x":[1`, again: "," + space + "1"},
		"string":      {start: `{"resourceType":"Basic","x":"`, again: space},
		"white space": {start: csA, again: space},
		"before type": {start: `{"x":[1`, again: "," + space + "1"},
		"lines":       {start: "", again: pat + space + "\n"},
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := Read(t.Context(), source, "body", Options{Limits: Limits{MaxBytes: limit, MaxDocument: 2 << 20}}, &recorder{})
			runtime.ReadMemStats(&after)
			if err == nil || source.read > limit+1<<20 {
				t.Errorf("stopped after %d bytes with %v", source.read, err)
			}
			if name == "skipped" || name == "white space" || name == "string" || name == "lines" {
				if !errors.Is(err, ErrTooLarge) {
					t.Errorf("got %v", err)
				}
			}
			if used := after.TotalAlloc - before.TotalAlloc; used > 32<<20 {
				t.Errorf("%d bytes allocated", used)
			}
		})
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	source := &endless{start: `{"resourceType":"Basic","x":[1`, again: strings.Repeat(",1", 1<<15)}
	reports := 0
	err := Read(ctx, source, "body", Options{KeepGoing: true, Progress: func(Progress) {
		if reports++; reports == 3 {
			cancel()
		}
	}}, &recorder{})
	if !errors.Is(err, context.Canceled) || source.read > 16<<20 {
		t.Errorf("stopped after %d bytes with %v", source.read, err)
	}
}
