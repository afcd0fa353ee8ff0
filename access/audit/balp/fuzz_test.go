package balp_test

import (
	"testing"
	"time"

	"github.com/roget-health/roget/access/audit"
	"github.com/roget-health/roget/access/audit/balp"
	"github.com/roget-health/roget/adapters/memory"
	"github.com/roget-health/roget/resources"
)

// FuzzEvents checks that whatever clients and issuers choose, the events are valid AuditEvents: one that
// is not would keep the events of others from being stored.
func FuzzEvents(f *testing.F) {
	f.Add("meyer", "https://login.example", "app", "Practitioner/1", "TREAT", "10.0.0.1", "/Patient/a", "code=x", "r1", "read", 200)
	f.Add(" ", "https://a/ b", "\x00", "Practitioner/ 1", "\u2028", "", "/\xff", "", "", "search", 403)
	f.Add("", "urn:x", "", "http://[::1", "\t", "fe80::1%eth0", "", "a=b", "x", "$everything", 503)
	f.Add("", "", "", "", "", "", "", "the document\x00 does not match its checksum", "", "damage", 0)
	f.Fuzz(func(t *testing.T, subject, issuer, client, user, purpose, address, path, query, request, event string, status int) {
		r := audit.Record{
			Time: time.Unix(1_800_000_000, 0), Subject: subject, Issuer: issuer, Client: client, User: user, Purpose: purpose, Address: address,
			Path: path, Query: query, Request: request, Event: event, Status: status, Method: "GET",
			Read: []string{"Patient/a/_history/1"}, Patients: []string{"Patient/a"}, Created: []string{"Basic/1"},
			Damaged: []string{"Patient/a/_history/1", "packs/0000000001.pack"}, Found: "walk", Note: query,
		}
		docs, err := balp.NewWriter("tx.example", "").Append(nil, &r)
		if err != nil {
			t.Fatal(err)
		}
		store := resources.NewService(memory.New(), nil, resources.WithAppendOnly("AuditEvent"))
		if err := store.Append(t.Context(), docs); err != nil {
			t.Fatalf("%v: %s", err, docs)
		}
	})
}
