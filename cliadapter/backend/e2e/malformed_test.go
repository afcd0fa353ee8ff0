package e2e_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/cliadapter/backend/backendtest"
)

// malformedRequests is how many requests TestMalformed makes.
const malformedRequests = 10_000

// TestMalformed sends malformed requests, each with a different error. Every one is answered with a
// 4xx and an OperationOutcome that describes the error, and none changes anything.
func TestMalformed(t *testing.T) {
	t.Parallel()
	handler := backendtest.Handler(t, "--data", t.TempDir(), "--no-samples", "--no-base")
	for _, text := range wellFormed {
		var resource struct{ ResourceType, ID string }
		if err := json.Unmarshal([]byte(text), &resource); err != nil {
			t.Fatal(err)
		}
		path := "/" + resource.ResourceType + "/" + resource.ID
		if a := answered(handler, request(http.MethodPut, path, "application/fhir+json", text)); a.Code != http.StatusCreated {
			t.Fatalf("PUT %s: %d %s", path, a.Code, a.Body)
		}
	}
	state := func() string {
		a := answered(handler, request(http.MethodGet, "/_history?_count=1000", "", ""))
		var bundle struct {
			Entry []struct {
				FullURL  string
				Response struct{ Etag, LastModified string }
			}
		}
		if err := json.Unmarshal(a.Body.Bytes(), &bundle); err != nil || len(bundle.Entry) < len(wellFormed) {
			t.Fatalf("history: %d %s", a.Code, a.Body)
		}
		return fmt.Sprint(bundle.Entry)
	}
	before := state()
	random := rand.New(rand.NewPCG(4, 0))
	kinds := slices.Sorted(maps.Keys(malformations))
	counts := map[string]map[int]int{}
	failures := 0
	for n := range malformedRequests {
		kind := kinds[n%len(kinds)]
		r := malformations[kind](random)
		what := fmt.Sprintf("%s: %s %s %q %q", kind, r.method, r.target, r.header, short(r.body))
		a := answered(handler, r.http())
		if counts[kind] == nil {
			counts[kind] = map[int]int{}
		}
		counts[kind][a.Code]++
		var outcome struct {
			ResourceType string
			Issue        []struct{ Severity, Code, Diagnostics string }
		}
		switch err := json.Unmarshal(a.Body.Bytes(), &outcome); {
		case a.Code < 400 || a.Code >= 500:
			t.Errorf("%s: status %d: %s", what, a.Code, short(a.Body.String()))
		case err != nil || outcome.ResourceType != "OperationOutcome" || len(outcome.Issue) == 0 || outcome.Issue[0].Code == "":
			t.Errorf("%s: status %d without an OperationOutcome: %s", what, a.Code, short(a.Body.String()))
		}
		if t.Failed() {
			if failures++; failures > 500 {
				break // more would say the same
			}
		}
	}
	if after := state(); after != before {
		t.Errorf("the requests changed something:\n%s\n%s", short(before), short(after))
	}
	for _, kind := range kinds {
		t.Logf("%s: %v", kind, counts[kind])
	}
}

// malformed is a request to be.
type malformed struct {
	method, target, body string
	header               http.Header
}

func (m malformed) http() *http.Request {
	r := request(m.method, "/", "", m.body)
	r.URL.Path, r.URL.RawQuery, _ = strings.Cut(m.target, "?")
	r.RequestURI = m.target
	for name, values := range m.header {
		r.Header[name] = values
	}
	return r
}

func request(method, target, media, body string) *http.Request {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	if media != "" {
		r.Header.Set("Content-Type", media)
	}
	return r
}

func answered(handler http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w
}

func short(text string) string {
	if len(text) > 600 {
		return text[:600] + "…"
	}
	return text
}

