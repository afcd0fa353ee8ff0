package httpadapter

import (
	"strings"
	"testing"
)

// TestBinaryContent sends and receives the content of a Binary as it is.
func TestBinaryContent(t *testing.T) {
	c := clinic(t)
	content := "\x00\x01<script>\xff"
	r := c.do("POST", "/Binary", content, "Content-Type", "text/html; charset=latin1", "X-Security-Context", "Patient/peter")
	doc := r.want(t, 201)
	if doc["contentType"] != "text/html; charset=latin1" || at(doc, "securityContext", "reference") != "Patient/peter" || doc["data"] != "AAE8c2NyaXB0Pv8=" {
		t.Fatalf("%v", doc)
	}
	path := "/Binary/" + doc["id"].(string)
	for accept, raw := range map[string]bool{
		"": false, "application/fhir+json": false, "application/xml, */*": false, "application/json;q=0.9": false,
		"*/*": true, "text/html,application/xml;q=0.9": true, "image/png": true,
	} {
		for _, at := range []string{path, path + "/_history/1"} {
			r := c.do("GET", at, "", "Accept", accept)
			if is := r.body == content; is != raw || r.status != 200 || !strings.Contains(r.header.Get("Vary"), "Accept") {
				t.Errorf("%s with %q: %d %q", at, accept, r.status, r.body)
			}
			if raw && (r.header.Get("Content-Type") != "text/html; charset=latin1" || r.header.Get("X-Content-Type-Options") != "nosniff" || r.header.Get("Content-Security-Policy") != "default-src 'none'; sandbox" ||
				!strings.HasPrefix(r.header.Get("Content-Disposition"), "attachment") || r.header.Get("Etag") != `W/"1"` || r.header.Get("X-Security-Context") != "Patient/peter") {
				t.Errorf("%s with %q: %v", at, accept, r.header)
			}
		}
	}
	if r := c.do("GET", path, "", "Accept", "*/*", "If-None-Match", `W/"1"`); r.status != 304 || r.body != "" {
		t.Errorf("not modified: %d", r.status)
	}
	if r := c.do("HEAD", path, "", "Accept", "*/*"); r.status != 200 || r.header.Get("Content-Length") != "11" {
		t.Errorf("HEAD: %d %v", r.status, r.header)
	}
	if doc := c.do("GET", path+"?_format=json", "", "Accept", "*/*").want(t, 200); doc["resourceType"] != "Binary" {
		t.Errorf("_format: %v", doc)
	}
	c.do("PUT", "/Binary/form", "a=b", "Content-Type", mediaForm).want(t, 201)
	if r := c.do("GET", "/Binary/form", "", "Accept", "*/*"); r.body != "a=b" || r.header.Get("Content-Type") != mediaForm {
		t.Errorf("form: %q %v", r.body, r.header)
	}
	c.do("PUT", "/Binary/empty", "", "Content-Type", "text/plain").want(t, 201)
	if r := c.do("GET", "/Binary/empty", "", "Accept", "*/*"); r.status != 200 || r.body != "" {
		t.Errorf("empty: %d %q", r.status, r.body)
	}
	c.do("PUT", "/Binary/odd", `{"resourceType":"Binary","id":"odd","contentType":"a\\b","data":"AA =="}`)
	if r := c.do("GET", "/Binary/odd", "", "Accept", "*/*"); r.status == 200 && r.header.Get("Content-Type") != "application/octet-stream" {
		t.Errorf("odd type: %v", r.header)
	}
	c.do("POST", "/Patient", "x", "Content-Type", "image/png").wantIssue(t, 415, "not-supported")
	c.do("GET", "/Patient/peter", "", "Accept", "image/png").wantIssue(t, 406, "not-supported")
	c.do("GET", "/Binary/nobody", "", "Accept", "image/png").wantIssue(t, 404, "not-found")
	if doc := c.do("POST", "/Binary", `{"resourceType":"Binary","contentType":"a/b"}`).want(t, 201); doc["contentType"] != "a/b" {
		t.Errorf("a Binary in JSON: %v", doc)
	}
}
