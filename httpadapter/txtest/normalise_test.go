package txtest

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestNormalise(t *testing.T) {
	for _, test := range []struct{ name, from, to string }{
		{
			"narrative, meta, empty things",
			`{"resourceType":"ValueSet","text":{"div":"<div/>"},"meta":{"versionId":"1"},"name":null,"contact":[],"jurisdiction":[{},[]],"title":""}`,
			`{"resourceType":"ValueSet","title":""}`,
		},
		{
			"extensions that are not compared, except in definitions",
			`{"resourceType":"ValueSet","extension":[{"url":"http://example.org/a"},{"url":"http://hl7.org/fhir/StructureDefinition/valueset-unclosed","valueBoolean":true},{"url":"http://hl7.org/fhir/StructureDefinition/other"}],
				"compose":{"extension":[{"url":"http://example.org/a"}]},"expansion":{"contains":[{"code":"a","extension":[{"url":"http://example.org/a"}]}]}}`,
			`{"resourceType":"ValueSet","extension":[{"url":"http://hl7.org/fhir/StructureDefinition/valueset-unclosed","valueBoolean":true}],
				"compose":{"extension":[{"url":"http://example.org/a"}]},"expansion":{"contains":[{"code":"a"}]}}`,
		},
		{
			"expansion",
			`{"resourceType":"ValueSet","expansion":{
				"parameter":[{"name":"b","valueUri":"x"},{"name":"a","valueUri":"z"},{"name":"a","valueUri":"y"}],
				"property":[{"code":"p","uri":"z"},{"code":"q","uri":"a"}],
				"contains":[{"code":"b","contains":[{"code":"d"},{"code":"c"}]},
					{"code":"a","system":"second","property":[{"code":"z"},{"code":"y"}],"designation":[{"language":"fr","value":"a"},{"language":"de","value":"b"}]},
					{"code":"a","system":"first"}]}}`,
			`{"resourceType":"ValueSet","expansion":{
				"parameter":[{"name":"a","valueUri":"y"},{"name":"a","valueUri":"z"},{"name":"b","valueUri":"x"}],
				"property":[{"code":"q","uri":"a"},{"code":"p","uri":"z"}],
				"contains":[{"code":"a","system":"second","property":[{"code":"y"},{"code":"z"}],"designation":[{"language":"de","value":"b"},{"language":"fr","value":"a"}]},
					{"code":"a","system":"first"},
					{"code":"b","contains":[{"code":"c"},{"code":"d"}]}]}}`,
		},
		{
			"parameters",
			`{"resourceType":"Parameters","parameter":[
				{"name":"result","valueBoolean":false},
				{"name":"message","valueString":"b is wrong; a is wrong"},
				{"name":"property","part":[{"name":"value","valueString":"2"},{"name":"code","valueCode":"x"}]},
				{"name":"property","part":[{"name":"code","valueCode":"X"},{"name":"value","valueString":"1"}]},
				{"name":"designation","part":[{"name":"language","valueCode":"fr"}]},
				{"name":"designation","part":[{"name":"language","valueCode":"de"}]},
				{"name":"issues","resource":{"resourceType":"OperationOutcome","issue":[
					{"severity":"warning","code":"invalid","diagnostics":"d","details":{"text":"t"}},
					{"severity":"error","diagnostics":"only for the log"},
					{"severity":"error","code":"invalid","expression":["b"]},
					{"severity":"error","code":"invalid","expression":["a"]}]}}]}`,
			`{"resourceType":"Parameters","parameter":[
				{"name":"designation","part":[{"name":"language","valueCode":"de"}]},
				{"name":"designation","part":[{"name":"language","valueCode":"fr"}]},
				{"name":"issues","resource":{"resourceType":"OperationOutcome","issue":[
					{"severity":"error","code":"invalid","expression":["a"]},
					{"severity":"error","code":"invalid","expression":["b"]},
					{"severity":"warning","code":"invalid","details":{"text":"t"}}]}},
				{"name":"message","valueString":"a is wrong; b is wrong"},
				{"name":"property","part":[{"name":"code","valueCode":"X"},{"name":"value","valueString":"1"}]},
				{"name":"property","part":[{"name":"code","valueCode":"x"},{"name":"value","valueString":"2"}]},
				{"name":"result","valueBoolean":false}]}`,
		},
		{
			"an outcome by itself keeps its order",
			`{"resourceType":"OperationOutcome","issue":[{"severity":"warning"},{"severity":"error"}]}`,
			`{"resourceType":"OperationOutcome","issue":[{"severity":"warning"},{"severity":"error"}]}`,
		},
		{
			"parameters in parameters",
			`{"resourceType":"Parameters","parameter":[{"name":"one","resource":{"resourceType":"Parameters","parameter":[{"name":"b"},{"name":"a"}]}}]}`,
			`{"resourceType":"Parameters","parameter":[{"name":"one","resource":{"resourceType":"Parameters","parameter":[{"name":"a"},{"name":"b"}]}}]}`,
		},
	} {
		got, err := normalise(tree(t, test.from).(object), R4)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if got, want := compact(t, got), compact(t, tree(t, test.to)); got != want {
			t.Errorf("%s:\n%s, want\n%s", test.name, got, want)
		}
	}
}

func TestNormaliseRefuses(t *testing.T) {
	for _, text := range []string{
		`{"resourceType":"Parameters","parameter":[[]]}`,
		`{"resourceType":"Parameters","parameter":{}}`,
		`{"resourceType":"ValueSet","expansion":{"contains":[{"contains":["a"]}]}}`,
	} {
		if got, err := normalise(tree(t, text).(object), R4); err == nil {
			t.Errorf("%s is %v", text, got)
		}
	}
}

func TestInsertionSort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type entry struct{ key, place int }
		var entries list
		var want []entry
		for place, key := range rapid.SliceOfN(rapid.IntRange(0, 5), 0, 20).Draw(t, "keys") {
			entries = append(entries, entry{key, place})
			want = append(want, entry{key, place})
		}
		insertionSort(entries, func(a, b any) bool { return a.(entry).key < b.(entry).key })
		slices.SortStableFunc(want, func(a, b entry) int { return cmp.Compare(a.key, b.key) })
		for i := range want {
			if entries[i] != want[i] {
				t.Fatalf("%v, want %v", entries, want)
			}
		}
	})
}

// Any response can be judged, and nothing remains to be pruned after normalising it.
func FuzzNormalise(f *testing.F) {
	f.Add(`{"resourceType":"Parameters","parameter":[{"name":"message","valueString":"b; a"},{"name":"x","part":[{"name":"y"}]}]}`)
	f.Add(`{"resourceType":"ValueSet","expansion":{"contains":[{"code":"a","designation":[{"value":"x"},{"language":"de"}]}]}}`)
	f.Add(`{"resourceType":"OperationOutcome","issue":[{"diagnostics":"x"}],"extension":null}`)
	f.Fuzz(func(t *testing.T, text string) {
		value, err := parse([]byte(text))
		answer, isObject := value.(object)
		if err != nil || !isObject {
			return
		}
		once, err := normalise(answer, R4)
		if err != nil {
			return
		}
		if got, want := compact(t, prune(once)), compact(t, once); got != want {
			t.Errorf("%s, want %s", got, want)
		}
		(&comparison{version: R4}).diff(tree(t, text), once, "")
	})
}
