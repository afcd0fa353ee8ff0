package engine_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/roget-health/roget/engine"
)

// start starts a cache at the endpoint "/r4".
func start(t testing.TB, o *engine.Overlays, sealed bool, documents ...json.RawMessage) engine.CacheKey {
	t.Helper()
	id, err := o.StartCache("/r4", "tx-resource", documents, sealed)
	if err != nil {
		t.Fatal(err)
	}
	return engine.CacheKey{Endpoint: "/r4", ID: id}
}

func cached(t testing.TB, o *engine.Overlays, key engine.CacheKey, documents ...json.RawMessage) *engine.Engine {
	t.Helper()
	e, err := o.Cached(key, "tx-resource", documents, nil)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestCaches checks which resources a cache has: a sealed one those of its start, another one
// those of all requests.
func TestCaches(t *testing.T) {
	base := zoo(t)
	o := engine.NewOverlays(base, engine.OverlayLimits{})
	sealed, growing := start(t, o, true, bird("wren")), start(t, o, false, bird("wren"))
	for _, key := range []engine.CacheKey{sealed, growing} {
		e := cached(t, o, key)
		if !knows(e, "wren") || cached(t, o, key) != e {
			t.Error("the resources of the start are there, and the engine is made once")
		}
		if e := cached(t, o, key, bird("rook")); !knows(e, "rook") || !knows(e, "wren") {
			t.Error("a request has its resources and those of the cache")
		}
		for more, fits := range []bool{false, true} {
			limits := engine.OverlayLimits{MaxBytes: int64(len(bird("tern")) + more - 1)}
			if _, err := engine.NewOverlays(base, limits).For("tx-resource", []json.RawMessage{bird("tern")}); (err == nil) != fits {
				t.Errorf("limits %+v: %v", limits, err)
			}
		}
		if e := cached(t, o, key, bird("tern")); !knows(e, "tern") || knows(e, "rook") != (key == growing) {
			t.Error("a request has resources of another one")
		}
		if _, err := o.Cached(key, "tx-resource", []json.RawMessage{[]byte(`{}`)}, nil); !errors.Is(err, engine.ErrInvalidParameter) {
			t.Error("no resource:", err)
		}
		if knows(cached(t, o, key), "rook") != (key == growing) {
			t.Error("only a cache that is not sealed grows")
		}
		if _, err := o.Cached(key, "tx-resource", nil, []json.RawMessage{bird("crow")}); err != nil {
			t.Fatal(err)
		}
		if knows(cached(t, o, key), "crow") != (key == growing) {
			t.Error("only a cache that is not sealed keeps what a request names elsewhere")
		}
		if o.CacheGrows(key) != (key == growing) {
			t.Error("CacheGrows")
		}
	}
	if cached(t, o, start(t, o, true)) != base {
		t.Error("an empty cache changes nothing")
	}
	publish(t, base, engine.ValueSetEntry(decodeValueSet(`{"id":"new","url":"http://example.org/vs/new","status":"active","compose":{"include":[{"system":"http://example.org/wren"}]}}`), "test"))
	if x, err := cached(t, o, sealed).Expand(t.Context(), &engine.ExpandRequest{URL: "http://example.org/vs/new"}); err != nil || x.Total != 1 {
		t.Error("what was published since is seen:", err)
	}
}

// TestCachesAreApart tries to reach a cache with anything but its id at its endpoint.
func TestCachesAreApart(t *testing.T) {
	o := engine.NewOverlays(zoo(t), engine.OverlayLimits{})
	key := start(t, o, false, bird("wren"))
	if len(key.ID) < 20 || start(t, o, false).ID == key.ID {
		t.Errorf("id %q can be guessed", key.ID)
	}
	for _, wrong := range []engine.CacheKey{
		{Endpoint: "/r4", ID: "mine"},
		{Endpoint: "/r4"},
		{Endpoint: "/r4", ID: strings.ToLower(key.ID)},
		{Endpoint: "/r5", ID: key.ID},
		{Endpoint: "", ID: "/r4" + key.ID},
		{Endpoint: "/r4\x00" + key.ID},
	} {
		for range 2 { // naming one does not make one
			if _, err := o.Cached(wrong, "tx-resource", []json.RawMessage{bird("crow")}, nil); !errors.Is(err, engine.ErrUnknownCache) {
				t.Errorf("%q: %v", wrong, err)
			} else if wrong.ID != "" && strings.Contains(err.Error(), wrong.ID) {
				t.Errorf("the error tells the id: %v", err)
			}
		}
		o.EndCache(wrong)
		if _, err := o.CheckCache(wrong); !errors.Is(err, engine.ErrUnknownCache) {
			t.Errorf("%q: %v", wrong, err)
		}
	}
	if e := cached(t, o, key); !knows(e, "wren") || knows(e, "crow") {
		t.Error("another client changed the cache")
	}
	o.EndCache(key)
	if _, err := o.Cached(key, "tx-resource", nil, nil); !errors.Is(err, engine.ErrUnknownCache) {
		t.Error("it ended:", err)
	}
}

// TestCacheLimits checks what is refused, and that nothing that is in use makes room for others.
func TestCacheLimits(t *testing.T) {
	size := int64(len(bird("wren")))
	o := engine.NewOverlays(zoo(t), engine.OverlayLimits{MaxResources: 3, MaxRemembered: 2, RememberedBytes: 4 * size})
	first := start(t, o, false, bird("wren"), bird("rook"))
	if _, err := o.Cached(first, "tx-resource", []json.RawMessage{bird("tern"), bird("swan")}, nil); !errors.Is(err, engine.ErrInvalidParameter) || !strings.Contains(err.Error(), "4 resources") {
		t.Error("resources of the cache count:", err)
	}
	if _, err := o.Cached(first, "tx-resource", []json.RawMessage{bird("tern")}, []json.RawMessage{bird("swan")}); !errors.Is(err, engine.ErrInvalidParameter) {
		t.Error("what it would keep counts:", err)
	}
	if knows(cached(t, o, first), "tern") {
		t.Error("a refused request changed the cache")
	}
	second := start(t, o, false, bird("wren"))
	if _, err := o.StartCache("/r4", "tx-resource", nil, true); !errors.Is(err, engine.ErrTooManyCaches) {
		t.Error("a third one:", err)
	}
	cached(t, o, second, bird("crow"))
	if _, err := o.Cached(second, "tx-resource", []json.RawMessage{bird("gull")}, nil); !errors.Is(err, engine.ErrTooManyCaches) {
		t.Error("more bytes than all may have:", err)
	}
	if !knows(cached(t, o, first), "rook") || !knows(cached(t, o, second), "crow") {
		t.Error("a cache in use was dropped")
	}
	o.EndCache(first)
	third := start(t, o, true, bird("tern"))
	if _, err := o.StartCache("/r4", "tx-resource", []json.RawMessage{bird("wren")}, true); !errors.Is(err, engine.ErrTooManyCaches) {
		t.Error("another third one:", err)
	}
	o.EndCache(second)
	if _, err := o.StartCache("/r4", "tx-resource", []json.RawMessage{bird("wren"), bird("rook"), bird("crow")}, true); err != nil {
		t.Error("the bytes of what ended are free:", err)
	}
	if e := cached(t, o, third, bird("wren"), bird("rook")); !knows(e, "tern") || !knows(e, "rook") {
		t.Error("a sealed cache and a request")
	}
	if _, err := o.Cached(third, "tx-resource", []json.RawMessage{bird("wren"), bird("rook"), bird("crow")}, nil); !errors.Is(err, engine.ErrInvalidParameter) {
		t.Error("resources of a sealed cache count:", err)
	}
}

// TestCacheIdle checks that a cache ends when nobody uses it, that a check counts as use, and that
// the memory is free without another request.
func TestCacheIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		size := int64(len(bird("wren")))
		o := engine.NewOverlays(engine.New(), engine.OverlayLimits{Idle: time.Hour, RememberedBytes: size})
		key := start(t, o, true, bird("wren"))
		for range 3 {
			time.Sleep(50 * time.Minute)
			status, err := o.CheckCache(key)
			want := engine.CacheStatus{Sealed: true, Resources: 1, Idle: 50 * time.Minute, Timeout: time.Hour}
			if err != nil || status != want {
				t.Fatal(status, err)
			}
			time.Sleep(50 * time.Minute)
			cached(t, o, key)
		}
		time.Sleep(time.Hour + time.Second)
		if _, err := o.CheckCache(key); !errors.Is(err, engine.ErrUnknownCache) {
			t.Error("it is there although nobody used it:", err)
		}
		start(t, o, true, bird("wren"))
		time.Sleep(time.Hour)
		start(t, o, true, bird("wren")) // the idle one makes room
		time.Sleep(2 * time.Hour)
		if n := o.CacheCount(); n != 0 {
			t.Errorf("%d caches are there although nobody asked", n)
		}
		synctest.Wait()
	})
}

// TestCacheChanges sends a resource, another one of its canonical, and the first again: the one
// that came last counts.
func TestCacheChanges(t *testing.T) {
	o := engine.NewOverlays(zoo(t), engine.OverlayLimits{MaxResources: 2})
	changed := json.RawMessage(strings.Replace(string(bird("wren")), `"code":"wren"`, `"code":"troglodytes"`, 1))
	knowsNew := func(e *engine.Engine) bool {
		_, err := e.Lookup(t.Context(), &engine.LookupRequest{System: "http://example.org/wren", Code: "troglodytes"})
		return err == nil
	}
	key := start(t, o, false)
	for n := range 3 {
		if e := cached(t, o, key, bird("rook"), bird("wren")); !knows(e, "wren") || knowsNew(e) {
			t.Error(n, "not the first one")
		}
		if e := cached(t, o, key, changed); knows(e, "wren") || !knowsNew(e) || !knows(e, "rook") {
			t.Error(n, "not the changed one")
		}
	}
}
