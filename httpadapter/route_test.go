package httpadapter

import (
	"strings"
	"testing"
)

func TestTargetOf(t *testing.T) {
	for rest, want := range map[string]target{
		"":                       {route: atType},
		"/":                      {},
		"//":                     {},
		"/_search":               {route: atTypeSearch},
		"/_search/":              {},
		"/_history":              {route: atTypeHistory},
		"/_history/1":            {},
		"/_other":                {},
		"/$op":                   {route: atTypeOperation, last: "op"},
		"/$":                     {route: atTypeOperation},
		"/$op/x":                 {},
		"/1":                     {route: atInstance, id: "1"},
		"/1/":                    {},
		"/1/_history":            {atInstanceHistory, "1", ""},
		"/1/_history/":           {},
		"/1/_history/2":          {atVersion, "1", "2"},
		"/1/_history/2/3":        {},
		"/1/$op":                 {atInstanceOperation, "1", "op"},
		"/1/$op/":                {},
		"/1/Observation":         {atCompartment, "1", "Observation"},
		"/1/*":                   {atCompartment, "1", "*"},
		"/1/Observation/":        {},
		"/1/Observation/2":       {},
		"/1/Observation/_search": {atCompartmentSearch, "1", "Observation"},
		"/1/*/_search":           {atCompartmentSearch, "1", "*"},
		"/1/observation":         {},
		"/1/_search":             {},
	} {
		if got := targetOf(rest); got != want {
			t.Errorf("%q: %+v, want %+v", rest, got, want)
		}
	}
}

// FuzzTargetOf checks that the path can be rebuilt from its target.
func FuzzTargetOf(f *testing.F) {
	for _, seed := range []string{"", "/1", "/1/_history/2", "/$op", "/1/$op", "/1/Observation/_search", "//", "/_history/"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, rest string) {
		if rest != "" && rest[0] != '/' {
			return
		}
		var again string
		switch at := targetOf(rest); at.route {
		case atNothing:
			return
		case atType:
		case atTypeSearch:
			again = "/_search"
		case atTypeHistory:
			again = "/_history"
		case atTypeOperation:
			again = "/$" + at.last
		case atInstance:
			again = "/" + at.id
		case atInstanceHistory:
			again = "/" + at.id + "/_history"
		case atVersion:
			again = "/" + at.id + "/_history/" + at.last
		case atInstanceOperation:
			again = "/" + at.id + "/$" + at.last
		case atCompartment:
			again = "/" + at.id + "/" + at.last
		case atCompartmentSearch:
			again = "/" + at.id + "/" + at.last + "/_search"
		default:
			t.Fatalf("%q is at route %d", rest, at.route)
		}
		if again != rest {
			t.Fatalf("%q was read as %q", rest, again)
		}
	})
}

// FuzzRequest checks that the response to any request below the base is a resource, the OpenAPI document
// or empty, and never a 5xx.
func FuzzRequest(f *testing.F) {
	for _, seed := range []struct{ method, path, media, body string }{
		{"GET", "Patient/peter", "", ""},
		{"PUT", "Patient/peter", mediaFHIR, peter},
		{"POST", "Observation", mediaFHIR, nameless(pulse)},
		{"PATCH", "Patient/peter", mediaJSONPatch, `[{"op":"add","path":"/gender","value":"other"}]`},
		{"PATCH", "Patient?_id=peter", mediaMergePatch, `{"name":null}`},
		{"GET", "Patient/peter/$everything?_count=1&_cursor=x", "", ""},
		{"GET", "Patient/peter/Observation?_cursor=AQBF", "", ""},
		{"GET", "Observation?code:in=http://x&subject:Patient.name=a&_sort=-date,_id&_include=*&_cursor=A", "", ""},
		{"DELETE", "Patient?name=x", "", ""},
		{"POST", "Patient/$validate", mediaFHIR, peter},
		{"GET", "_history?_since=2026-01-01T00:00:00Z&_at=2026&_cursor=1", "", ""},
		{"POST", "", mediaFHIR, transactionOf(`{"resource":` + peter + `,"request":{"method":"PUT","url":"Patient/peter"}}`)},
		{"GET", "openapi.json", "", ""},
		{"POST", "Patient/_search", mediaForm, "name=a&_has:Observation:subject:code=x"},
	} {
		f.Add(seed.method, seed.path, seed.media, seed.body)
	}
	c := clinic(f)
	f.Fuzz(func(t *testing.T, method, path, media, body string) {
		r, err := request(method, "/baseR4/"+strings.TrimLeft(path, "/"), body)
		if err != nil {
			return
		}
		r.Header.Set("Content-Type", media)
		got := serve(c.handler, r)
		if got.status >= 500 && got.status != 501 {
			t.Fatalf("%s %q %q: %d %s", method, path, body, got.status, got.body)
		}
		if got.body != "" {
			if doc := got.json(t); doc["resourceType"] == nil && doc["openapi"] == nil {
				t.Fatalf("%s %q: %s", method, path, got.body)
			}
		}
	})
}
