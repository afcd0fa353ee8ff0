package resources_test

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/access"
	"github.com/roget-health/roget/adapters/memory"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
	"github.com/roget-health/roget/resources/validate"
)

// TestUnserved checks what is refused because the server would not do it.
func TestUnserved(t *testing.T) {
	service := resources.NewService(memory.New(), nil, resources.WithAppendOnly("AuditEvent"), resources.WithSubscriptions(func(endpoint *url.URL) error {
		if endpoint.Host != "here.example" {
			return errors.New("allow it with --subscription-hosts")
		}
		return nil
	}))
	const good = `{"resourceType":"Subscription","status":"requested","reason":"x","criteria":"Observation?code=a","channel":{"type":"rest-hook","endpoint":"https://here.example/hook","header":["A: b"]}}`
	parameter := `{"resourceType":"SearchParameter","url":"http://x.example/p","name":"P","status":"active","description":"x","code":"code","base":["Observation"],"type":"token"}`
	for _, tt := range []struct{ old, new, at, text string }{
		{"", "", "", ""},
		{"rest-hook", "websocket", "Subscription.channel.type", "use rest-hook"},
		{"https://here", "https://there", "Subscription.channel.endpoint", "--subscription-hosts"},
		{"https://here", "https://user:pw@here", "Subscription.channel.endpoint", "password"},
		{"https://here.example", "ftp://here.example", "Subscription.channel.endpoint", "http"},
		{`"header"`, `"payload":"application/fhir+xml","header"`, "Subscription.channel.payload", "application/fhir+json"},
		{"A: b", "A", "Subscription.channel.header[0]", "colon"},
		{"A: b", "Host: b", "Subscription.channel.header[0]", "by the server"},
		{"A: b", "A: b\\nC: d", "Subscription.channel.header[0]", "ASCII"},
		{"code=a", "colour=a", "Subscription.criteria", "colour"},
		{"code=a", "_sort=code", "Subscription.criteria", "_sort"},
		{"Observation?", "Cow?", "Subscription.criteria", "Cow"},
		{"Observation?code=a", "AuditEvent?action=R", "Subscription.criteria", "cannot be notified"},
		{`requested`, `off`, "", ""},
		{`"requested","reason":"x","criteria":"Observation?code=a","channel":{"type":"rest-hook"`, `"off","reason":"x","criteria":"Cow?","channel":{"type":"websocket"`, "", ""},
	} {
		_, err := service.Create(t.Context(), "Subscription", []byte(strings.Replace(good, tt.old, tt.new, 1)), resources.CreateOptions{})
		wantIssue(t, tt.new, err, tt.at, tt.text)
	}
	for code, at := range map[string]string{"code": "", "colour": "SearchParameter.code"} {
		_, err := service.Create(t.Context(), "SearchParameter", []byte(strings.Replace(parameter, `"code":"code"`, `"code":"`+code+`"`, 1)), resources.CreateOptions{})
		wantIssue(t, code, err, at, "not supported yet")
	}

	for scope, want := range map[string]error{
		"system/*.cruds": nil, "system/Subscription.cruds system/Observation.rs": nil,
		"system/Subscription.cruds system/Observation.rs?code=b": access.ErrForbidden, "system/Subscription.cruds": access.ErrForbidden,
	} {
		for query, wantHere := range map[string]error{"code=a": want, "subject:Patient.name=x": nil} {
			if wantHere == nil && query != "code=a" && scope != "system/*.cruds" {
				wantHere = access.ErrForbidden
			}
			grant := &access.Grant{}
			for text := range strings.FieldsSeq(scope) {
				s, err := access.ParseScope(text)
				if err != nil {
					t.Fatal(err)
				}
				grant.Allow = append(grant.Allow, s)
			}
			ctx := access.WithGrant(t.Context(), grant)
			if _, err := service.Create(ctx, "Subscription", []byte(strings.Replace(good, "code=a", query, 1)), resources.CreateOptions{}); !errors.Is(err, wantHere) {
				t.Errorf("%s with %s: %v, want %v", query, scope, err, wantHere)
			}
		}
	}
}

func wantIssue(t *testing.T, name string, err error, at, text string) {
	t.Helper()
	if at == "" {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		return
	}
	invalid, is := errors.AsType[*validate.Invalid](err)
	if !is || !slices.ContainsFunc(invalid.Issues, func(i validate.Issue) bool { return i.Expression == at && strings.Contains(i.Text, text) }) {
		t.Errorf("%s: %v, want %s: %s", name, err, at, text)
	}
}

// TestWatch compares what a Watch finds, in pages, with what was stored.
func TestWatch(t *testing.T) {
	onStores(t, func(t *testing.T, store resources.Store) {
		service := resources.NewService(store, nil)
		var want []string
		put := func(n int) {
			id, status := fmt.Sprint("o", n%7), []string{"final", "amended"}[n%2]
			body := fmt.Sprintf(`{"resourceType":"Observation","id":%q,"status":%q,"code":{"text":"x"},"valueInteger":%d}`, id, status, n)
			o, err := service.Update(t.Context(), "Observation", id, []byte(body), resources.UpdateOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if status == "final" {
				want = append(want, fmt.Sprint(id, " ", o.VersionID))
			}
		}
		watch, err := service.Watch("Observation?status=final")
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		var at index.Seq
		for n := range 1000 {
			put(n)
			if n%333 != 0 && n < 990 {
				continue
			}
			for more := true; more; {
				var changes []resources.Change
				if changes, at, more, err = watch.Next(t.Context(), at); err != nil {
					t.Fatal(err)
				}
				for _, c := range changes {
					got = append(got, fmt.Sprint(c.ID, " ", c.VersionID))
				}
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d changes, want %d", len(got), len(want))
		}
		if _, err := service.Delete(t.Context(), "Observation", "o1", resources.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		if changes, _, _, err := watch.Next(t.Context(), at); err != nil || len(changes) != 1 || !changes[0].Deleted {
			t.Errorf("a deletion: %v %v", changes, err)
		}
	})
}
