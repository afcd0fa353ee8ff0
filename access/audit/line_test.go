package audit

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
	"time"
)

// FuzzParseLine checks that a line of any texts is one line of JSON that others read, and is read as it
// was written, and that no text makes ParseLine or Check panic.
func FuzzParseLine(f *testing.F) {
	f.Add([]byte(`{"n":1,"time":"2026-10-31T08:00:00.000000Z","event":"read","request":"r","sum":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}`), "dr.meyer", "Patient/1")
	f.Add([]byte("{}"), "a\n\u2028\"\\\x7f\x85", "<é>")
	f.Fuzz(func(t *testing.T, text []byte, subject, reference string) {
		if l, err := ParseLine(text); err == nil {
			NewChain(nil).Check(text, &l)
		}
		clean := func(s string) string { return string(bytes.ToValidUTF8([]byte(s), []byte("\ufffd"))) }
		if subject = clean(subject); len(subject)+len(reference) > 10_000 {
			return
		}
		reference = clean(reference)
		r := Record{Time: time.Unix(1e9, 0).UTC(), Event: "read", Request: "r", Status: 200, Subject: subject, Read: []string{reference}, Damaged: []string{reference}, Found: subject}
		line := NewChain(nil).AppendLine(nil, 7, r.Append(nil), nil)
		if n := bytes.IndexByte(line, '\n'); n != len(line)-1 || !json.Valid(line) {
			t.Fatalf("not one line of JSON: %q", line)
		}
		l, err := ParseLine(line[:len(line)-1])
		if err != nil || l.N != 7 || !reflect.DeepEqual(l.Record, r) {
			t.Fatalf("%v\n%+v\nwant\n%+v", err, l.Record, r)
		}
		if !NewChain(nil).Check(line[:len(line)-1], &l) {
			t.Fatal("the sum of a line is not that of its bytes")
		}
		if NewChain([]byte("key")).Check(line[:len(line)-1], &l) {
			t.Fatal("another key has the same sum")
		}
	})
}

// TestSelection checks who saw a patient in a month, with lines on both sides of each bound.
func TestSelection(t *testing.T) {
	october := time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)
	base := Record{Time: october, Event: "read", Request: "r", Status: 200, Subject: "meyer", Issuer: "https://id", Address: "10.0.0.1", Read: []string{"Observation/7/_history/2"}, Patients: []string{"Patient/x"}}
	with := func(change func(*Record)) Record { r := base; change(&r); return r }
	all := Selection{Since: october, Until: october.AddDate(0, 1, 0), Patient: "x", Resource: "Observation/7", Who: "https://id|meyer", Events: []string{"read"}, Status: "2xx"}
	for name, tt := range map[string]struct {
		r    Record
		want bool
	}{
		"all":           {base, true},
		"before":        {with(func(r *Record) { r.Time = october.Add(-time.Microsecond) }), false},
		"last moment":   {with(func(r *Record) { r.Time = october.AddDate(0, 1, 0).Add(-time.Microsecond) }), true},
		"after":         {with(func(r *Record) { r.Time = october.AddDate(0, 1, 0) }), false},
		"other patient": {with(func(r *Record) { r.Patients = []string{"Patient/x2"} }), false},
		"longer id":     {with(func(r *Record) { r.Read = []string{"Observation/77"} }), false},
		"damaged":       {with(func(r *Record) { r.Read, r.Damaged = nil, []string{"Observation/7/_history/2"} }), true},
		"other damaged": {with(func(r *Record) { r.Read, r.Damaged = nil, []string{"Observation/70/_history/2"} }), false},
		"deleted":       {with(func(r *Record) { r.Read, r.Deleted = nil, []string{"Observation/7"} }), true},
		"other issuer":  {with(func(r *Record) { r.Issuer = "https://other" }), false},
		"event":         {with(func(r *Record) { r.Event = "search" }), false},
		"status":        {with(func(r *Record) { r.Status = 404 }), false},
	} {
		line := NewChain(nil).AppendLine(nil, 1, tt.r.Append(nil), nil)
		if got := all.Has(&tt.r); got != tt.want {
			t.Errorf("%s: Has is %v", name, got)
		}
		if tt.want && !all.MayHave(line) {
			t.Errorf("%s: MayHave rules out what Has selects", name)
		}
	}
}
