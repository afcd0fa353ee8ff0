package platform

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// FuzzVersion: what is read is written the same, and nothing else is read.
func FuzzVersion(f *testing.F) {
	for _, seed := range []string{"2.42.4", "2.41.8.1", "2.43-SNAPSHOT", "2.42.4-rc.1", "2.", "3.42", "2.42.", "2.-1", "2.42-", "", "2.0099999", "2.42.1.2.3", "2.٤٢"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := ParseVersion(text)
		if err != nil {
			return
		}
		numbers, suffix, _ := strings.Cut(text, "-")
		written := fmt.Sprintf("2.%d.%d.%d", v.Major, v.Patch, v.Hotfix)
		var want []string
		for _, part := range strings.Split(numbers, ".") {
			if part = strings.TrimLeft(part, "0"); part == "" {
				part = "0"
			}
			want = append(want, part)
		}
		for len(want) < 4 {
			want = append(want, "0")
		}
		if written != strings.Join(want, ".") || v.Suffix != suffix {
			t.Errorf("%q is %+v", text, v)
		}
	})
}

// FuzzWebMessage: no body does harm, and what is shown of one is one short line.
func FuzzWebMessage(f *testing.F) {
	for _, seed := range []string{
		`{"status":"ERROR","message":"m","response":{"typeReports":[{"objectReports":[{"errorReports":[{"value":1}]}]}],"conflicts":[{"object":"o","indexes":[1]}],"importCount":{}}}`,
		`{"httpStatus":null,"response":null}`, `<title>a</title>`, `[]`, "\x1b[0m", `{"status":"OK","response":{"jobType":"J","id":7,"imported":1}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		e := newAPIError(Request{Method: "GET", Path: "/api/x"}, 409, body)
		if text := e.Error(); strings.ContainsAny(text, "\n\r\x1b") || len([]rune(text)) > 500 {
			t.Errorf("%q", text)
		}
		if message := e.WebMessage(); message != nil {
			for i, c := range message.Conflicts {
				if i > 0 && message.Conflicts[i-1].Resource > c.Resource {
					t.Error("conflicts are not in order")
				}
			}
			if _, err := json.Marshal(message); err != nil {
				t.Error(err)
			}
		}
	})
}

// FuzzRecord: reading and writing a record loses nothing.
func FuzzRecord(f *testing.F) {
	for _, seed := range []string{`{"version":"2.42.4","odd":{"a":[1,null]}}`, `{"version":null,"":0,"VERSION":"x"}`, `{"cpuCores":-0}`, `{"a":1e400}`, `{"type":"http-basic","password":"p"}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var info SystemInfo
		if json.Unmarshal(body, &info) != nil {
			return
		}
		written, err := json.Marshal(info)
		if err != nil {
			t.Fatal(err)
		}
		var before, after map[string]json.RawMessage
		if json.Unmarshal(body, &before) != nil || json.Unmarshal(written, &after) != nil || len(before) != len(after) {
			t.Fatalf("%s became %s", body, written)
		}
		for name, value := range before {
			var a, b any
			if json.Unmarshal(value, &a) != nil || json.Unmarshal(after[name], &b) != nil {
				if string(value) != string(after[name]) { // a number that no float64 holds
					t.Errorf("%s: %s became %s", name, value, after[name])
				}
				continue
			}
			if fmt.Sprint(a) != fmt.Sprint(b) {
				t.Errorf("%s: %s became %s", name, value, after[name])
			}
		}
	})
}
