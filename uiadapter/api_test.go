package uiadapter

import (
	"net/http"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// apiExample is an OpenAPI document with the forms of parameters that there are, and with texts that
// would do harm in a page that trusted them.
const apiExample = `{"openapi":"3.1.0",
"tags":[{"name":"Server","description":"About it."},{"name":"Patient","description":"<script>alert(1)</script>"}],
"paths":{
"/metadata":{"get":{"operationId":"a","tags":["Server"],"summary":"Read what it can do","parameters":[{"name":"mode","in":"query","schema":{"enum":["full","terminology"]}}],"responses":{"200":{},"400":{}}}},
"/Patient/{id}":{"parameters":[{"$ref":"#/components/parameters/id"}],
"get":{"operationId":"b","tags":["Patient"],"summary":"Read a Patient","responses":{"200":{}}},
"put":{"operationId":"c","tags":["Patient"],"summary":"Update <b>a</b> Patient","externalDocs":{"url":"javascript:alert(1)"},"parameters":[{"name":"tags","in":"query","schema":{"type":"array","items":{"type":"string"}}}],"requestBody":{"$ref":"#/components/requestBodies/Patient"},"responses":{"200":{}}}}},
"components":{"parameters":{"id":{"name":"id","in":"path","required":true,"description":"The id of the resource.","schema":{"$ref":"#/components/schemas/id"}}}}}`

// apiServer serves apiExample as the document of R4 only.
func apiServer(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/openapi.json" {
		http.NotFound(w, r)
		return
	}
	_, _ = w.Write([]byte(apiExample)) // the response is in memory
}

// TestAPI checks which requests the page shows, and how. The document of R5 is not there, which is an error.
func TestAPI(t *testing.T) {
	h := newTestHandler(t, func(c *Config) { c.FHIR = http.HandlerFunc(apiServer) })
	for _, row := range []struct {
		query  string
		status int
		want   string // the summaries of the requests
		texts  []string
	}{
		{"", 200, "GET /metadata Read what it can do", []string{"1 requests", "full | terminology", "200, 400"}},
		{
			"?tag=Patient", 200, "GET /Patient/{id} Read a Patient\nPUT /Patient/{id} Update <b>a</b> Patient",
			[]string{"2 requests", "id required", "The id of the resource.", "string …", "<script>alert(1)</script>"},
		},
		{"?tag=Patient&q=put+update", 200, "PUT /Patient/{id} Update <b>a</b> Patient", nil},
		{"?q=read", 200, "GET /metadata Read what it can do\nGET /Patient/{id} Read a Patient", nil},
		{"?tag=&q=", 200, "GET /metadata Read what it can do\nGET /Patient/{id} Read a Patient\nPUT /Patient/{id} Update <b>a</b> Patient", nil},
		{"?q=nothing", 200, "", []string{"No request has these words."}},
		{"?tag=Nothing", 200, "", []string{"No request has these words."}},
		{"?version=R5", 404, "", nil},
	} {
		w := get(t, h, "/ui/api"+row.query)
		if w.Code != row.status {
			t.Errorf("%q: status %d: %s", row.query, w.Code, w.Body)
			continue
		}
		checkPage(t, h, w.Body.String())
		root, err := html.Parse(strings.NewReader(w.Body.String()))
		if err != nil {
			t.Fatal(err)
		}
		var shown []string
		for n := range root.Descendants() {
			if n.Data == "summary" && attribute(n.Parent, "class") == "request" {
				shown = append(shown, words(n))
			}
		}
		if got := strings.Join(shown, "\n"); got != row.want {
			t.Errorf("%q shows\n%s\nwant\n%s", row.query, got, row.want)
		}
		page := words(root)
		for _, text := range row.texts {
			if !strings.Contains(page, text) {
				t.Errorf("%q does not show %q: %s", row.query, text, page)
			}
		}
	}
}

// TestAPIShowsNotAll checks that a page is bounded, and says so.
func TestAPIShowsNotAll(t *testing.T) {
	many := &apiGroup{Name: "Many"}
	for range mostRequests + 1 {
		many.Requests = append(many.Requests, new(apiRequest))
	}
	d := apiData{Groups: []*apiGroup{many, {Name: "More", Requests: many.Requests}}}
	d.find()
	if d.Total != 2*mostRequests+2 || d.Shown != mostRequests || len(d.Found) != 1 || len(d.Found[0].Requests) != mostRequests {
		t.Errorf("%d of %d in %d groups", d.Shown, d.Total, len(d.Found))
	}
}

// words returns the text of a node, with one space between words.
func words(n *html.Node) string {
	var b strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