// wellFormed are resources of which malformed ones are made, and which are stored.
var wellFormed = []string{
	`{"resourceType":"Patient","id":"anna","active":true,"name":[{"family":"Meier","given":["Anna","Maria"]}],"gender":"female","birthDate":"1980-02-29","multipleBirthInteger":2,"generalPractitioner":[{"reference":"Practitioner/p1"}]}`,
	`{"resourceType":"Observation","id":"o1","status":"final","code":{"coding":[{"system":"http://loinc.org","code":"8867-4"}]},"subject":{"reference":"Patient/anna"},"effectiveDateTime":"2024-01-02T03:04:05Z","valueQuantity":{"value":72.50,"unit":"/min","system":"http://unitsofmeasure.org","code":"/min"}}`,
	`{"resourceType":"Condition","id":"c1","subject":{"reference":"Patient/anna"},"code":{"text":"cough"},"onsetDateTime":"2024-01"}`,
	`{"resourceType":"Encounter","id":"e1","status":"finished","class":{"system":"http://terminology.hl7.org/CodeSystem/v3-ActCode","code":"AMB"},"subject":{"reference":"Patient/anna"},"period":{"start":"2024-01-01","end":"2024-01-02"}}`,
	`{"resourceType":"QuestionnaireResponse","id":"q1","status":"completed","item":[{"linkId":"1","answer":[{"valueInteger":2}]}]}`,
	`{"resourceType":"SupplyRequest","id":"s1","status":"active","itemCodeableConcept":{"text":"gloves"},"quantity":{"value":10}}`,
	`{"resourceType":"CodeSystem","id":"cs1","url":"http://example.org/cs","status":"active","content":"complete","concept":[{"code":"a"},{"code":"b"}]}`,
}

// pick returns one of a list.
func pick[T any](random *rand.Rand, list []T) T { return list[random.IntN(len(list))] }

// write returns a request to store a body under an id that is there or that is new.
func write(random *rand.Rand, typ, id, body string) malformed {
	m := malformed{method: http.MethodPost, target: "/" + typ, body: body, header: http.Header{"Content-Type": {"application/fhir+json"}}}
	if random.IntN(2) == 0 {
		m.method, m.target = http.MethodPut, m.target+"/"+id
	}
	if random.IntN(2) == 0 {
		m.target = "/baseR4" + m.target
	}
	return m
}

// sample returns a resource with its type and id.
func sample(random *rand.Rand) (typ, id, text string) {
	text = pick(random, wellFormed)
	var head struct{ ResourceType, ID string }
	if err := json.Unmarshal([]byte(text), &head); err != nil {
		panic(err)
	}
	return head.ResourceType, head.ID, text
}

// insert puts a text behind a random comma between two members of a document, outside of
// strings and arrays.
func insert(random *rand.Rand, text, member string) string {
	var places []int
	depth, inString := "", false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			depth += string(c)
		case c == '}' || c == ']':
			depth = depth[:len(depth)-1]
		case c == ',' && strings.HasSuffix(depth, "{"):
			places = append(places, i+1)
		}
	}
	at := pick(random, places)
	return text[:at] + member + text[at:]
}

