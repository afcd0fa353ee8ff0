package resources

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
)

var updated = time.Date(2024, 2, 29, 23, 59, 58, 7_000_000, time.UTC)

const meta = `"versionId":"3","lastUpdated":"2024-02-29T23:59:58.007Z"`

func TestSpliceMeta(t *testing.T) {
	for _, row := range []struct{ name, body, want string }{
		{"nothing there", `{"resourceType":"CodeSystem"}`, `{"resourceType":"CodeSystem","id":"x","meta":{` + meta + `}}`},
		{"more behind", `{"resourceType":"CodeSystem","url":"u"}`, `{"resourceType":"CodeSystem","id":"x","meta":{` + meta + `},"url":"u"}`},
		{"resourceType last", `{"url":"u","resourceType":"CodeSystem"}`, `{"url":"u","resourceType":"CodeSystem","id":"x","meta":{` + meta + `}}`},
		{"id there", `{"resourceType":"A","id":"old"}`, `{"resourceType":"A","meta":{` + meta + `},"id":"x"}`},
		{"id null", `{"id":null,"resourceType":"A"}`, `{"id":"x","resourceType":"A","meta":{` + meta + `}}`},
		{"id before resourceType", `{"id":"o","resourceType":"A","u":1}`, `{"id":"x","resourceType":"A","meta":{` + meta + `},"u":1}`},
		{"empty meta", `{"resourceType":"A","id":"o","meta":{ }}`, `{"resourceType":"A","id":"x","meta":{` + meta + ` }}`},
		{"other members of meta", `{"resourceType":"A","meta":{"tag":[{"code":"t"}]}}`, `{"resourceType":"A","id":"x","meta":{` + meta + `,"tag":[{"code":"t"}]}}`},
		{
			"both in meta", `{"resourceType":"A","id":"o","meta":{"lastUpdated":"1999","profile":["p"],"versionId":"99"}}`,
			`{"resourceType":"A","id":"x","meta":{"lastUpdated":"2024-02-29T23:59:58.007Z","profile":["p"],"versionId":"3"}}`,
		},
		{
			"only versionId", `{"resourceType":"A","id":"o","meta":{"versionId":"99"}}`,
			`{"resourceType":"A","id":"x","meta":{"lastUpdated":"2024-02-29T23:59:58.007Z","versionId":"3"}}`,
		},
		{
			"only lastUpdated", `{"resourceType":"A","id":"o","meta":{"lastUpdated":"99"}}`,
			`{"resourceType":"A","id":"x","meta":{"versionId":"3","lastUpdated":"2024-02-29T23:59:58.007Z"}}`,
		},
		{
			"meta first", `{"meta":{"versionId":7},"id":"o","resourceType":"A"}`,
			`{"meta":{"lastUpdated":"2024-02-29T23:59:58.007Z","versionId":"3"},"id":"x","resourceType":"A"}`,
		},
		{
			"layout is kept", "{\n  \"resourceType\" : \"A\",\n  \"n\" : 1.50e+01,\n  \"s\" : \"\\u00e9\\/\"\n}\n",
			"{\n  \"resourceType\" : \"A\",\"id\":\"x\",\"meta\":{" + meta + "},\n  \"n\" : 1.50e+01,\n  \"s\" : \"\\u00e9\\/\"\n}\n",
		},
		{
			"inner ids stay", `{"resourceType":"A","contained":[{"resourceType":"B","id":"b","meta":{"versionId":"1"}}]}`,
			`{"resourceType":"A","id":"x","meta":{` + meta + `},"contained":[{"resourceType":"B","id":"b","meta":{"versionId":"1"}}]}`,
		},
		{
			"siblings stay", `{"resourceType":"A","_id":{"e":1},"meta":{"_versionId":{"e":2},"id":"m"}}`,
			`{"resourceType":"A","id":"x","_id":{"e":1},"meta":{` + meta + `,"_versionId":{"e":2},"id":"m"}}`,
		},
		{
			"names with escapes", `{"resource\u0054ype":"A","\u0069d":"o","m\u0065ta":{"version\u0049d":"9"}}`,
			`{"resource\u0054ype":"A","\u0069d":"x","m\u0065ta":{"lastUpdated":"2024-02-29T23:59:58.007Z","version\u0049d":"3"}}`,
		},
		{"no resourceType", `{"u":1}`, `{"id":"x","meta":{` + meta + `},"u":1}`},
		{"no resourceType, id there", `{"u":1,"id":"o"}`, `{"meta":{` + meta + `},"u":1,"id":"x"}`},
		{"empty", ` { } `, ` {"id":"x","meta":{` + meta + `} } `},
	} {
		t.Run(row.name, func(t *testing.T) {
			before := strings.Clone(row.body)
			got, err := spliceMeta([]byte(row.body), "x", 3, updated)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != row.want {
				t.Errorf("got  %s\nwant %s", got, row.want)
			}
			if row.body != before {
				t.Error("the input was changed")
			}
			again, err := spliceMeta(got, "x", 3, updated)
			if err != nil || !bytes.Equal(again, got) {
				t.Errorf("splicing again changes it: %s, %v", again, err)
			}
		})
	}
}

