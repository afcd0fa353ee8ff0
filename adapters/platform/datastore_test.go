package platform_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/adapters/platform/platformtest"
)

// TestDatastore: platform client, section 4, /api/dataStore and /api/userDataStore.
// Rows of docs/platform.md: 4.12.
func TestDatastore(t *testing.T) {
	onMajors(t, func(t *testing.T, c *platform.Client, p *platformtest.Platform) {
		ctx := t.Context()
		shared, own := c.Datastore(), c.UserDatastore()
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		value, err := shared.Get(ctx, "ns1", "k1")
		if must(err); string(value) != `{"a":1}` {
			t.Errorf("%s", value)
		}
		must(shared.Set(ctx, "ns1", "k1", map[string]int{"a": 2}))
		must(shared.Set(ctx, "a b/c", "k?ü%2f", nil))
		must(own.Set(ctx, "mine", "other", "text"))
		for _, is := range []struct{ user, namespace, key, want string }{
			{"", "ns1", "k1", `{"a":2}`}, {"", "a b/c", "k?ü%2f", `null`}, {platformtest.Username, "mine", "other", `"text"`}, {"", "mine", "other", ``},
		} {
			if got := string(p.Value(is.user, is.namespace, is.key)); got != is.want {
				t.Errorf("%q: %s, want %s", is.user+" "+is.namespace+" "+is.key, got, is.want)
			}
		}
		namespaces, err := shared.Namespaces(ctx)
		if must(err); !slices.Equal(namespaces, []string{"a b/c", "ns1"}) {
			t.Errorf("%q", namespaces)
		}
		keys, err := own.Keys(ctx, "mine")
		if must(err); !slices.Equal(keys, []string{"note", "other"}) {
			t.Errorf("%q", keys)
		}
		must(own.Delete(ctx, "mine", "other"))
		must(own.DeleteNamespace(ctx, "mine"))
		if namespaces, err := own.Namespaces(ctx); err != nil || len(namespaces) != 0 {
			t.Errorf("%q, %v", namespaces, err)
		}
	})
}

// TestDatastoreRefusals: platform client, section 7, a read of a data store that fails is
// an API error with the platform's own message, or the text of its answer.
// Rows of docs/platform.md: 7.7.
func TestDatastoreRefusals(t *testing.T) {
	c, p := onDouble(t, platformtest.Options{})
	ctx, store := t.Context(), c.Datastore()
	_, err := store.Keys(ctx, "none")
	wantAPIError(t, err, http.StatusNotFound, "Namespace not found: 'none'")
	_, err = store.Get(ctx, "ns1", "none")
	wantAPIError(t, err, http.StatusNotFound, "Key 'none' not found in namespace 'ns1'")
	wantAPIError(t, store.Delete(ctx, "ns1", "none"), http.StatusNotFound, "Key 'none'")
	wantAPIError(t, store.DeleteNamespace(ctx, "none"), http.StatusNotFound, "Namespace not found")
	p.Fault("/api/dataStore/ns1/k1", platformtest.Fault{Status: 503, Body: "out\nof order", Header: http.Header{"Content-Type": {"text/plain"}}})
	_, err = store.Get(ctx, "ns1", "k1")
	wantAPIError(t, err, 503, "out of order")
	wantAPIError(t, store.Set(ctx, "ns1", "k1", 1), 503, "out of order")

	p.Forget()
	for _, name := range []string{"", ".", ".."} {
		_, get := store.Get(ctx, "ns1", name)
		_, keys := store.Keys(ctx, name)
		for _, err := range []error{get, keys, store.Set(ctx, name, "k", 1), store.Delete(ctx, "ns1", name), store.DeleteNamespace(ctx, name)} {
			if err == nil {
				t.Errorf("%q is taken as a name", name)
			}
		}
	}
	if err := store.Set(ctx, "ns1", "k2", func() {}); err == nil || !strings.Contains(err.Error(), "k2 of ns1") {
		t.Errorf("a value that is no JSON: %v", err)
	}
	if got := sent(p); len(got) != 0 {
		t.Errorf("sent all the same: %q", got)
	}
}

// TestDatastoreRaces: what another client does between asking and writing costs one more
// request, once. Platform toolkit, section 2.10.
// Rows of docs/platform.md: 4.12, 4.22.
func TestDatastoreRaces(t *testing.T) {
	answered := func(method string, status int) platformtest.Fault {
		return platformtest.Fault{Method: method, Times: 1, Status: status, Body: `{"message":"a race"}`}
	}
	for _, test := range []struct {
		name, key string
		faults    []platformtest.Fault
		methods   string
		status    int // of the error, 0 where there is none
	}{
		{"there", "k1", nil, "GET PUT", 0},
		{"absent", "new", nil, "GET POST", 0},
		{"made in between", "k1", []platformtest.Fault{answered("GET", 404)}, "GET POST PUT", 0},
		{"deleted in between", "new", []platformtest.Fault{answered("GET", 200)}, "GET PUT POST", 0},
		{"made and deleted", "new", []platformtest.Fault{answered("POST", 409), answered("PUT", 404)}, "GET POST PUT", 404},
		{"deleted and made", "k1", []platformtest.Fault{answered("PUT", 404), answered("POST", 409)}, "GET PUT POST", 409},
		{"refused", "k1", []platformtest.Fault{answered("PUT", 409)}, "GET PUT", 409},
		{"not readable", "k1", []platformtest.Fault{answered("GET", 403)}, "GET", 403},
	} {
		t.Run(test.name, func(t *testing.T) {
			c, p := onDouble(t, platformtest.Options{})
			p.Fault("/api/dataStore/ns1/"+test.key, test.faults...)
			err := c.Datastore().Set(t.Context(), "ns1", test.key, 5)
			var methods []string
			for _, r := range p.Requests() {
				methods = append(methods, r.Method)
			}
			if got := strings.Join(methods, " "); got != test.methods {
				t.Errorf("%s, want %s", got, test.methods)
			}
			if test.status != 0 {
				wantAPIError(t, err, test.status, "a race")
			} else if value := p.Value("", "ns1", test.key); err != nil || string(value) != "5" {
				t.Errorf("%v, %s", err, value)
			}
		})
	}
}
