package subscriptions

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/roget-health/roget/access/audit"
	"github.com/roget-health/roget/adapters/memory"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
)

// TestNotifier takes a Subscription through its states.
func TestNotifier(t *testing.T) {
	var mu sync.Mutex
	var got, audited []string
	var broken atomic.Bool
	endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if broken.Load() {
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		got = append(got, fmt.Sprint(r.Method, " ", r.URL.Path, " ", r.ContentLength, " ", r.Header.Get("X-Key")))
	}))
	defer endpoint.Close()
	store := memory.New()
	host := strings.TrimPrefix(endpoint.URL, "http://")
	service := resources.NewService(store, nil, resources.WithSubscriptions(Hosts{host}.Allow))
	start := func(service *resources.Service) (stop func()) {
		n := New(service, store, Options{Poll: time.Millisecond, FirstRetry: time.Millisecond, GiveUp: 20 * time.Millisecond, Audit: func(_ context.Context, r audit.Record) error {
			mu.Lock()
			defer mu.Unlock()
			if len(audited) == 0 || audited[len(audited)-1] != fmt.Sprint(r.Read, r.Patients) {
				audited = append(audited, fmt.Sprint(r.Read, r.Patients))
			}
			return nil
		}})
		ctx, cancel := context.WithCancel(t.Context())
		var group sync.WaitGroup
		group.Go(func() { n.Run(ctx) })
		return func() { cancel(); group.Wait() }
	}
	put := func(typ, id, rest string) {
		t.Helper()
		body := `{"resourceType":"` + typ + `","id":"` + id + `",` + rest + `}`
		if _, err := service.Update(t.Context(), typ, id, []byte(body), resources.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	observe := func(n int) {
		put("Observation", fmt.Sprint("o", n), `"status":"final","code":{"text":"x"},"subject":{"reference":"Patient/p"}`)
	}
	subscribe := func(status string) {
		put("Subscription", "s", `"status":"`+status+`","reason":"x","criteria":"Observation?status=final","channel":{"type":"rest-hook","endpoint":"`+endpoint.URL+`/hook","header":["X-Key: k"]}`)
	}
	state := func(want string) {
		t.Helper()
		var sub resources.Subscription
		for wait := 0; sub.Status != want && wait < 5000; wait++ {
			v, err := service.Read(t.Context(), "Subscription", "s")
			if err != nil {
				t.Fatal(err)
			}
			if sub, err = resources.ParseSubscription(v.Body); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Millisecond)
		}
		if sub.Status != want {
			t.Fatalf("the status is %s, want %s", sub.Status, want)
		}
	}
	count := func(want int) {
		t.Helper()
		n := 0
		for wait := 0; n < want && wait < 5000; wait++ {
			time.Sleep(time.Millisecond)
			mu.Lock()
			n = len(got)
			mu.Unlock()
		}
		if n != want {
			t.Fatalf("%d notifications, want %d", n, want)
		}
	}

	stop := start(service)
	observe(0) // before there is a Subscription
	time.Sleep(2 * time.Millisecond)
	subscribe("requested")
	state("active")
	observe(1)
	put("Observation", "o2", `"status":"amended","code":{"text":"x"}`)
	observe(3)
	count(2)
	stop()
	observe(4)
	stop = start(service) // goes on where it was
	count(3)
	broken.Store(true)
	observe(5)
	state("error")
	v, _ := service.Read(t.Context(), "Subscription", "s")
	if !strings.Contains(string(v.Body), "307") {
		t.Errorf("the error: %s", v.Body)
	}
	broken.Store(false)
	subscribe("requested") // which loses nothing
	state("active")
	count(4)
	subscribe("off")
	for at, wait := index.Seq(1), 0; at != 0 && wait < 5000; wait++ { // until it is noticed
		time.Sleep(time.Millisecond)
		at, _ = New(service, store, Options{}).position(t.Context(), "s")
	}
	observe(6)
	time.Sleep(2 * time.Millisecond)
	subscribe("requested") // which begins anew
	state("active")
	observe(7)
	count(5)
	put("Subscription", "s", `"status":"requested","reason":"x","end":"2001-01-01T00:00:00Z","criteria":"Observation?status=final","channel":{"type":"rest-hook","endpoint":"`+endpoint.URL+`"}`)
	state("off")
	subscribe("requested")
	state("active")
	stop()
	stop = start(resources.NewService(store, nil, resources.WithSubscriptions(Hosts{"elsewhere.example"}.Allow)))
	state("error") // the host is no longer allowed
	stop()
	if v, _ = service.Read(t.Context(), "Subscription", "s"); !strings.Contains(string(v.Body), "--subscription-hosts") {
		t.Errorf("the error: %s", v.Body)
	}
	if slices.ContainsFunc(got, func(s string) bool { return s != "POST /hook 0 k" }) {
		t.Errorf("notifications: %v", got)
	}
	if want := "[[Observation/o1/_history/1] [Patient/p] [Observation/o3/_history/1] [Patient/p] [Observation/o4/_history/1] [Patient/p] [Observation/o5/_history/1] [Patient/p] [Observation/o7/_history/1] [Patient/p]]"; fmt.Sprint(audited) != want {
		t.Errorf("audited: %v", audited)
	}
}

func TestHosts(t *testing.T) {
	for text, hosts := range map[string]Hosts{
		"http://a.example/x": {"a.example"}, "http://A.example:90/x": {"a.example"}, "https://a.example:90": {"b", "a.example:90"}, "http://[::1]:9/": {"[::1]:9"},
	} {
		u, err := url.Parse(text)
		if err != nil || hosts.Allow(u) != nil || hosts.Check() != nil {
			t.Errorf("%s is not on %v: %v %v %v", text, hosts, err, hosts.Allow(u), hosts.Check())
		}
		if (Hosts{"example", "other.a.example", "a.example:91"}).Allow(u) == nil {
			t.Errorf("%s is allowed", text)
		}
	}
	for _, host := range []string{"", "http://a", "a/b", "u@a", "a b"} {
		if (Hosts{host}).Check() == nil {
			t.Errorf("%q is a host", host)
		}
	}
}