func TestSpliceMetaZone(t *testing.T) {
	east := time.FixedZone("east", 3600)
	got, err := spliceMeta([]byte(`{"resourceType":"A"}`), "x", 3, updated.In(east))
	if err != nil || !strings.Contains(string(got), "2024-02-29T23:59:58.007Z") {
		t.Errorf("%s, %v", got, err)
	}
}

func TestSpliceMetaErrors(t *testing.T) {
	for _, body := range []string{
		``, ` `, `[]`, `null`, `"{}"`, `{`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `{"a":1,}`, `{"a" 1}`, `{1:1}`,
		`{"a":1}{`, `{"a":1} x`, `{"a":[}`, `{"a":"`, `{"a":"\`, `{"\x":1}`, `{"a":}`, `{,}`, `}`,
		`{"meta":1}`, `{"meta":[]}`, `{"meta":null}`, `{"meta":"x"}`,
		`{"id":"a","id":"b"}`, `{"id":"a","\u0069d":"b"}`, `{"meta":{},"meta":{}}`,
		`{"resourceType":"A","resourceType":"A"}`, `{"meta":{"versionId":"1","versionId":"1"}}`,
		`{"meta":{"lastUpdated":"1","lastUpdated":"1"}}`,
	} {
		var syntax *r4.SyntaxError
		if got, err := spliceMeta([]byte(body), "x", 1, updated); !errors.Is(err, errDocument) && !errors.As(err, &syntax) {
			t.Errorf("%q gives %q, %v", body, got, err)
		}
	}
}

func TestSame(t *testing.T) {
	groups := [][]string{
		{
			`{"resourceType":"A","url":"u v","n":1.0}`,
			"{\n \"resourceType\" : \"A\",\t\"url\":\"u v\" , \"n\": 1.0 }\r\n",
			`{"resourceType":"A","id":"x","url":"u v","n":1.0}`,
			`{"resourceType":"A","id":"y","meta":{"versionId":"1","lastUpdated":"2020"},"url":"u v","n":1.0}`,
			`{"meta":{},"resourceType":"A","url":"u v","n":1.0}`,
			`{"r\u0065sourceType":"A","url":"u v","n":1.0}`,
		},
		{`{"resourceType":"A","url":"u  v","n":1.0}`},
		{`{"resourceType":"A","url":"u v","n":1}`},
		{`{"resourceType":"A","url":"u v","n":1.0,"meta":{"tag":[]}}`, `{"resourceType":"A","url":"u v","n":1.0,"meta":{"tag": [ ],"versionId":"4"}}`},
		{`{"resourceType":"A","url":"u v","n":1.0,"tag":[]}`},
		{`{"url":"u v","resourceType":"A","n":1.0}`},
		{`{"resourceType":"A","url":"u\" v","n":1.0}`},
		{`{"resourceType":"A","_id":{},"url":"u v","n":1.0}`},
	}
	for i, group := range groups {
		for j, other := range groups {
			for _, a := range group {
				for _, b := range other {
					if got := equalContent(parsed(t, a), parsed(t, b)); got != (i == j) {
						t.Errorf("%s and %s say the same: %v", a, b, got)
					}
				}
			}
		}
	}
}

func parsed(t testing.TB, text string) *document.Document {
	t.Helper()
	d, err := parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// FuzzSpliceMeta checks that JSON stays JSON with the same content except id and meta, and that
// nothing panics.
func FuzzSpliceMeta(f *testing.F) {
	for _, seed := range []string{
		`{"resourceType":"A"}`, `{"id":"a","meta":{"versionId":"1","tag":[]},"resourceType":"A","x":[1,{"id":2}]}`,
		`{"m\u0065ta":{ },"a":"\"}{"}`, `{}`, ` {"a" : -1.5e+3 } `, `{"meta":null}`, `{"a":1,"a":2}`,
	} {
		f.Add([]byte(seed), "id-1", int64(7))
	}
	f.Fuzz(func(t *testing.T, body []byte, id string, versionID int64) {
		got, err := spliceMeta(body, id, versionID, updated)
		if err != nil || !json.Valid(body) {
			return
		}
		if !json.Valid(got) {
			t.Fatalf("%q gives %q, which is not JSON", body, got)
		}
		if !ValidID(id) {
			return
		}
		before, after := decode(t, body), decode(t, got)
		if after["id"] != id {
			t.Errorf("id is %v, want %q", after["id"], id)
		}
		metaAfter, _ := after["meta"].(map[string]any)
		if metaAfter["lastUpdated"] != "2024-02-29T23:59:58.007Z" {
			t.Errorf("lastUpdated is %v", metaAfter["lastUpdated"])
		}
		for _, m := range []map[string]any{before, after} {
			delete(m, "id")
			if inner, ok := m["meta"].(map[string]any); ok {
				delete(inner, "versionId")
				delete(inner, "lastUpdated")
				if len(inner) == 0 {
					delete(m, "meta")
				}
			}
		}
		if !reflect.DeepEqual(before, after) {
			t.Errorf("%q gives %q", body, got)
		}
		if !equalContent(parsed(t, string(body)), parsed(t, string(got))) {
			t.Errorf("%q and %q do not say the same", body, got)
		}
	})
}

func decode(t *testing.T, data []byte) map[string]any {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var m map[string]any
	if err := decoder.Decode(&m); err != nil {
		t.Fatal(err)
	}
	return m
}

func BenchmarkSpliceMeta(b *testing.B) {
	body := []byte(`{"resourceType":"CodeSystem","id":"x","concept":[` + strings.Repeat(`{"code":"a","display":"b c"},`, 10_000) + `{"code":"z"}]}`)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := spliceMeta(body, "y", 2, updated); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSame(b *testing.B) {
	body := `{"resourceType":"CodeSystem","id":"x","concept":[` + strings.Repeat(`{"code":"a", "display":"b c"},`, 10_000) + `{"code":"z"}]}`
	x, y := parsed(b, body), parsed(b, body)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if !equalContent(x, y) {
			b.Fatal("they do not say the same")
		}
	}
}

// spliceMeta applies outline.splice to a text.
func spliceMeta(body []byte, id string, versionID int64, lastUpdated time.Time) ([]byte, error) {
	d, err := parse(body)
	if err != nil {
		return nil, err
	}
	o, err := outlineOf(d)
	if err != nil {
		return nil, err
	}
	return o.splice(id, versionID, lastUpdated)
}

func TestKeyLocks(t *testing.T) {
	var locks keyLocks
	a, b := Key{Type: "T", ID: "a"}, Key{Type: "T", ID: "b"}
	unlockA, err := locks.lock(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	unlockB, err := locks.lock(t.Context(), b) // another key does not wait
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := locks.lock(ctx, a); !errors.Is(err, context.Canceled) {
		t.Errorf("waiting, cancelled: %v", err)
	}
	unlockA()
	unlockB()
	if len(locks.held) != 0 {
		t.Errorf("%d keys are left", len(locks.held))
	}

	count := 0 // guarded by the lock of a alone: the race detector watches
	var group sync.WaitGroup
	for range 16 {
		group.Go(func() {
			for range 50 {
				unlock, err := locks.lock(t.Context(), a)
				if err != nil {
					t.Error(err)
					return
				}
				count++
				unlock()
			}
		})
	}
	group.Wait()
	if count != 16*50 || len(locks.held) != 0 {
		t.Errorf("count %d, %d keys left", count, len(locks.held))
	}
}
