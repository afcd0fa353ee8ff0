package httpadapter

import (
	"context"
	"crypto/tls"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
)

// proxies are the trusted networks of these tests.
func proxies() []netip.Prefix {
	return []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}
}

// TestClientAddr compares the client with what a person who reads the headers would say.
func TestClientAddr(t *testing.T) {
	for _, tt := range []struct {
		name, peer string
		forwarded  bool
		headers    []string // name and value
		client     string
	}{
		{"no proxy", "192.0.2.1:5000", false, []string{"X-Forwarded-For", "203.0.113.9"}, "192.0.2.1"},
		{"one proxy", "10.0.0.1:5000", false, []string{"X-Forwarded-For", "203.0.113.9"}, "203.0.113.9"},
		{"no header", "10.0.0.1:5000", false, nil, "10.0.0.1"},
		{"two proxies", "10.0.0.1:5000", false, []string{"X-Forwarded-For", "203.0.113.9, 10.0.0.2"}, "203.0.113.9"},
		{"forged on the left", "10.0.0.1:5000", false, []string{"X-Forwarded-For", "127.0.0.1, 203.0.113.9"}, "203.0.113.9"},
		{"forged trusted on the left", "10.0.0.1:5000", false, []string{"X-Forwarded-For", "10.9.9.9, 203.0.113.9"}, "203.0.113.9"},
		{"several lines", "10.0.0.1:5000", false, []string{"X-Forwarded-For", "198.51.100.7", "X-Forwarded-For", "203.0.113.9"}, "203.0.113.9"},
		{"only proxies", "10.0.0.1:5000", false, []string{"X-Forwarded-For", "10.0.0.3,10.0.0.2"}, "10.0.0.3"},
		{"with port", "10.0.0.1:5000", false, []string{"X-Forwarded-For", "203.0.113.9:4711"}, "203.0.113.9"},
		{"IPv6", "[fd00::1]:5000", false, []string{"X-Forwarded-For", "2001:db8::7"}, "2001:db8::7"},
		{"IPv6 with port", "[fd00::1]:5000", false, []string{"X-Forwarded-For", "[2001:db8::7]:4711"}, "2001:db8::7"},
		{"mapped peer", "[::ffff:10.0.0.1]:5000", false, []string{"X-Forwarded-For", "::ffff:203.0.113.9"}, "203.0.113.9"},
		{"malformed", "10.0.0.1:5000", false, []string{"X-Forwarded-For", "203.0.113.9, nonsense"}, "10.0.0.1"},
		{"malformed behind one", "10.0.0.1:5000", false, []string{"X-Forwarded-For", "203.0.113.9,,10.0.0.2"}, "10.0.0.2"},
		{"malformed left of the client", "10.0.0.1:5000", false, []string{"X-Forwarded-For", "<script>, 203.0.113.9"}, "203.0.113.9"},
		{"the other header", "10.0.0.1:5000", false, []string{"Forwarded", "for=203.0.113.9"}, "10.0.0.1"},

		{"Forwarded", "10.0.0.1:5000", true, []string{"Forwarded", "for=203.0.113.9;proto=https;by=10.0.0.1"}, "203.0.113.9"},
		{"Forwarded, quoted", "10.0.0.1:5000", true, []string{"Forwarded", `For="[2001:db8:cafe::17]:4711"`}, "2001:db8:cafe::17"},
		{"Forwarded, two proxies", "10.0.0.1:5000", true, []string{"Forwarded", "for=192.0.2.60, for=203.0.113.9 , for=10.0.0.2"}, "203.0.113.9"},
		{"Forwarded, comma in quotes", "10.0.0.1:5000", true, []string{"Forwarded", `for=203.0.113.9;ext="a, for=10.0.0.4"`}, "203.0.113.9"},
		{"Forwarded, hidden", "10.0.0.1:5000", true, []string{"Forwarded", "for=198.51.100.7, for=_hidden"}, "10.0.0.1"},
		{"Forwarded, unknown", "10.0.0.1:5000", true, []string{"Forwarded", "for=unknown"}, "10.0.0.1"},
		{"Forwarded, open quote of the client", "10.0.0.1:5000", true, []string{"Forwarded", `for="198.51.100.7, for=203.0.113.9`}, "10.0.0.1"},
		{"Forwarded, malformed line before", "10.0.0.1:5000", true, []string{"Forwarded", `"`, "Forwarded", "for=203.0.113.9"}, "203.0.113.9"},
		{"Forwarded, malformed line behind", "10.0.0.1:5000", true, []string{"Forwarded", "for=203.0.113.9", "Forwarded", `"`}, "10.0.0.1"},
		{"Forwarded, no value behind", "10.0.0.1:5000", true, []string{"Forwarded", "for=203.0.113.9", "Forwarded", "for=10.0.0.2;proto"}, "10.0.0.1"},
		{"Forwarded, value in two parts", "10.0.0.1:5000", true, []string{"Forwarded", "for=203.0.113.9", "Forwarded", "for=10.0.0.2 x"}, "10.0.0.1"},
		{"Forwarded, no token", "10.0.0.1:5000", true, []string{"Forwarded", "for=203.0.113.9", "Forwarded", "f@r=10.0.0.2"}, "10.0.0.1"},
		{"Forwarded, empty value", "10.0.0.1:5000", true, []string{"Forwarded", "for=203.0.113.9", "Forwarded", "for="}, "10.0.0.1"},
		{"Forwarded, escape at the end", "10.0.0.1:5000", true, []string{"Forwarded", "for=203.0.113.9", "Forwarded", `for="10.0.0.2\`}, "10.0.0.1"},
		{"brackets around IPv4", "10.0.0.1:5000", false, []string{"X-Forwarded-For", "[203.0.113.9]"}, "10.0.0.1"},
		{"open bracket", "10.0.0.1:5000", false, []string{"X-Forwarded-For", "[2001:db8::7"}, "10.0.0.1"},
		{"closing bracket", "10.0.0.1:5000", false, []string{"X-Forwarded-For", "2001:db8::7]"}, "10.0.0.1"},
		{"X-Forwarded-For beside Forwarded", "10.0.0.1:5000", true, []string{"X-Forwarded-For", "198.51.100.7"}, "10.0.0.1"},
		{"an empty element ends the walk", "10.0.0.1:5000", false, []string{"X-Forwarded-For", "203.0.113.9", "X-Forwarded-For", ",10.0.0.2"}, "10.0.0.2"},
		{"Forwarded, value is no token", "10.0.0.1:5000", true, []string{"Forwarded", "for=203.0.113.9", "Forwarded", "for=10.0.0.2;by=a@b"}, "10.0.0.1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := &Handler{Config: Config{TrustedProxies: proxies(), ForwardedHeader: tt.forwarded}}
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)
			r.RemoteAddr = tt.peer
			for i := 0; i < len(tt.headers); i += 2 {
				r.Header.Add(tt.headers[i], tt.headers[i+1])
			}
			if got := clientAddr(h.behindProxies(r)).String(); got != tt.client {
				t.Errorf("client %s, want %s", got, tt.client)
			}
			h.TrustedProxies = nil
			if got := clientAddr(h.behindProxies(r)); got != peerAddr(r) {
				t.Errorf("without trusted proxies the client is %s", got)
			}
		})
	}
}

// TestClientAddrCosts requires that a server without proxies allocates nothing.
func TestClientAddrCosts(t *testing.T) {
	h := new(Handler)
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)
	r.Header.Set("X-Forwarded-For", "203.0.113.9")
	if n := testing.AllocsPerRun(100, func() { clientAddr(h.behindProxies(r)) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestForwardedLinks requires that links follow what trusted proxies report, and nobody else.
func TestForwardedLinks(t *testing.T) {
	const spoofed = "https://evil.example/x/ValueSet?"
	c := newClient(t, func(c *Config) { c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("192.0.2.1/32")} }) // of httptest
	headers := []string{
		"X-Forwarded-For", "203.0.113.9", "X-Forwarded-Proto", "https", "X-Forwarded-Host", "tx.example:8443", "X-Forwarded-Prefix", "/fhir/",
	}
	for _, want := range []string{`"url":"https://tx.example:8443/fhir/ValueSet?`, `"fullUrl":"https://tx.example:8443/fhir/ValueSet/pets"`} {
		if got := c.do(http.MethodGet, "/ValueSet?_id=pets", "", headers...); !strings.Contains(got.body, want) {
			t.Errorf("no %s in %s", want, got.body)
		}
	}
	batch := `{"resourceType":"Bundle","type":"batch","entry":[{"request":{"method":"GET","url":"ValueSet?_id=pets"}}]}`
	if got := c.do(http.MethodPost, "/", batch, append(headers, "Content-Type", mediaFHIR)...); !strings.Contains(got.body, `"fullUrl":"https://tx.example:8443/fhir/ValueSet/pets"`) {
		t.Errorf("entry of a batch: %s", got.body)
	}
	for _, bad := range [][]string{
		{"X-Forwarded-Host", `evil"example`},
		{"X-Forwarded-Host", "evil/x"},
		{"X-Forwarded-Host", "user@evil"},
		{"X-Forwarded-Proto", "javascript"},
		{"X-Forwarded-Prefix", "/../x"},
		{"X-Forwarded-Prefix", "//evil.example"},
		{"X-Forwarded-Prefix", `/"`},
		{"X-Forwarded-Prefix", "evil"},
	} {
		if got := c.do(http.MethodGet, "/ValueSet?_id=pets", "", bad...); !strings.Contains(got.body, `"url":"http://example.com/ValueSet?`) {
			t.Errorf("%v: %s", bad, got.body)
		}
	}
	direct := newClient(t)
	if got := direct.do(http.MethodGet, "/ValueSet?_id=pets", "", "X-Forwarded-Host", "evil.example", "X-Forwarded-Proto", "https", "X-Forwarded-Prefix", "/x"); strings.Contains(got.body, spoofed) || strings.Contains(got.body, "evil") {
		t.Errorf("believed without a trusted proxy: %s", got.body)
	}
}

// TestForwardedHops requires that what a client writes in front of what the proxies write is not
// believed, in the headers that have a value of each proxy.
func TestForwardedHops(t *testing.T) {
	for _, tt := range []struct{ clients, hosts, want string }{
		{"203.0.113.9", "tx.example", "tx.example"},
		{"203.0.113.9", "evil.example, tx.example", "tx.example"},
		{"127.0.0.1, 203.0.113.9", "evil.example, tx.example", "tx.example"},
		{"203.0.113.9, 10.0.0.2", "tx.example", "tx.example"},
		{"203.0.113.9, 10.0.0.2", "tx.example, inner.example", "tx.example"},
		{"203.0.113.9, 10.0.0.2", "evil.example, tx.example, inner.example", "tx.example"},
		{"nonsense", "evil.example, tx.example", "tx.example"},
	} {
		header := http.Header{"X-Forwarded-For": {tt.clients}, "X-Forwarded-Host": {tt.hosts}}
		if o := readForwardedFor(proxies(), netip.MustParseAddr("10.0.0.1"), header); o.host != tt.want {
			t.Errorf("%q and %q: the host is %q, want %q", tt.clients, tt.hosts, o.host, tt.want)
		}
	}
}

// TestSecure requires that HTTPS is what the client used, as the outermost proxy reports it.
func TestSecure(t *testing.T) {
	for _, tt := range []struct {
		peer, proto string
		direct      bool // TLS of the connection
		want        bool
	}{
		{"192.0.2.1:1", "https", false, false},
		{"192.0.2.1:1", "http", true, true},
		{"10.0.0.1:1", "", false, false},
		{"10.0.0.1:1", "", true, true},
		{"10.0.0.1:1", "https", false, true},
		{"10.0.0.1:1", "http", true, false},
		{"10.0.0.1:1", "javascript", true, true},
	} {
		h := &Handler{Config: Config{TrustedProxies: proxies()}}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)
		if r.RemoteAddr = tt.peer; tt.direct {
			r.TLS = new(tls.ConnectionState)
		}
		r.Header.Set("X-Forwarded-Proto", tt.proto)
		if got := isSecure(h.behindProxies(r)); got != tt.want {
			t.Errorf("%+v: %v", tt, got)
		}
	}
}

// FuzzForwarded requires that what a client sends in front of what a proxy adds changes nothing,
// and that nothing but valid values comes out.
func FuzzForwarded(f *testing.F) {
	for _, seed := range []string{"", "for=1.2.3.4", `for="[::1]:80";proto=http, for=_x`, `for="`, "1.2.3.4, 10.0.0.1", ";;", `a="\`, "10.0.0.1", "/a/../b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		peer := netip.MustParseAddr("10.0.0.1")
		for name, read := range map[string]func([]netip.Prefix, netip.Addr, http.Header) origin{"X-Forwarded-For": readForwardedFor, "Forwarded": readForwarded} {
			added := "203.0.113.9"
			if name == "Forwarded" {
				added = "for=" + added
			}
			if o := read(proxies(), peer, http.Header{name: {text, added}}); o.client.String() != "203.0.113.9" {
				t.Errorf("%s: %q made the client %v", name, text, o.client)
			}
			o := read(proxies(), peer, http.Header{name: {text}, "X-Forwarded-Proto": {text}, "X-Forwarded-Host": {text}, "X-Forwarded-Prefix": {text}})
			if !o.client.IsValid() || o.client.Zone() != "" || o.client.Is4In6() {
				t.Errorf("%s: %q made the client %v", name, text, o.client)
			}
			if strings.ContainsAny(o.host+o.scheme+o.prefix, "\"<>\\ \r\n?#@%") {
				t.Errorf("%s: %q made %+v", name, text, o)
			}
		}
	})
}

// TestOriginInContext requires that a context without an origin has none.
func TestOriginInContext(t *testing.T) {
	if o := originOf(context.Background()); o != nil {
		t.Errorf("%+v", o)
	}
}
