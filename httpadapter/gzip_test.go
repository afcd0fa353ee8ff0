package httpadapter

import (
	"bytes"
	"compress/gzip"
	"net/url"
	"strings"
	"testing"
)

func packed(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestCompressedBodies sends bodies with Content-Encoding.
func TestCompressedBodies(t *testing.T) {
	c := clinic(t, func(config *Config) { config.Limits.MaxBody = 1 << 20 })
	large := strings.Replace(peter, "{", "{"+strings.Repeat(" ", 1<<20), 1)
	for _, tt := range []struct {
		encoding, body string
		status         int
		code           string
	}{
		{"gzip", packed(t, peter), 200, ""},
		{"X-GZIP", packed(t, peter), 200, ""},
		{"gzip", packed(t, large), 413, "too-long"},
		{"gzip", peter, 400, "structure"},
		{"gzip", packed(t, peter)[:40], 400, "structure"},
		{"gzip", strings.Replace(packed(t, peter), "\x00\x00", "\x00\x01", 1)[:20] + "garbage of some length", 400, "structure"},
		{"gzip", packed(t, ""), 400, "structure"},
		{"gzip", strings.Repeat(packed(t, ""), 1<<16), 413, "too-long"},
		{"br", peter, 415, "not-supported"},
		{"gzip, gzip", packed(t, packed(t, peter)), 415, "not-supported"},
	} {
		r := c.do("PUT", "/Patient/peter", tt.body, "Content-Encoding", tt.encoding)
		if tt.status == 200 {
			r.want(t, 200)
			continue
		}
		r.wantIssue(t, tt.status, tt.code)
		if (r.header.Get("Accept-Encoding") == "gzip") != (tt.status == 415) {
			t.Errorf("%s: %v", tt.encoding, r.header)
		}
	}
	if doc := c.do("POST", "/Patient/_search", packed(t, url.Values{"family": {"chalmers"}}.Encode()), "Content-Type", mediaForm, "Content-Encoding", "gzip").want(t, 200); doc["total"] != 2.0 {
		t.Errorf("search: %v", doc)
	}
	doc := c.do("POST", "/Binary", packed(t, "text"), "Content-Type", "text/plain", "Content-Encoding", "gzip").want(t, 201)
	if doc["data"] != "dGV4dA==" {
		t.Errorf("content: %v", doc)
	}
}
