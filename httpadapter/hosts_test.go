package httpadapter

import (
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"
)

func TestHostsAccept(t *testing.T) {
	loopback, private, any := LoopbackHosts(), Hosts{Private: true}, Hosts{Names: []string{"*"}}
	named := Hosts{Names: []string{"tx.example", "*.hospital.example"}}
	for _, tt := range []struct {
		host   string
		yes    []Hosts
		absent []Hosts
	}{
		{"localhost:8080", []Hosts{loopback, private, any}, []Hosts{named}},
		{"LOCALHOST", []Hosts{loopback, private, any}, []Hosts{named}},
		{"localhost.:8080", []Hosts{loopback, private, any}, []Hosts{named}},
		{"127.0.0.1:8080", []Hosts{loopback, private, any}, []Hosts{named}},
		{"[::1]:8080", []Hosts{loopback, private, any}, []Hosts{named}},
		{"0.0.0.0:8080", []Hosts{private, any}, []Hosts{loopback, named}}, // of pages that try it instead of 127.0.0.1
		{"192.0.2.7", []Hosts{private, any}, []Hosts{loopback, named}},
		{"roget:8080", []Hosts{private, any}, []Hosts{loopback, named}},
		{"roget.default.svc.cluster.local", []Hosts{private, any}, []Hosts{loopback, named}},
		{"Printer.LOCAL", []Hosts{private, any}, []Hosts{loopback, named}},
		{"evil.example:8080", []Hosts{any}, []Hosts{loopback, private, named}},
		{"127.0.0.1.evil.example", []Hosts{any}, []Hosts{loopback, private, named}},
		{"localhost.evil.example", []Hosts{any}, []Hosts{loopback, private, named}},
		{"evil.example/.local", nil, []Hosts{loopback, private, any, named}},
		{"tx.example", []Hosts{named, any}, []Hosts{loopback, private}},
		{"a.hospital.example:443", []Hosts{named, any}, []Hosts{loopback, private}},
		{"hospital.example", []Hosts{any}, []Hosts{loopback, private, named}},
		{"evilhospital.example", []Hosts{any}, []Hosts{loopback, private, named}},
		{"", []Hosts{loopback, private, any, named}, nil},
	} {
		for _, hosts := range tt.yes {
			if !hosts.Accept(tt.host) {
				t.Errorf("%+v does not accept %q", hosts, tt.host)
			}
		}
		for _, hosts := range tt.absent {
			if hosts.Accept(tt.host) {
				t.Errorf("%+v accepts %q", hosts, tt.host)
			}
		}
	}
}

// TestRebinding sends what the browser of a page at a rebound name sends.
func TestRebinding(t *testing.T) {
	hosts := LoopbackHosts()
	c := newClient(t, func(c *Config) { c.Hosts, c.BaseURL = &hosts, "https://tx.example/fhir" })
	for target, want := range map[string]int{
		"http://evil.example:8080/ValueSet": http.StatusMisdirectedRequest, "http://evil.example/metadata": http.StatusMisdirectedRequest,
		"http://localhost:8080/ValueSet": http.StatusOK, "http://[::1]/ValueSet": http.StatusOK, "http://TX.example:444/ValueSet": http.StatusOK,
		"http://evil.example/healthz": http.StatusOK, "http://evil.example/readyz": http.StatusOK,
	} {
		got := c.do(http.MethodGet, target, "")
		if got.status != want {
			t.Errorf("%s: %d, want %d: %s", target, got.status, want, got.body)
		}
		if want == http.StatusMisdirectedRequest && (!strings.Contains(got.body, "--host NAME") || !strings.Contains(got.body, "OperationOutcome")) {
			t.Errorf("%s: %s", target, got.body)
		}
	}
}

// TestForwardedHosts requires that the host that a proxy reports must be one of the server, and that
// nobody else names one.
func TestForwardedHosts(t *testing.T) {
	hosts := Hosts{Names: []string{"tx.example", "inner.example"}}
	trusting := newClient(t, func(c *Config) {
		c.Hosts, c.TrustedProxies = &hosts, []netip.Prefix{netip.MustParsePrefix("192.0.2.1/32")} // of httptest
	})
	direct := newClient(t, func(c *Config) { c.Hosts = &hosts })
	for _, tt := range []struct {
		c               *client
		host, forwarded string
		want            int
	}{
		{trusting, "inner.example", "tx.example", http.StatusOK},
		{trusting, "10.0.0.9", "tx.example", http.StatusOK},
		{trusting, "inner.example", "evil.example", http.StatusMisdirectedRequest},
		{trusting, "inner.example", "", http.StatusOK},
		{trusting, "evil.example", "", http.StatusMisdirectedRequest},
		{trusting, "evil.example", "evil/x", http.StatusMisdirectedRequest}, // no host
		{direct, "evil.example", "tx.example", http.StatusMisdirectedRequest},
		{direct, "tx.example", "evil.example", http.StatusOK},
	} {
		if got := tt.c.do(http.MethodGet, "http://"+tt.host+"/ValueSet", "", "X-Forwarded-For", "203.0.113.9", "X-Forwarded-Host", tt.forwarded); got.status != tt.want {
			t.Errorf("%s, forwarded %s: %d, want %d", tt.host, tt.forwarded, got.status, tt.want)
		}
	}
}

