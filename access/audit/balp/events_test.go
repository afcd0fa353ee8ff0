package balp_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/roget-health/roget/access/audit"
	"github.com/roget-health/roget/access/audit/balp"
	"github.com/roget-health/roget/adapters/memory"
	"github.com/roget-health/roget/resources"
)

// event is an AuditEvent as a reader that shares nothing with the writer sees it.
type event struct {
	ResourceType string
	Meta         struct{ Profile []string }
	Type         struct{ System, Code string }
	Subtype      []struct{ System, Code string }
	Action       string
	Recorded     time.Time
	Outcome      string
	OutcomeDesc  string
	Agent        []struct {
		Type struct {
			Coding []struct{ System, Code string }
		}
		Who          who
		Name         string
		Requestor    *bool
		Network      *struct{ Address, Type string }
		PurposeOfUse []struct{ Text string }
	}
	Source struct{ Observer who }
	Entity []struct {
		What       *who
		Type, Role struct{ System, Code string }
		Query      []byte
	}
}

type who struct {
	Reference, Display string
	Identifier         struct {
		System, Value string
		Assigner      struct{ Display string }
	}
}

// text returns the event on one line: profile, subtypes, action, outcome, the roles of its agents, and
// its entities.
func (e *event) text(t *testing.T) string {
	var b strings.Builder
	profile := "-"
	for _, p := range e.Meta.Profile {
		profile, _ = strings.CutPrefix(p, "https://profiles.ihe.net/ITI/BALP/StructureDefinition/IHE.BasicAudit.")
	}
	fmt.Fprintf(&b, "%s %s", profile, e.Type.Code)
	for _, s := range e.Subtype {
		b.WriteString("/" + s.Code)
	}
	fmt.Fprintf(&b, " %s%s", e.Action, e.Outcome)
	for _, a := range e.Agent {
		if a.Requestor == nil {
			t.Error("an agent does not say whether it is the requestor")
		}
		b.WriteString(" " + a.Type.Coding[0].Code)
		if *a.Requestor {
			b.WriteString("!")
		}
	}
	for _, en := range e.Entity {
		switch {
		case en.Type.Code == "2" && en.Role.Code == "4":
			b.WriteString(" data " + en.What.Reference)
		case en.Type.Code == "2" && en.Role.Code == "24" && en.What == nil:
			b.WriteString(" query " + string(en.Query))
		case en.Type.Code == "1" && en.Role.Code == "1":
			b.WriteString(" of " + en.What.Reference)
		case en.Type.Code == "XrequestId" && en.Type.System == "https://profiles.ihe.net/ITI/BALP/CodeSystem/BasicAuditEntityType":
			b.WriteString(" in " + en.What.Identifier.Value)
		default:
			t.Errorf("unknown entity %+v", en)
		}
	}
	return b.String()
}

func eventsOf(t *testing.T, r audit.Record) (list []event) {
	t.Helper()
	docs, err := balp.NewWriter("tx.example", "https://tx.example/fhir").Append(nil, &r)
	if err != nil {
		t.Fatal(err)
	}
	for _, doc := range docs {
		var e event
		if err := json.Unmarshal(doc, &e); err != nil {
			t.Fatalf("%s: %v", doc, err)
		}
		if e.ResourceType != "AuditEvent" || e.Source.Observer.Identifier.Value != "https://tx.example/fhir" {
			t.Errorf("resourceType and observer of %s", doc)
		}
		list = append(list, e)
	}
	return list
}

