package platform

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// TestRecordsLoseNothing: what a record does not know, and what it knows but would not
// write, comes back. Platform toolkit, section 7.3.
// Rows of docs/platform.md: 2.4.5, 4.15.
func TestRecordsLoseNothing(t *testing.T) {
	for _, test := range []struct {
		name, doc string
		into      any
	}{
		{"user", `{"id":"Usr00000001","username":"ada","disabled":false,"email":null,"surname":"","created":"2024-01-02T03:04:05.000","lastLogin":1760000000000,` +
			`"programs":["Prg00000001"],"userRoles":[{"id":"Rol00000001","displayName":"Clerk","access":{"read":true}}],"teiSearchOrganisationUnits":[],"whatsApp":"1","settings":{"a":[1]}}`, &User{}},
		{"time that is none", `{"lastLogin":"yesterday","created":""}`, &User{}},
		{"group", `{"id":"Grp00000001","users":[],"managedGroups":[{"id":"Grp00000002"}]}`, &UserGroup{}},
		{"counted group", `{"id":"Grp00000001","users":12}`, &UserGroup{}},
		{"role", `{"id":"Rol00000001","users":3,"authorities":[]}`, &UserRole{}},
		{"app", `{"key":"side","bundled":false,"core_app":false,"activities":{"a":1}}`, &App{}},
		{"app of the hub", `{"id":"a","developer":"Ada","versions":[{"id":"v","created":1,"maxDhisVersion":"","demoUrl":"x"}],"hasPlugin":true}`, &HubApp{}},
		{"sharing", `{"id":"Grp00000001","publicAccess":"rw------","externalAccess":false,"user":{"id":"u"},"userAccesses":[{"id":"u","access":"r-------","x":1}],"userGroupAccesses":[]}`, &Sharing{}},
		{"route", `{"id":"Rte00000001","disabled":true,"url":"https://lab.example/**","headers":{},"auth":null,"lastUpdated":"2026-01-02"}`, &Route{}},
		{"token", `{"id":"Tok00000001","expire":0,"createdBy":{"id":"Usr00000001","x":1},"attributes":[{"type":"Later","allowed":[1]}],"version":2}`, &Token{}},
		{"login page", `{"applicationTitle":"T","selfRegistrationEnabled":false,"oidcProviders":[{"id":"idp","icon":"","loginText":"x","more":1}],"style":"s"}`, &LoginConfig{}},
		{"settings", `{"z":1,"a":"text","n":null,"o":{"b":[1,2]}}`, &Settings{}},
	} {
		if err := json.Unmarshal([]byte(test.doc), test.into); err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		got, err := json.Marshal(test.into)
		if err != nil || canonicalJSON(t, got) != canonicalJSON(t, []byte(test.doc)) {
			t.Errorf("%s: %v\n got %s\nwant %s", test.name, err, got, test.doc)
		}
	}
}

