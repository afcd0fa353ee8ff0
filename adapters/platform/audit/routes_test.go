package audit

import "testing"

// TestHosts: where routes lead to. Platform toolkit, section 5.10.
// Rows of docs/platform.md: T5.10.
func TestHosts(t *testing.T) {
	for address, want := range map[string]hostKind{
		"https://lab.example/api/**": hostOther, "http://169.254.169.254/latest": hostMetadata, "http://[fd00:ec2::254]/": hostMetadata,
		"http://metadata.google.internal./x": hostMetadata, "http://METADATA.google.INTERNAL": hostMetadata, "http://2852039166/": hostMetadata,
		"http://[::ffff:169.254.169.254]/": hostMetadata, "http://[::ffff:a9fe:a9fe]/": hostMetadata, "http://0xa9.0xfe.0xa9.0xfe/": hostMetadata,
		"http://0251.0376.0251.0376/": hostMetadata, "http://[64:ff9b::a9fe:a9fe]": hostMetadata,
		"http://127.0.0.1:8080": hostInternal, "http://2130706433": hostInternal, "http://0x7f000001": hostInternal, "http://0177.0.0.1": hostInternal, "http://0": hostInternal,
		"http://127.1": hostInternal, "http://10.1": hostInternal, "http://192.168.257": hostInternal, "http://[::1]": hostInternal, "http://[::]": hostInternal, "http://[fe80::1%25eth0]": hostInternal,
		"http://[fc00::1]": hostInternal, "http://172.16.0.1": hostInternal, "http://172.32.0.1": hostOther, "http://100.64.1.1": hostInternal, "http://localhost": hostInternal,
		"http://a.localhost": hostInternal, "http://db.internal": hostInternal, "http://printer.local.": hostInternal, "http://x.localdomain": hostInternal, "http://internal": hostOther,
		"http://8.8.8.8": hostOther, "http://0x8.8.8.8": hostOther, "http://999.1.1.1": hostOther, "http://4294967296": hostOther, "http://08.8.8.8": hostOther, "http://1.2.3.4.5": hostOther,
		"http://u:p@127.0.0.1/": hostInternal, "http://lab.example@127.0.0.1/": hostInternal, `http://127.0.0.1\@lab.example/`: hostInternal, "http://127.0.0.1/{x y}": hostInternal,
		"": hostOther, "no address": hostOther, "http://": hostOther, "http:///127.0.0.1": hostInternal,
	} {
		if host, got := classifyHost(address); got != want {
			t.Errorf("%s (%s): %d, want %d", address, host, got, want)
		}
	}
}

// TestParseRoute: of the authentication only type and user name are kept.
func TestParseRoute(t *testing.T) {
	for text, want := range map[string]string{
		`{"url":"https://x","auth":{"type":"http-basic","username":"u","password":"planted"}}`: "http-basic u",
		`{"url":"https://x","auth":{"type":"api-token","username":"planted"}}`:                 "api-token ",
		`{"url":"https://x","auth":{"type":"planted"}}`:                                        "unknown ",
		`{"url":"https://x","auth":"planted"}`:                                                 "unknown ",
		`{"url":"https://x","auth":null}`:                                                      " ",
		`{"url":"https://x"}`:                                                                  " ",
	} {
		if r, ok := parseRoute([]byte(text)); !ok || r.authKind+" "+r.authUser != want || r.Auth != nil {
			t.Errorf("%s: %+v", text, r)
		}
	}
	for _, bad := range []string{`{}`, `7`, `null`, `{"url":7}`, `{"url":""}`} {
		if r, ok := parseRoute([]byte(bad)); ok {
			t.Errorf("%s: %+v", bad, r)
		}
	}
}

// FuzzHosts: no address panics.
// Rows of docs/platform.md: T5.10.
func FuzzHosts(f *testing.F) {
	for _, seed := range []string{"http://0x7f.1/", "https://[::1", "a://b@c:d\\e", "http://[fe80::1%25x]"} {
		f.Add(seed)
	}
	f.Fuzz(func(_ *testing.T, address string) {
		classifyHost(address)
		redacted(address)
		isLoose(address)
	})
}