// TestPatterns compares events with what BALP 1.1.4 states about each interaction: who is source
// (110153) and destination (110152), the action, the subtype, and the entities.
func TestPatterns(t *testing.T) {
	base := audit.Record{
		Time: time.Date(2026, 11, 24, 8, 0, 0, 0, time.UTC), Request: "r1", Status: 200, Address: "2001:db8::1",
		Subject: "meyer", Issuer: "https://login.example", Method: "GET", Path: "/Patient/a",
	}
	const o, pa, pb = "Observation/o/_history/2", "Patient/a", "Patient/b"
	owners := map[string][]string{o: {"a"}}
	for _, tt := range []struct {
		name string
		r    audit.Record
		want []string
	}{
		{"read", audit.Record{Event: "read", Read: []string{o}, Patients: []string{pa}}, []string{"PatientRead rest/read R0 110152 110153 IRCP! data " + o + " of Patient/a in r1"}},
		{"vread of two patients", audit.Record{Event: "vread", Read: []string{o}, Patients: []string{pa, pb}}, []string{
			"PatientRead rest/vread R0 110152 110153 IRCP! data " + o + " of Patient/a in r1", "PatientRead rest/vread R0 110152 110153 IRCP! data " + o + " of Patient/b in r1",
		}},
		{"read without patient", audit.Record{Event: "read", Read: []string{"Organization/g"}}, []string{"Read rest/read R0 110152 110153 IRCP! data Organization/g in r1"}},
		{"create", audit.Record{Event: "create", Status: 201, Created: []string{o}, Owners: owners, Patients: []string{pa}}, []string{"PatientCreate rest/create C0 110153 110152 AUT! data " + o + " of Patient/a in r1"}},
		{"create without patient", audit.Record{Event: "create", Status: 201, Created: []string{"Organization/g"}}, []string{"Create rest/create C0 110153 110152 AUT! data Organization/g in r1"}},
		{"update", audit.Record{Event: "update", Updated: []string{o}, Owners: owners}, []string{"PatientUpdate rest/update U0 110153 110152 AUT! data " + o + " of Patient/a in r1"}},
		{"update that creates", audit.Record{Event: "update", Status: 201, Created: []string{o}, Owners: owners}, []string{"PatientCreate rest/create/update C0 110153 110152 AUT! data " + o + " of Patient/a in r1"}},
		{"update that changes nothing", audit.Record{Event: "update", Read: []string{o}, Patients: []string{pa}}, []string{"PatientRead rest/read/update R0 110152 110153 IRCP! data " + o + " of Patient/a in r1"}},
		{"patch", audit.Record{Event: "patch", Updated: []string{o}}, []string{"Update rest/patch U0 110153 110152 AUT! data " + o + " in r1"}},
		{"delete", audit.Record{Event: "delete", Status: 204, Deleted: []string{o}, Owners: owners}, []string{"PatientDelete rest/delete D0 110150 custodian AUT! data " + o + " of Patient/a in r1"}},
		{"deletes of different patients", audit.Record{Event: "delete", Status: 204, Deleted: []string{o, "Basic/x"}, Owners: map[string][]string{o: {"a"}, "Basic/x": {"b"}}, Patients: []string{pa, pb}}, []string{
			"PatientDelete rest/delete D0 110150 custodian AUT! data " + o + " of Patient/a in r1", "PatientDelete rest/delete D0 110150 custodian AUT! data Basic/x of Patient/b in r1",
		}},
		{"search", audit.Record{Event: "search", Type: "Observation", Path: "/Observation", Query: "code=x", Read: []string{o, "Observation/p"}, Patients: []string{pa, pb}}, []string{
			"PatientQuery rest/search-type E0 110153 110152 IRCP! query GET /Observation?code=x of Patient/a in r1",
			"PatientQuery rest/search-type E0 110153 110152 IRCP! query GET /Observation?code=x of Patient/b in r1",
		}},
		{"search of all types without result", audit.Record{Event: "search", Path: "/", Query: "_id=x"}, []string{"Query rest/search-system E0 110153 110152 IRCP! query GET /?_id=x in r1"}},
		{"search of audit events", audit.Record{Event: "search", Type: "AuditEvent", Path: "/AuditEvent", Read: []string{"AuditEvent/1", "AuditEvent/2"}, Patients: []string{pa, pb}}, []string{
			"Query rest/search-type E0 110153 110152 IRCP! query GET /AuditEvent in r1",
		}},
		{"history", audit.Record{Event: "history", Read: []string{o}, Patients: []string{pa}, Path: "/Observation/_history"}, []string{"- rest/history R0 110152 110153 IRCP! query GET /Observation/_history of Patient/a in r1"}},
		{"everything", audit.Record{Event: "$everything", Type: "Patient", Read: []string{pa, o}, Patients: []string{pa}, Path: "/Patient/a/$everything"}, []string{"- rest/operation E0 110153 110152 IRCP! query GET /Patient/a/$everything of Patient/a in r1"}},
		{"operation that creates", audit.Record{Event: "$import", Created: []string{o}, Owners: owners}, []string{"PatientCreate rest/create/operation C0 110153 110152 AUT! data " + o + " of Patient/a in r1"}},
		{"terminology", audit.Record{Event: "$lookup", Type: "CodeSystem"}, nil},
		{"missing", audit.Record{Event: "read", Status: 404}, []string{"- rest/read R4 110152 110153 IRCP! query GET /Patient/a in r1"}},
		{"failed", audit.Record{Event: "search", Type: "Patient", Status: 503}, []string{"- rest/search-type E8 110153 110152 IRCP! query GET /Patient/a in r1"}},
		{"forbidden", audit.Record{Event: "read", Status: 403}, []string{"- 110113/read R4 110152 110153 IRCP! query GET /Patient/a in r1"}},
		{"envelope", audit.Record{Event: "batch"}, nil},
		{"unknown path", audit.Record{Event: "unknown", Status: 404}, nil},
	} {
		r := tt.r
		r.Time, r.Request, r.Address, r.Subject, r.Issuer, r.Method = base.Time, base.Request, base.Address, base.Subject, base.Issuer, base.Method
		if r.Status == 0 {
			r.Status = base.Status
		}
		if r.Path == "" {
			r.Path = base.Path
		}
		var got []string
		for _, e := range eventsOf(t, r) {
			got = append(got, e.text(t))
			client, server, user := &e.Agent[0], &e.Agent[1], &e.Agent[2]
			if client.Network.Address != "2001:db8::1" || client.Network.Type != "2" || server.Network.Address != "https://tx.example/fhir" || server.Network.Type != "5" || user.Network != nil {
				t.Errorf("%s: networks %v %v %v", tt.name, client.Network, server.Network, user.Network)
			}
			if user.Name != "meyer" || user.Who.Identifier.Value != "meyer" || user.Who.Identifier.System != "https://login.example" {
				t.Errorf("%s: user %+v", tt.name, user)
			}
			if !e.Recorded.Equal(base.Time) {
				t.Errorf("%s: recorded %v", tt.name, e.Recorded)
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s:\n%s\nwant\n%s", tt.name, strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
		}
	}
}

// TestAgents checks who is the requestor, and how those are named whom a local file knows.
func TestAgents(t *testing.T) {
	read := audit.Record{Event: "read", Request: "r", Status: 200, Read: []string{"Basic/1"}, Purpose: "TREAT"}
	nobody := eventsOf(t, read)[0]
	if len(nobody.Agent) != 2 || !*nobody.Agent[0].Requestor || *nobody.Agent[1].Requestor || nobody.Agent[0].PurposeOfUse[0].Text != "TREAT" {
		t.Errorf("without authentication: %+v", nobody.Agent)
	}
	read.Subject, read.Issuer, read.Client, read.User, read.Address = "lab", "tokens.toml", "app", "Practitioner/1", "10.0.0.1"
	e := eventsOf(t, read)[0]
	client, user := &e.Agent[0], &e.Agent[2]
	if client.Who.Identifier.Value != "app" || *client.Requestor || client.PurposeOfUse != nil {
		t.Errorf("client %+v", client)
	}
	if user.Who.Reference != "Practitioner/1" || user.Who.Identifier.System != "" || user.Who.Identifier.Assigner.Display != "tokens.toml" || user.PurposeOfUse[0].Text != "TREAT" {
		t.Errorf("user %+v", user)
	}
}

// TestManyPatients checks the bound on the events of a record, and that no patient is lost.
func TestManyPatients(t *testing.T) {
	for _, tt := range []struct {
		patients, events int
		profile          string
	}{{200, 200, "PatientQuery"}, {201, 1, "Query"}, {1300, 3, "Query"}} {
		r := audit.Record{Event: "search", Type: "Patient", Request: "r", Status: 200}
		for i := range tt.patients {
			r.Patients = append(r.Patients, fmt.Sprintf("Patient/%d", i))
		}
		events := eventsOf(t, r)
		named := map[string]bool{}
		for i := range events {
			if !strings.HasSuffix(events[i].Meta.Profile[0], "."+tt.profile) {
				t.Errorf("%d patients: %v, want %s", tt.patients, events[i].Meta.Profile, tt.profile)
			}
			for _, en := range events[i].Entity {
				if en.Type.Code == "1" {
					named[en.What.Reference] = true
				}
			}
		}
		if len(events) != tt.events || len(named) != tt.patients {
			t.Errorf("%d patients: %d events name %d of them", tt.patients, len(events), len(named))
		}
	}
}

// TestServerEvents checks the events about the server itself.
func TestServerEvents(t *testing.T) {
	for name, want := range map[string]string{
		audit.EventStart: "- 110100/110120 E0 110150", audit.EventStop: "- 110100/110121 E0 110150", audit.EventRefusals: "- 110113 E4 110150 110153!",
	} {
		got := eventsOf(t, audit.Record{Event: name, Count: 7, Address: "10.0.0.1"})
		if len(got) != 1 || got[0].text(t) != want {
			t.Errorf("%s: %+v, want %s", name, got, want)
		}
	}
	damage := audit.Record{Event: audit.EventDamage, Found: "scrub", Note: "checksum mismatch", Damaged: []string{"Patient/a/_history/2", "packs/0000000001.pack"}}
	got := eventsOf(t, damage)
	if len(got) != 1 || got[0].Type.Code != "110113" || got[0].Outcome != "8" || got[0].OutcomeDesc != "damage found (scrub): checksum mismatch" ||
		len(got[0].Entity) != 2 || got[0].Entity[0].What.Reference != "Patient/a/_history/2" || got[0].Entity[1].What.Display != "packs/0000000001.pack" {
		t.Errorf("damage: %+v", got)
	}
	for _, name := range []string{audit.EventFile, audit.EventRepair, audit.EventRemoved} {
		if got := eventsOf(t, audit.Record{Event: name}); len(got) > 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

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