// canonicalJSON sorts members.
func canonicalJSON(t *testing.T, doc []byte) string {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v: %s", err, doc)
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// TestSettingsInOrder: the snapshot keeps the platform's order. It refuses JSON that is not an
// object, or has a key twice.
// Rows of docs/platform.md: 4.10.
func TestSettingsInOrder(t *testing.T) {
	var s Settings
	const doc = `{"zeta":true,"alpha":"x","middle":[1, 2]}`
	if err := json.Unmarshal([]byte(doc), &s); err != nil {
		t.Fatal(err)
	}
	var keys, texts []string
	for _, setting := range s {
		keys, texts = append(keys, setting.Key), append(texts, setting.Text())
	}
	if !slices.Equal(keys, []string{"zeta", "alpha", "middle"}) || !slices.Equal(texts, []string{"true", "x", "[1,2]"}) {
		t.Error(keys, texts)
	}
	if out, err := json.Marshal(s); err != nil || string(out) != `{"zeta":true,"alpha":"x","middle":[1,2]}` {
		t.Error(string(out), err)
	}
	for _, wrong := range []string{`[]`, `"a"`, `null`, `1`, `true`, `{"a":1,"a":2}`} {
		if err := json.Unmarshal([]byte(wrong), &Settings{}); err == nil {
			t.Errorf("%s was read as settings", wrong)
		}
	}
}

// TestReferences: objects and bare uids. Platform toolkit, section 2.8, System.Me.
func TestReferences(t *testing.T) {
	var refs []Reference
	if err := json.Unmarshal([]byte(`["Prg00000001",{"id":"Rol00000001","displayName":"Clerk"},{"id":"Org00000001","name":"North"},{"id":"X"}]`), &refs); err != nil {
		t.Fatal(err)
	}
	var labels []string
	for _, r := range refs {
		labels = append(labels, r.Label())
	}
	if want := []string{"Prg00000001", "Clerk (Rol00000001)", "North (Org00000001)", "X"}; !slices.Equal(labels, want) {
		t.Error(labels)
	}
	for _, wrong := range []string{`[1]`, `[true]`, `[["a"]]`, `[{"id":1}]`} {
		if json.Unmarshal([]byte(wrong), &refs) == nil {
			t.Errorf("%s was read as references", wrong)
		}
	}
	for text, want := range map[string]bool{"Usr00000001": true, "usrABCDEFGH": true, "1sr00000001": false, "Usr0000001": false, "Usr000000011": false, "Usr0000000-": false, "": false, "Usr000000é": false} {
		if IsUID(text) != want {
			t.Errorf("IsUID(%q) is not %v", text, want)
		}
	}
}

// TestTimestamps: forms of time. Platform toolkit, reading rules and section 2.8, AppHub.
func TestTimestamps(t *testing.T) {
	for doc, want := range map[string]string{
		`1760000000000`:                  "2025-10-09T08:53:20Z",
		`"1760000000000"`:                "2025-10-09T08:53:20Z",
		`"2025-10-09T08:53:20.000"`:      "2025-10-09T08:53:20Z",
		`"2025-10-09T10:53:20.5+02:00"`:  "2025-10-09T08:53:20Z",
		`"2025-10-09T08:53:20.000+0000"`: "2025-10-09T08:53:20Z",
		`"2025-10-09"`:                   "2025-10-09T00:00:00Z",
		`"soon"`:                         "soon",
		`null`:                           "",
	} {
		var at Timestamp
		if err := json.Unmarshal([]byte(doc), &at); err != nil || at.String() != want {
			t.Errorf("%s: %v, %v", doc, at, err)
		}
	}
	at := NewTimestamp(Timestamp{}.AddDate(2024, 0, 0))
	if out, err := json.Marshal(at); err != nil || string(out) != `"2025-01-01T00:00:00.000"` || at.IsZero() {
		t.Error(string(out), err)
	}
	if out, err := json.Marshal(Timestamp{}); err != nil || string(out) != "null" {
		t.Error(string(out), err)
	}
}

// TestAppForm: a file that is not an archive, is too long, or cannot be read is not sent.
func TestAppForm(t *testing.T) {
	const zip = "PK\x03\x04 and more"
	body, contentType, err := appForm("some/a\"b.zip", strings.NewReader(zip), int64(len(zip)))
	if err != nil || !strings.Contains(string(body), "\r\n\r\n"+zip+"\r\n--") || !strings.Contains(string(body), `name="file"; filename="a\"b.zip"`) || !strings.HasPrefix(contentType, "multipart/form-data; boundary=") {
		t.Errorf("%s %s %v", body, contentType, err)
	}
	for _, test := range []struct {
		from  io.Reader
		limit int64
		want  string
	}{
		{strings.NewReader(zip), int64(len(zip)) - 1, "longer than 12 bytes"},
		{strings.NewReader("PK"), 100, "not a zip archive"},
		{strings.NewReader(""), 100, "not a zip archive"},
		{iotest.ErrReader(errors.New("disk on fire")), 100, "disk on fire"},
		{io.MultiReader(strings.NewReader(zip), iotest.ErrReader(errors.New("disk on fire"))), 100, "disk on fire"},
	} {
		if _, _, err := appForm("a.zip", test.from, test.limit); err == nil || !strings.Contains(err.Error(), "a.zip: ") || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", test.want, err)
		}
	}
}

// TestRecordRoundTrip: Platform toolkit, section 7.3: a round trip loses nothing.
// Rows of docs/platform.md: 4.15.
func TestRecordRoundTrip(t *testing.T) {
	for _, text := range []string{
		`{}`, `{"version":"2.42.4"}`, `{"version":null,"revision":"","cpuCores":0}`,
		`{"VERSION":"x","version":"y"}`, `{"":1,"-":2,"Extra":3}`, `{"cpuCores":3,"odd":[1,{"a":null}]}`,
	} {
		var info SystemInfo
		if err := json.Unmarshal([]byte(text), &info); err != nil {
			t.Fatal(err)
		}
		written, err := json.Marshal(info)
		if err != nil || !sameJSON(t, text, string(written)) {
			t.Errorf("%s became %s, %v", text, written, err)
		}
	}
	info := SystemInfo{Version: "before", Extra: Extra{"old": json.RawMessage("1")}}
	if err := json.Unmarshal([]byte(`{"version":null,"b":1,"a":2}`), &info); err != nil || info.Version != "" || len(info.Extra) != 3 {
		t.Errorf("%+v, %v", info, err)
	}
	info.Version = "after"
	if written, err := json.Marshal(info); string(written) != `{"version":"after","a":2,"b":1}` {
		t.Errorf("%s, %v", written, err)
	}
	if err := json.Unmarshal([]byte(`{"cpuCores":"four"}`), &info); err == nil || err.Error() != "member cpuCores: it is a string, not a number" {
		t.Error(err)
	}
	for _, bad := range []string{`[]`, `"x"`, `7`} {
		if json.Unmarshal([]byte(bad), &info) == nil {
			t.Errorf("%s is a record", bad)
		}
	}
	if _, err := json.Marshal(SystemInfo{Extra: Extra{"a": json.RawMessage("{")}}); err == nil {
		t.Error("what is no JSON is written")
	}
}

// sameJSON reports whether two texts are the same JSON.
func sameJSON(t *testing.T, a, b string) bool {
	t.Helper()
	var x, y any
	if err := json.Unmarshal([]byte(a), &x); err != nil {
		t.Fatalf("%v: %s", err, a)
	}
	if err := json.Unmarshal([]byte(b), &y); err != nil {
		t.Fatalf("%v: %s", err, b)
	}
	return reflect.DeepEqual(x, y)
}
