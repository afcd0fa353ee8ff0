package platform

import (
	"encoding/json"
	"reflect"
	"testing"
)

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
