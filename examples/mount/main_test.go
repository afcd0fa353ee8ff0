package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
)

// client sends requests to the proxy.
type client struct {
	t     *testing.T
	front *httptest.Server
	base  string // of the FHIR service, as clients see it
}

// behindProxy starts the program and a proxy in front of it, with TLS and another host.
func behindProxy(t *testing.T) *client {
	t.Helper()
	var back *httptest.Server
	front := httptest.NewTLSServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		target, _ := url.Parse(back.URL)
		r.SetURL(target)
		r.SetXForwarded()
	}})
	t.Cleanup(front.Close)
	base := front.URL + "/fhir"
	handler, err := service(base)
	if err != nil {
		t.Fatal(err)
	}
	back = httptest.NewServer(handler)
	t.Cleanup(back.Close)
	return &client{t, front, base}
}

// send returns an answer and the parts of its body that have links.
func (c *client) send(method, url, body string) (*http.Response, string) {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/fhir+json")
	r.Header.Set("X-Forwarded-Host", "elsewhere.example") // which a client may claim
	answer, err := c.front.Client().Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	if answer.StatusCode >= 300 {
		c.t.Fatalf("%s %s: %s: %s", method, url, answer.Status, text)
	}
	return answer, string(text)
}

// page is a page of a search.
type page struct {
	Link  []struct{ Relation, URL string }
	Entry []struct{ FullURL string }
}

func (p *page) link(relation string) string {
	for _, l := range p.Link {
		if l.Relation == relation {
			return l.URL
		}
	}
	return ""
}

func (c *client) search(url string) (p page) {
	c.t.Helper()
	_, text := c.send("GET", url, "")
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		c.t.Fatal(err)
	}
	return p
}

// Every link leads back through the proxy.
func TestLinks(t *testing.T) {
	c := behindProxy(t)
	for _, name := range []string{"Meier", "Schulz", "Huber"} {
		created, _ := c.send("POST", c.base+"/Patient", `{"resourceType": "Patient", "name": [{"family": "`+name+`"}]}`)
		location := created.Header.Get("Location")
		if !strings.HasPrefix(location, c.base+"/Patient/") {
			t.Errorf("Location is %s", location)
		}
		if _, text := c.send("GET", location, ""); !strings.Contains(text, name) {
			t.Errorf("%s has no %s: %s", location, name, text)
		}
	}
	found, at := 0, c.base+"/Patient?_count=1&_sort=name"
	for ; at != "" && found < 10; found++ {
		p := c.search(at)
		if len(p.Entry) != 1 || !strings.HasPrefix(p.Entry[0].FullURL, c.base+"/Patient/") || !strings.HasPrefix(p.link("self"), c.base+"/Patient?") {
			t.Fatalf("%s has %+v", at, p)
		}
		at = p.link("next")
	}
	if found != 3 {
		t.Errorf("%d pages, want 3", found)
	}
	if _, text := c.send("GET", c.base+"/metadata", ""); !strings.Contains(text, `"url":"`+c.base+`"`) || strings.Contains(text, "elsewhere") {
		t.Error("metadata names another address")
	}
}

// Absolute urls of the service are its own in a transaction, too.
func TestTransaction(t *testing.T) {
	c := behindProxy(t)
	c.send("POST", c.base, `{"resourceType": "Bundle", "type": "transaction", "entry": [
		{"request": {"method": "PUT", "url": "`+c.base+`/Patient/anna"}, "resource": {"resourceType": "Patient", "id": "anna"}}]}`)
	c.send("GET", c.base+"/Patient/anna", "")
	if _, text := c.send("GET", c.front.URL+"/", ""); !strings.Contains(text, c.base) {
		t.Errorf("the first page says %s", text)
	}
}