// malformations make requests of which each is wrong.
var malformations = map[string]func(*rand.Rand) malformed{
	"a body cut short": func(random *rand.Rand) malformed {
		typ, id, text := sample(random)
		return write(random, typ, id, text[:random.IntN(len(text))])
	},
	"a body that is not JSON": func(random *rand.Rand) malformed {
		typ, id, text := sample(random)
		at := random.IntN(len(text))
		switch random.IntN(7) {
		case 0:
			text = strings.Replace(text, ":", "=", 1)
		case 1:
			text += pick(random, []string{"}", "]", "x", ",", text})
		case 2:
			text = strings.Replace(text, `",`, `",,`, 1)
		case 3:
			text = text[:len(text)-1] + ",}"
		case 4:
			text = text[:at] + string([]byte{0xff, 0xfe, byte(random.IntN(32))}) + text[at:]
		case 5:
			text = "<!-- -->" + text
		case 6:
			text = strings.Replace(text, `{"`, `{'`, 1)
		}
		return write(random, typ, id, text)
	},
	"a body that is no resource": func(random *rand.Rand) malformed {
		typ, id, _ := sample(random)
		return write(random, typ, id, pick(random, []string{
			"", " ", "null", "true", "[]", "{}", "1", `"Patient"`, `{"id":"x"}`, `[{"resourceType":"Patient"}]`,
			`{"resourceType":null}`, `{"resourceType":7}`, `{"resourceType":""}`, `{"resourceType":"patient"}`, `{"resourceType":"Nothing"}`,
			strings.Repeat("[", 5000), strings.Repeat(`{"a":`, 5000), `{"resourceType":"` + strings.Repeat("x", 1+random.IntN(3000)) + `"}`,
		}))
	},
	"an unknown element": func(random *rand.Rand) malformed {
		typ, id, text := sample(random)
		name := fmt.Sprintf("%s%d", pick(random, []string{"colour", "Name", "value", "_x", "", "é", "contained_", "extension "}), random.IntN(1000))
		return write(random, typ, id, insert(random, text, fmt.Sprintf("%q:%s,", name, pick(random, []string{`"x"`, "1", "true", "{}", "[]", "null", `[{"a":1}]`}))))
	},
	"an element twice": func(random *rand.Rand) malformed {
		typ, id, text := sample(random)
		return write(random, typ, id, `{"resourceType":"`+typ+`",`+text[1:])
	},
	"a value of a wrong type": func(random *rand.Rand) malformed {
		typ, id, text := sample(random)
		from, wrong := pick(random, [][]string{
			{`"2024-01-02T03:04:05Z"`},
			{`"2024-01"`},
			{`"final"`},
			{`"finished"`},
			{`"completed"`},
			{`72.50`},
			{`true`},
			{`"1980-02-29"`},
			{`"female"`},
			{`{"reference":"Patient/anna"}`},
			{`"Patient/anna"`},
			{`"active"`},
			{`"complete"`},
			{`[{"valueInteger":2}]`},
			{`{"value":10}`},
		})[0], pick(random, []string{`{"x":1}`, `[7]`, `-1e`, `12e400x`, `"2024-13-01"`, `"not a value\u0000"`, `{}`, `[]`, `null`, `""`, `[null]`, `" "`})
		changed := strings.Replace(text, from, wrong, 1)
		if changed == text {
			changed = insert(random, text, `"meta":`+wrong+`,`)
		}
		return write(random, typ, id, changed)
	},
	"a resource that breaks a rule": func(random *rand.Rand) malformed {
		text := pick(random, []string{
			`{"resourceType":"Observation","status":"final"}`,
			`{"resourceType":"Observation","status":"finished","code":{"text":"x"}}`,
			`{"resourceType":"Observation","status":"final","code":{"text":"x"},"valueString":"a","valueBoolean":true}`,
			`{"resourceType":"Encounter","status":"done","class":{"code":"AMB"}}`,
			`{"resourceType":"Encounter","status":"finished"}`,
			`{"resourceType":"SupplyRequest","status":"active","itemCodeableConcept":{"text":"x"}}`,
			`{"resourceType":"Condition","code":{"text":"x"}}`,
			`{"resourceType":"Patient","gender":"cat"}`,
			`{"resourceType":"Patient","birthDate":"1980-02-30"}`,
			`{"resourceType":"Patient","birthDate":"80"}`,
			`{"resourceType":"Patient","multipleBirthInteger":1.5}`,
			`{"resourceType":"Patient","multipleBirthInteger":1,"multipleBirthBoolean":true}`,
			`{"resourceType":"Patient","name":{"family":"x"}}`,
			`{"resourceType":"Patient","gender":["male"]}`,
			`{"resourceType":"Patient","name":[]}`,
			`{"resourceType":"QuestionnaireResponse","status":"completed","item":[{"linkId":"1","answer":[{"valueInteger":1,"valueString":"1"}]}]}`,
			`{"resourceType":"QuestionnaireResponse","status":"completed","item":[{"text":"no link"}]}`,
			`{"resourceType":"MedicationRequest","status":"active","intent":"order","subject":{"reference":"Patient/anna"}}`,
			`{"resourceType":"Group","type":"people","actual":true}`,
			`{"resourceType":"ValueSet","status":"activ"}`,
			`{"resourceType":"CodeSystem","status":"active","content":"complete","concept":[{"display":"no code"}]}`,
		})
		return write(random, strings.Split(text, `"`)[3], fmt.Sprintf("new%d", random.IntN(100)), strings.Replace(text, "{", fmt.Sprintf(`{"language":"en-%02d",`, random.IntN(100)), 1))
	},
	"a reference that is none": func(random *rand.Rand) malformed {
		reference := pick(random, []string{"Patient/", "/anna", "Patient/" + strings.Repeat("x", 65), "Patient/a b", "patient/anna", "Nothing/1", "Patient/anna/_history/", "Patient/anna/_history/x y", "?", "Patient?", "", "#a b"})
		return write(random, "Observation", fmt.Sprintf("r%d", random.IntN(50)), fmt.Sprintf(`{"resourceType":"Observation","status":"final","code":{"text":"x"},"encounter":{"reference":%q}}`, reference))
	},
	"an id that is none": func(random *rand.Rand) malformed {
		typ, _, text := sample(random)
		id := pick(random, []string{strings.Repeat("a", 65), "a_b", "ä", "a+b", "a,b", "a:b", "x%", "a~"})
		return malformed{method: pick(random, []string{"GET", "PUT", "PATCH"}), target: "/" + typ + "/" + id + pick(random, []string{"", "x", "."}), body: text, header: http.Header{"Content-Type": {"application/fhir+json"}, "If-Match": {`W/"1"`}}}
	},
	"another id in the body": func(random *rand.Rand) malformed {
		typ, id, text := sample(random)
		return malformed{method: "PUT", target: fmt.Sprintf("/%s/%s%d", typ, id, random.IntN(1000)), body: text, header: http.Header{"Content-Type": {"application/fhir+json"}}}
	},
	"a path to nowhere": func(random *rand.Rand) malformed {
		return malformed{method: pick(random, []string{"GET", "POST", "PUT", "DELETE", "PATCH"}), target: pick(random, []string{"/Nothing", "/patient", "/Patient/a/b/c/d", "/Patient/anna/Nothing", "/Patient/anna/$nothing", "/$nothing", "/Patient/$nothing", "/baseR4/baseR4", "/Patient/anna/_history/x", "/Patient/anna/_history/999999999999999999999", "/_nothing", "/Patient/_nothing"}) + pick(random, []string{"", "?a=b"})}
	},
	"a search value": func(random *rand.Rand) malformed {
		query := pick(random, []string{
			"/Patient?birthdate=", "/Patient?birthdate=ge", "/Observation?date=xx", "/Encounter?date=", "/Observation?_lastUpdated=", "/Condition?onset-date=eq",
		}) + url.QueryEscape(pick(random, []string{"yesterday", "2024-1", "2024-13", "20240101", "2024-02-30", "2024-01-01T25:00:00Z", "2024-01-01T", "1e3", "ge", "0000-00-00", "∞"})+pick(random, []string{"", "x", "z9"}))
		if random.IntN(2) == 0 {
			query = "/Observation?value-quantity=" + url.QueryEscape(pick(random, []string{"x", "ge", "1.2.3", "--1", "1e", "5.4|a", "1||a|b", "NaN", "0x10", "+-5"}))
		}
		return malformed{method: "GET", target: query}
	},
	"a search modifier": func(random *rand.Rand) malformed {
		return malformed{method: "GET", target: pick(random, []string{
			"/Patient?name:like=x", "/Patient?gender:below:above=x", "/Patient?birthdate:exact=2020", "/Observation?code:nothing=x", "/Patient?active:missing=perhaps",
			"/Observation?subject:Nothing=1", "/Observation?code:in=http://example.org/none", "/Observation?code:below=http://example.org/none|x", "/Patient?_id:contains=a",
			"/Observation?value-quantity:exact=1", "/Patient?name:=x", "/Observation?patient:Practitioner.name=x", "/Patient?_has:Observation=x", "/Patient?_has:Nothing:patient:code=x", "/Patient?_has:Observation:nothing:code=x",
			"/Observation?code:ecl=<<<<", "/Observation?patient.nothing=x&_=1",
		}) + fmt.Sprintf("&_count=%d", 1+random.IntN(100)), header: http.Header{"Prefer": {"handling=strict"}}}
	},
	"a search control": func(random *rand.Rand) malformed {
		return malformed{method: "GET", target: "/Patient?" + pick(random, []string{
			"_count=-1", "_count=x", "_count=1.5", "_count=99999999999999999999", "_sort=nothing", "_sort=--name", "_sort=", "_summary=perhaps", "_total=perhaps", "_include=x", "_include=Patient:nothing", "_revinclude=Nothing:patient",
			"_include=Patient", "_revinclude=Observation:nothing", "_cursor=x", "_page=zzz", "_elements:x=1", "nothing=1", "Name=x", "_nothing=x", "name%zz=x",
		}) + fmt.Sprintf("&name=x%d", random.IntN(1000)), header: http.Header{"Prefer": {"handling=strict"}}}
	},
	"a patch": func(random *rand.Rand) malformed {
		typ, id, _ := sample(random)
		kind := pick(random, []string{"json", "merge", "fhir", "none"})
		m := malformed{method: "PATCH", target: "/" + typ + "/" + id, header: http.Header{}}
		switch kind {
		case "json":
			m.header.Set("Content-Type", "application/json-patch+json")
			m.body = pick(random, []string{
				"", "{}", "[{}]", "[1]", `[{"op":"replace"}]`, `[{"op":"jump","path":"/a"}]`, `[{"op":"remove","path":"/nothing"}]`, `[{"op":"test","path":"/id","value":"other"}]`,
				`[{"op":"add","path":"nothing","value":1}]`, `[{"op":"add","path":"/nothing","value":1}]`, `[{"op":"replace","path":"/resourceType","value":"Basic"}]`, `[{"op":"replace","path":"/id","value":"b"}]`,
				`[{"op":"move","from":"/nothing","path":"/x"}]`, `[{"op":"copy","from":"/id"}]`, `[{"op":"add","path":"/status/x/y","value":1}]`, `[{"op":"add","path":"/~2","value":1}]`, `[{"op":"remove","path":""}]`, `[`, `[{"op":"add","path":"/contained/-1","value":{}}]`,
			})
		case "merge":
			m.header.Set("Content-Type", "application/merge-patch+json")
			m.body = pick(random, []string{"", "[]", "1", `"x"`, "{", `{"resourceType":"Basic"}`, `{"resourceType":null}`, `{"id":"b"}`, `{"nothing":1}`, `{"status":"nothing","gender":"nothing","code":"nothing","name":1}`, `{"meta":[]}`})
		case "fhir":
			m.header.Set("Content-Type", "application/fhir+json")
			part := func(name, value string) string { return fmt.Sprintf(`{"name":%q,%s}`, name, value) }
			operation := pick(random, []string{
				"", part("type", `"valueCode":"jump"`), part("type", `"valueCode":"delete"`),
				part("type", `"valueCode":"replace"`) + "," + part("path", fmt.Sprintf(`"valueString":%q`, pick(random, []string{"", typ, typ + ".nothing", typ + ".", "(((", typ + ".id +", "1", typ + ".where(", "Nothing.id"}))) + "," + part("value", `"valueString":"x"`),
				part("type", `"valueCode":"move"`) + "," + part("path", `"valueString":"`+typ+`.extension"`),
				part("type", `"valueCode":"add"`) + "," + part("path", `"valueString":"`+typ+`"`) + "," + part("name", `"valueString":"nothing"`) + "," + part("value", `"valueString":"x"`),
			})
			m.body = pick(random, []string{`{"resourceType":"Parameters","parameter":[{"name":"operation","part":[` + operation + `]}]}`, `{"resourceType":"Parameters","parameter":[{"name":"other"}]}`, `{"resourceType":"Basic"}`})
		default:
			m.header.Set("Content-Type", pick(random, []string{"text/plain", "application/json-patch", "a/b/c", ";"}))
			m.body = "[]"
		}
		return m
	},
	"a transaction": func(random *rand.Rand) malformed {
		good := `{"resource":{"resourceType":"Patient","name":[{"family":"Never"}]},"request":{"method":"POST","url":"Patient"}}`
		bad := pick(random, []string{
			"1", "null", "{}", `{"resource":{"resourceType":"Patient"}}`, `{"request":{"method":"POST","url":"Patient"}}`, `{"resource":{"resourceType":"Patient"},"request":{"method":"JUMP","url":"Patient"}}`,
			`{"resource":{"resourceType":"Patient"},"request":{"method":"POST","url":"Observation"}}`, `{"resource":{"resourceType":"Patient"},"request":{"method":"POST","url":""}}`, `{"resource":{"resourceType":"Patient","gender":"cat"},"request":{"method":"POST","url":"Patient"}}`,
			`{"resource":{"resourceType":"Patient","id":"x"},"request":{"method":"PUT","url":"Patient/y"}}`, `{"resource":{"resourceType":"Patient","id":"anna"},"request":{"method":"PUT","url":"Patient/anna","ifMatch":"W/\"99\""}}`,
			`{"resource":{"resourceType":"Observation","status":"final","code":{"text":"x"},"subject":{"reference":"Patient?identifier=nobody"}},"request":{"method":"POST","url":"Observation"}}`,
			`{"resource":{"resourceType":"Observation","status":"final","code":{"text":"x"},"subject":{"reference":"Patient?birthdate=nonsense"}},"request":{"method":"POST","url":"Observation"}}`,
			`{"request":{"method":"DELETE","url":"Patient/a b"}}`, `{"request":{"method":"GET","url":"Patient?birthdate=nonsense"}}`, `{"resource":{"resourceType":"Patient","nothing":1},"request":{"method":"POST","url":"Patient"}}`,
			`{"resource":{"resourceType":"Patient","id":"twice"},"request":{"method":"PUT","url":"Patient/twice"}},{"resource":{"resourceType":"Patient","id":"twice","active":true},"request":{"method":"PUT","url":"Patient/twice"}}`,
			`{"request":{"method":"PATCH","url":"Patient/anna"}}`, `{"resource":{"resourceType":"Patient"},"request":{"method":"POST","url":"../Patient"}}`, `{"resource":{"resourceType":"Patient"},"request":{"method":"POST","url":"Patient","ifNoneExist":"birthdate=nonsense"}}`,
		})
		entries := []string{good, bad}
		if random.IntN(2) == 0 {
			slices.Reverse(entries)
		}
		body := `{"resourceType":"Bundle","type":"transaction","entry":[` + strings.Join(entries, ",") + `]}`
		if random.IntN(8) == 0 {
			body = pick(random, []string{`{"resourceType":"Bundle"}`, `{"resourceType":"Bundle","type":"collection","entry":[` + good + `]}`, `{"resourceType":"Bundle","type":"transaction","entry":{}}`, `{"resourceType":"Bundle","type":7}`, `{"resourceType":"Patient"}`, body[:len(body)-3]})
		}
		return malformed{method: "POST", target: pick(random, []string{"/", "/baseR4", "/baseR4/"}), body: body, header: http.Header{"Content-Type": {"application/fhir+json"}}}
	},
	"a condition": func(random *rand.Rand) malformed {
		typ, id, text := sample(random)
		m := malformed{method: "PUT", target: "/" + typ + "/" + id, body: strings.Replace(text, `"id"`, `"language":"de","id"`, 1), header: http.Header{"Content-Type": {"application/fhir+json"}}}
		switch random.IntN(5) {
		case 0:
			m.header.Set("If-Match", pick(random, []string{"x", `W/"x"`, `W/"0"`, `W/"99"`, `"1`, `W/"1", W/"2"x`, `W/""`, "1.5"}))
		case 1:
			m.method, m.target, m.body = "POST", "/"+typ, text
			m.header.Set("If-None-Exist", pick(random, []string{"_lastUpdated=nonsense", "_id:nothing=x", "nothing=1", "%zz", "_lastUpdated=", "=", "&"}))
		case 2:
			m.target = "/" + typ + pick(random, []string{"?_lastUpdated=nonsense", "?nothing=1", "", "?", "?_count=1", "?_sort=_id"})
		case 3:
			m.method, m.target, m.body = "DELETE", "/"+typ+pick(random, []string{"?_lastUpdated=nonsense", "?nothing=1", "", "?"}), ""
		case 4:
			m.method, m.target, m.body = "PATCH", "/"+typ+pick(random, []string{"?_lastUpdated=nonsense", "?_id=nobody", "?nothing=1"}), `[]`
			m.header.Set("Content-Type", "application/json-patch+json")
		}
		return m
	},
	"XML": func(random *rand.Rand) malformed {
		typ, id, _ := sample(random)
		body := pick(random, []string{
			"<", "<" + typ, "<" + typ + "/>", "<" + typ + ` xmlns="http://hl7.org/fhir"><nothing value="1"/></` + typ + ">",
			`<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><` + typ + ` xmlns="http://hl7.org/fhir"><id value="&b;"/></` + typ + ">",
			"<" + typ + ` xmlns="urn:hl7-org:v3"/>`, "<" + typ + ` xmlns="http://hl7.org/fhir"><id value="` + id + `"/><id value="` + id + `"/></` + typ + ">",
			strings.Repeat("<a>", 10_000), "<a" + strings.Repeat(` b="c"`, 10_000) + "/>",
		})
		return malformed{method: "PUT", target: "/" + typ + "/" + id, body: body, header: http.Header{"Content-Type": {"application/fhir+xml"}, "Accept": {"application/fhir+json"}}}
	},
	"a media type": func(random *rand.Rand) malformed {
		typ, id, text := sample(random)
		m := malformed{method: "PUT", target: "/" + typ + "/" + id, body: strings.Replace(text, `"id"`, `"language":"de","id"`, 1), header: http.Header{"Content-Type": {"application/fhir+json"}}}
		if random.IntN(2) == 0 {
			m.header.Set("Content-Type", pick(random, []string{"text/html", "text/turtle", "image/png", "application/fhir+json; fhirVersion=5.0", "x", "multipart/form-data"}))
		} else {
			m.header.Set("Accept", pick(random, []string{"text/html", "text/turtle", "image/*", "application/fhir+xml; fhirVersion=5.0", "application/fhir+json; fhirVersion=5.0"}))
			m.method, m.body = "GET", ""
		}
		return m
	},
}
