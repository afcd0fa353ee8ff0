package resources_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/roget-health/roget/access"
	"github.com/roget-health/roget/resources"
)

func auditEvent(patient string) string {
	return `{"resourceType":"AuditEvent","type":{"system":"http://terminology.hl7.org/CodeSystem/audit-event-type","code":"rest"},` +
		`"recorded":"2026-11-24T08:00:00Z","agent":[{"requestor":true}],"source":{"observer":{"display":"x"}},` +
		`"entity":[{"what":{"reference":"Patient/` + patient + `"}}]}`
}

// TestAppendOnly checks that a type that is append-only can be created and read, that no way to change
// or delete its resources is left, and that Append needs no grant.
func TestAppendOnly(t *testing.T) {
	onStores(t, func(t *testing.T, store resources.Store) {
		s := resources.NewService(store, nil, resources.WithAppendOnly("AuditEvent"))
		own, err := s.Create(t.Context(), "AuditEvent", []byte(auditEvent("a")), resources.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		docs := make([][]byte, 1100)
		for i := range docs {
			docs[i] = []byte(auditEvent(fmt.Sprint(i)))
		}
		if err := s.Append(access.WithGrant(t.Context(), new(access.Grant)), docs); err != nil {
			t.Fatal(err)
		}
		all := found(t, s, "AuditEvent", "")
		if len(all) != 1000 || strings.HasPrefix(own.ID, "server-") {
			t.Errorf("%d events on the first page; the client's is %s", len(all), own.ID)
		}
		made := found(t, s, "AuditEvent", "patient=1099")
		if len(made) != 1 || !strings.HasPrefix(made[0], "AuditEvent/server-") {
			t.Fatalf("the last appended event: %v", made)
		}
		_, id, _ := strings.Cut(made[0], "/")
		body := strings.Replace(auditEvent("b"), `"type"`, `"id":"`+id+`","type"`, 1)
		patch := appendPatch{}
		for name, change := range map[string]func(ctx context.Context) error{
			"update": func(ctx context.Context) error {
				_, err := s.Update(ctx, "AuditEvent", id, []byte(body), resources.UpdateOptions{})
				return err
			},
			"update as create": func(ctx context.Context) error {
				_, err := s.Update(ctx, "AuditEvent", "server-new", []byte(strings.Replace(body, id, "server-new", 1)), resources.UpdateOptions{})
				return err
			},
			"patch": func(ctx context.Context) error {
				_, err := s.Patch(ctx, "AuditEvent", id, patch, resources.UpdateOptions{})
				return err
			},
			"delete": func(ctx context.Context) error {
				_, err := s.Delete(ctx, "AuditEvent", id, resources.UpdateOptions{})
				return err
			},
			"conditional update": func(ctx context.Context) error {
				_, err := s.UpdateWhere(ctx, "AuditEvent", query(t, "_id="+id), []byte(body), resources.UpdateOptions{})
				return err
			},
			"conditional patch": func(ctx context.Context) error {
				_, err := s.PatchWhere(ctx, "AuditEvent", query(t, "_id="+id), patch, resources.UpdateOptions{})
				return err
			},
			"conditional delete": func(ctx context.Context) error {
				_, err := s.DeleteWhere(ctx, "AuditEvent", query(t, "_id="+id), true, resources.UpdateOptions{})
				return err
			},
			"load": func(ctx context.Context) error {
				results, err := s.Load(ctx, []resources.LoadItem{{Body: []byte(body)}})
				if err != nil {
					return err
				}
				return results[0].Err
			},
			"transaction with PUT": func(ctx context.Context) error {
				_, err := s.Transaction(ctx, &resources.Bundle{Type: "transaction", Entries: []resources.BundleEntry{{Method: "PUT", URL: "AuditEvent/" + id, Resource: []byte(body)}}}, resources.TransactionOptions{})
				return err
			},
			"transaction with DELETE": func(ctx context.Context) error {
				_, err := s.Transaction(ctx, &resources.Bundle{Type: "transaction", Entries: []resources.BundleEntry{{Method: "DELETE", URL: "AuditEvent?_id=" + id}}}, resources.TransactionOptions{})
				return err
			},
		} {
			if err := change(t.Context()); !errors.Is(err, resources.ErrAppendOnly) {
				t.Errorf("%s: %v, want ErrAppendOnly", name, err)
			}
		}
		if page, err := s.History(t.Context(), resources.HistoryRequest{Type: "AuditEvent", ID: id}); err != nil || len(page.Versions) != 1 || page.Versions[0].Deleted {
			t.Errorf("history after all attempts: %+v %v", page, err)
		}
		if _, err := s.Update(t.Context(), "Patient", "a", []byte(`{"resourceType":"Patient","id":"a"}`), resources.UpdateOptions{}); err != nil {
			t.Errorf("another type: %v", err)
		}
	})
}

type appendPatch struct{}

func (appendPatch) Apply(body []byte) ([]byte, error) { return body, nil }

// TestAppendOnlyEverything checks that a patient's $everything has events only if it names them.
func TestAppendOnlyEverything(t *testing.T) {
	onStores(t, func(t *testing.T, store resources.Store) {
		s := resources.NewService(store, nil, resources.WithAppendOnly("AuditEvent"))
		for _, doc := range []string{`{"resourceType":"Patient","id":"a"}`, `{"resourceType":"Basic","id":"x","code":{"text":"x"},"subject":{"reference":"Patient/a"}}`} {
			typ, id := "Patient", "a"
			if strings.Contains(doc, "Basic") {
				typ, id = "Basic", "x"
			}
			if _, err := s.Update(t.Context(), typ, id, []byte(doc), resources.UpdateOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Append(t.Context(), [][]byte{[]byte(auditEvent("a")), []byte(auditEvent("a"))}); err != nil {
			t.Fatal(err)
		}
		for _, tt := range []struct {
			types []string
			want  []string
		}{{nil, []string{"Patient", "Basic"}}, {[]string{"AuditEvent"}, []string{"AuditEvent", "AuditEvent"}}} {
			page, err := s.Everything(t.Context(), resources.EverythingRequest{Type: "Patient", ID: "a", Types: tt.types})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, v := range page.Versions {
				got = append(got, v.Type)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("%v: %v, want %v", tt.types, got, tt.want)
			}
		}
	})
}

// TestAppendRefuses checks that documents that break a rule are not stored.
func TestAppendRefuses(t *testing.T) {
	onStores(t, func(t *testing.T, store resources.Store) {
		s := resources.NewService(store, nil, resources.WithAppendOnly("AuditEvent"))
		for _, doc := range []string{`{"resourceType":"Patient"}`, `{"resourceType":"AuditEvent"}`, `nonsense`} {
			if err := s.Append(t.Context(), [][]byte{[]byte(auditEvent("a")), []byte(doc)}); err == nil {
				t.Errorf("%s was appended", doc)
			}
		}
		if got := found(t, s, "AuditEvent", ""); len(got) > 0 {
			t.Errorf("stored: %v", got)
		}
		if err := resources.NewService(store, nil).Append(t.Context(), [][]byte{[]byte(auditEvent("a"))}); err == nil {
			t.Error("Append without an append-only type")
		}
	})
}

// TestRetention checks that old events go, with the type that is append-only as the only one.
func TestRetention(t *testing.T) {
	onStores(t, func(t *testing.T, store resources.Store) {
		now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		s := resources.NewService(store, nil, resources.WithAppendOnly("AuditEvent"), resources.WithRetention(30*24*time.Hour),
			resources.WithClock(func() time.Time { return now }))
		for month := range 4 {
			now = time.Date(2026, time.Month(1+month), 1, 0, 0, 0, 0, time.UTC)
			if err := s.Append(t.Context(), [][]byte{[]byte(auditEvent(fmt.Sprint("m", month)))}); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Create(t.Context(), "Basic", []byte(`{"resourceType":"Basic","code":{"text":"x"}}`), resources.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		want := 3 // those of January, February and the first moment of March
		if !s.CanForget() {
			want = 0
		}
		now = now.Add(time.Hour)
		if n, err := s.Forget(t.Context()); n != want || err != nil {
			t.Errorf("%d events removed, %v, want %d", n, err, want)
		}
		if got := len(found(t, s, "AuditEvent", "")); got != 4-want {
			t.Errorf("%d events are left", got)
		}
		if got := len(found(t, s, "AuditEvent", "patient=m0")); got != 1 && want == 0 || got != 0 && want > 0 {
			t.Errorf("%d events of January", got)
		}
		if got := len(found(t, s, "Basic", "")); got != 4 {
			t.Errorf("%d other resources are left", got)
		}
		if n, err := resources.NewService(store, nil, resources.WithAppendOnly("AuditEvent")).Forget(t.Context()); n != 0 || err != nil {
			t.Errorf("without a retention: %d, %v", n, err)
		}
	})
}
