package base_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/base"
)

func published(t testing.TB) *engine.Engine {
	t.Helper()
	eng := engine.New()
	if err := eng.Publish(base.Entries()...); err != nil {
		t.Fatal(err)
	}
	return eng
}

// Every code system has an index, with the number of concepts that its entry tells.
func TestCodeSystems(t *testing.T) {
	for _, e := range base.Entries() {
		if e.CodeSystem == nil {
			continue
		}
		x, err := e.CodeSystem()
		if err != nil {
			t.Errorf("%s: %v", e.Header.URL, err)
			continue
		}
		h := x.Header()
		if x.Len() != e.Concepts || h.URL != e.Header.URL || h.Content != e.Content || h.ValueSet != e.AllCodes {
			t.Errorf("%s: index of %d concepts with header %+v, entry %+v", e.Header.URL, x.Len(), h, e)
		}
	}
}

// Every value set expands, or is refused for a code system or value set that is not here.
func TestValueSets(t *testing.T) {
	eng := published(t)
	zero, expanded := 0, 0
	for _, e := range eng.Entries("ValueSet") {
		_, err := eng.Expand(t.Context(), &engine.ExpandRequest{URL: e.Header.URL + "|" + e.Header.Version, Count: &zero})
		switch {
		case err == nil:
			expanded++
		case e.Header.ID == "example-filter": // by a filter that only its code system knows the meaning of
		case !missing(err):
			t.Errorf("%s: %v", e.Header.URL, err)
		}
	}
	refused := len(eng.Entries("ValueSet")) - expanded
	if refused != 90 { // as decision 9 lists
		t.Errorf("%d value sets expand, %d are refused", expanded, refused)
	}
}

// missing reports an error about something that is not published, or cannot be listed.
func missing(err error) bool {
	return slices.ContainsFunc([]error{engine.ErrUnknownSystem, engine.ErrUnknownValueSet, engine.ErrUnknownVersion, engine.ErrNoContent, engine.ErrEndless}, func(known error) bool {
		return errors.Is(err, known)
	})
}

// What is loaded beats what is built in.
func TestLoadedFirst(t *testing.T) {
	eng := published(t)
	const url = "http://hl7.org/fhir/administrative-gender"
	if x, err := eng.System(url, ""); err != nil || x.Len() != 4 {
		t.Fatal(x, err)
	}
	body := `{"resourceType":"CodeSystem","id":"g","url":"` + url + `","status":"active","content":"complete","concept":[{"code":"x"}]}`
	publish, err := eng.Prepare(t.Context(), "CodeSystem", "g", []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	publish()
	if x, err := eng.System(url, ""); err != nil || x.Len() != 1 {
		t.Error(x, err)
	}
	eng.Withdraw("CodeSystem", "g")
	if x, err := eng.System(url, ""); err != nil || x.Len() != 4 {
		t.Error(x, err)
	}
}

func Example() {
	eng := engine.New()
	if err := eng.Publish(base.Entries()...); err != nil {
		fmt.Println(err)
		return
	}
	gender, err := eng.System("http://hl7.org/fhir/administrative-gender", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	male, _ := gender.Find("male")
	fmt.Println(gender.Display(male))
	// Output: Male
}

func BenchmarkEntries(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		base.Entries()
	}
}

func BenchmarkPublish(b *testing.B) {
	entries := base.Entries()
	b.ReportAllocs()
	for b.Loop() {
		if err := engine.New().Publish(entries...); err != nil {
			b.Fatal(err)
		}
	}
}

// One more entry beside the base content, as with every resource that is stored.
func BenchmarkPublishOne(b *testing.B) {
	eng := published(b)
	one := base.Entries()[7]
	b.ReportAllocs()
	for b.Loop() {
		if err := eng.Publish(one); err != nil {
			b.Fatal(err)
		}
	}
}

// A system that no request has asked for yet.
func BenchmarkFirstUse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		eng := published(b)
		b.StartTimer()
		if _, err := eng.System("http://hl7.org/fhir/administrative-gender", ""); err != nil {
			b.Fatal(err)
		}
	}
}