func TestValidHost(t *testing.T) {
	for name, want := range map[string]bool{
		"*": true, "tx.example": true, "*.tx.example": true, "::1": true, "127.0.0.1": true, "localhost": true,
		"": false, "*.": false, "tx.example:80": false, "https://tx.example": false, "a.*.example": false, "*example": false, "[::1]": false, "a b": false, "**": false,
	} {
		if got := ValidHost(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}

// TestSecretsInAddresses requires that the log has no secret of an address, however it is written.
func TestSecretsInAddresses(t *testing.T) {
	for target, want := range map[string]string{
		"/Patient":                              "/Patient",
		"/Patient?":                             "/Patient?",
		"/Patient?name=x":                       "/Patient?name=x",
		"/Patient?access_token=S3":              "/Patient?access_token=REDACTED",
		"/Patient?a=1&access_token=S3&b=2":      "/Patient?a=1&access_token=REDACTED&b=2",
		"/Patient?a=1;id_token=S3;b=2":          "/Patient?a=1;id_token=REDACTED;b=2",
		"/Patient?ACCESS_token=S3":              "/Patient?ACCESS_token=REDACTED",
		"/Patient?%61ccess_token=S3":            "/Patient?%61ccess_token=REDACTED",
		"/Patient?cache-id=S3&refresh_token=S3": "/Patient?cache-id=REDACTED&refresh_token=REDACTED",
		"/Patient?%zz=S3":                       "/Patient?%zz=REDACTED",
		"/Patient?access_token":                 "/Patient?access_token",
		"/Patient?access_token=":                "/Patient?access_token=REDACTED",
		"/Patient?my_access_token=x":            "/Patient?my_access_token=x",
		"/ui/callback?code=S3&state=S3":         "/ui/callback?code=REDACTED&state=REDACTED",
		"/ui/concept?code=x":                    "/ui/concept?code=x",
	} {
		u, err := url.ParseRequestURI(target)
		if err != nil {
			t.Fatal(err)
		}
		if got := withoutSecrets(u); got != want {
			t.Errorf("%s: %s, want %s", target, got, want)
		}
		if got, want := tokenIn(u.RawQuery), strings.Contains(strings.ToLower(strings.ReplaceAll(target, "%61", "a")), "?access_token") || strings.Contains(target, "&access_token"); got != want {
			t.Errorf("%s: a token is in it: %v", target, got)
		}
	}
}

// TestForeignPages sends what pages of other origins can send without asking.
func TestForeignPages(t *testing.T) {
	c := newClient(t, func(c *Config) { c.CORSOrigins, c.BaseURL = []string{"https://app.example"}, "https://tx.example/fhir" })
	for _, tt := range []struct {
		method string
		status int
		header []string
	}{
		{http.MethodPost, http.StatusForbidden, []string{"Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site"}},
		{http.MethodPost, http.StatusForbidden, []string{"Origin", "https://evil.example"}},
		{http.MethodPost, http.StatusForbidden, []string{"Origin", "null"}},
		{http.MethodPost, http.StatusForbidden, []string{"Sec-Fetch-Site", "same-site"}},
		{http.MethodDelete, http.StatusForbidden, []string{"Origin", "http://example.com.evil.example"}},
		{http.MethodPost, http.StatusOK, nil},
		{http.MethodPost, http.StatusOK, []string{"Origin", "https://app.example", "Sec-Fetch-Site", "cross-site"}},
		{http.MethodPost, http.StatusOK, []string{"Origin", "https://tx.example"}},
		{http.MethodPost, http.StatusOK, []string{"Origin", "http://example.com"}}, // the Host of httptest
		{http.MethodPost, http.StatusOK, []string{"Sec-Fetch-Site", "same-origin"}},
		{http.MethodGet, http.StatusOK, []string{"Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site"}},
	} {
		target, body := "/ValueSet/_search", "_id=pets"
		if tt.method == http.MethodGet {
			target, body = "/ValueSet?_id=pets", ""
		}
		header := append([]string{"Content-Type", "application/x-www-form-urlencoded"}, tt.header...)
		if got := c.do(tt.method, target, body, header...); got.status != tt.status {
			t.Errorf("%s %v: %d, want %d: %s", tt.method, tt.header, got.status, tt.status, got.body)
		}
	}
}

// TestPublicURL sends requests as proxies do that remove the path of the public URL, and as proxies
// do that leave it, and requires the same answers.
func TestPublicURL(t *testing.T) {
	c := newClient(t, func(c *Config) { c.BaseURL = "https://tx.example/fhir/" })
	for _, reference := range []string{"https://tx.example/fhir/Patient/p", "https://tx.example/fhir/baseR4/Patient/p", "Patient/p"} {
		id := "c" + strings.ReplaceAll(strings.TrimPrefix(reference, "https://"), "/", "-")
		body := `{"resourceType":"Condition","id":"` + id + `","subject":{"reference":"` + reference + `"}}`
		if got := c.do(http.MethodPut, "/Condition/"+id, body, "Content-Type", mediaFHIR); got.status != http.StatusCreated || got.header.Get("Location") != "https://tx.example/fhir/Condition/"+id+"/_history/1" {
			t.Fatalf("%d %v %s", got.status, got.header, got.body)
		}
	}
	c.do(http.MethodPut, "/Patient/p", `{"resourceType":"Patient","id":"p","active":true}`, "Content-Type", mediaFHIR)
	for _, tt := range []struct{ target, want string }{
		{"/Condition?subject=Patient/p&_total=accurate", `"total":3`},
		{"/Condition?subject=https://tx.example/fhir/Patient/p&_total=accurate", `"total":3`},
		{"/Condition?subject:Patient.active=true&_total=accurate", `"total":3`},
		{"/Patient?_has:Condition:subject:_id=ctx.example-fhir-Patient-p&_total=accurate", `"total":1`},
		{"/Condition?_count=1", `"url":"https://tx.example/fhir/Condition?`},
		{"/Patient/p/$everything", `"fullUrl":"https://tx.example/fhir/Condition/`},
		{"/Patient/p/Condition?_total=accurate", `"url":"https://tx.example/fhir/Patient/p/Condition`},
		{"/baseR4/ValueSet/pets/_history", `"fullUrl":"https://tx.example/fhir/baseR4/ValueSet/pets"`},
		{"/metadata", `"implementation":{"description":"Roget FHIR server","url":"https://tx.example/fhir"}`},
		{"/r5/metadata", `https://tx.example/fhir/r5`},
		{"/OperationDefinition/CodeSystem-lookup", `https://tx.example/fhir/`},
		{"/", `"OperationOutcome"`},
	} {
		removed, left := c.do(http.MethodGet, tt.target, ""), c.do(http.MethodGet, "/fhir"+tt.target, "")
		if !strings.Contains(removed.body, tt.want) {
			t.Errorf("%s: no %s in %s", tt.target, tt.want, removed.body)
		}
		if removed.body != left.body && !strings.Contains(removed.body, "/fhir/Condition?") || removed.status != left.status {
			t.Errorf("%s: %d with the path and %d without:\n%s\n%s", tt.target, left.status, removed.status, left.body, removed.body)
		}
	}
	batch := `{"resourceType":"Bundle","type":"batch","entry":[{"request":{"method":"GET","url":"https://tx.example/fhir/Patient/p"}}]}`
	for _, target := range []string{"/", "/fhir", "/fhir/"} {
		if got := c.do(http.MethodPost, target, batch, "Content-Type", mediaFHIR); !strings.Contains(got.body, `"status":"200 OK"`) {
			t.Errorf("POST %s: %s", target, got.body)
		}
	}
	if got := c.do(http.MethodGet, "/fhirx/ValueSet", ""); got.status != http.StatusNotFound {
		t.Errorf("/fhirx: %d", got.status)
	}
}

func TestPublicURLsRefused(t *testing.T) {
	for _, text := range []string{
		"tx.example", "//tx.example", "ftp://tx.example", "https://", "https://u:p@tx.example", "https://tx.example/?x", "https://tx.example/#x",
		"https://tx.example/a/../b", "https://tx.example/a b", "https://tx.example/r4", "https://tx.example/r5/x", "https://tx.example/metadata",
		"https://tx.example/Patient", "https://tx.example/a%2fb", "https://tx exam/", "https://tx.example:0/", "https://tx.example:99999/",
	} {
		if got, err := parsePublicURL(text); err == nil {
			t.Errorf("%q is accepted as %+v", text, got)
		}
	}
	for text, want := range map[string]string{
		"https://tx.example": "https://tx.example", "http://[::1]:8080/": "http://[::1]:8080", "https://h.example/a/b/": "https://h.example/a/b",
	} {
		if got, err := parsePublicURL(text); err != nil || got.text != want {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
}

func TestCheckOrigin(t *testing.T) {
	for _, origin := range []string{"*", "https://app.example", "http://localhost:3000", "http://[::1]:3000", "capacitor://localhost"} {
		if err := CheckOrigin(origin); err != nil {
			t.Error(err)
		}
	}
	for _, origin := range []string{
		"", "foo", "app.example", "null", "https://app.example/", "https://app.example/x", "https://*.example", "https://App.example", "https://u@app.example",
		"https://app.example?", "https://", "https://a b", "//app.example",
	} {
		if CheckOrigin(origin) == nil {
			t.Errorf("%q is accepted", origin)
		}
	}
}
