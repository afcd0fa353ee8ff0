package httpadapter

import (
	"net/url"
	"strings"
	"testing"
)

// FuzzAuthority compares the reader of authorities with that of package net/url, which browsers and
// proxies are closer to, on what both accept.
func FuzzAuthority(f *testing.F) {
	for _, seed := range []string{"", "tx.example", "tx.example:8443", "[::1]", "[::1]:80", "[fe80::1%25eth0]", "1.2.3.4:0", "a:b:c", "a@b", "[::1", "]", "[::ffff:1.2.3.4]:1", "x:", "x:01", "[::1]80", "[fe80::1%eth0]", "[]", "[::g]", "[::1]:", "Z9.a0", "é", "a%41"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		host, port, ok := splitAuthority(text)
		if (validAuthority(text) != "") != ok {
			t.Errorf("%q: valid is %v", text, !ok)
		}
		if !ok {
			return
		}
		u, err := url.Parse("https://" + text + "/r4")
		if err != nil || u.User != nil || u.Path != "/r4" || u.RawQuery != "" || u.Hostname() != host || u.Port() != port {
			t.Errorf("%q is %q and %q, in a URL %+v, %v", text, host, port, u, err)
		}
	})
}

// FuzzPublicURL checks that a public URL that is accepted stays what it was in a link, and that a
// request to it can be told from one to the server's own paths.
func FuzzPublicURL(f *testing.F) {
	for _, seed := range []string{"", "https://tx.example", "http://tx.example:80/a/b/", "https://a@b", "https://h?", "https://h#", "https://h/%41", "https://h/metadata", "https://h/./x", "HTTPS://H//", "https://[::1]:1/fhir"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := parsePublicURL(text)
		if (CheckBaseURL(text) == nil) != (err == nil) {
			t.Errorf("%q: %v", text, err)
		}
		if err != nil {
			return
		}
		again, err := parsePublicURL(p.text)
		if err != nil || again != p {
			t.Errorf("%q is %+v, read again %+v, %v", text, p, again, err)
		}
		u, err := url.Parse(p.text + "/r4/Patient/1")
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.Path != p.path+"/r4/Patient/1" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
			t.Errorf("%q: a link is %+v, %v", text, u, err)
		}
		if strings.HasSuffix(p.path, "/") || strings.Contains(p.path, "//") || strings.ContainsAny(p.text, "\"'<>\\ ?#%@") {
			t.Errorf("%q is %+v", text, p)
		}
	})
}
