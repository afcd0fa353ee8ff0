package resources_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/roget-health/roget/adapters/memory"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/index"
	"github.com/roget-health/roget/resources/r4"
)

// heavy returns a Patient with n entries in the index.
func heavy(t *testing.T, id string, n int) string {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, `{"resourceType":"Patient","id":%q`, id)
	for i := range n - 2 { // two are those of every Patient
		fmt.Fprintf(&b, `%s{"value":"%s-%d"}`, []string{`,"identifier":[`, ","}[min(i, 1)], id, i)
	}
	if n > 2 {
		b.WriteByte(']')
	}
	body := b.String() + `}`
	doc, err := document.Parse([]byte(body), r4.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	values, err := index.NewExtractor(definitions.R4()).Extract(doc)
	if err != nil {
		t.Fatal(err)
	}
	if got := values.Count(); got != n {
		t.Fatalf("a Patient that should have %d entries has %d", n, got)
	}
	return body
}

// puts returns entries that store Patients of n entries in the index altogether.
func puts(t *testing.T, prefix string, n int) []string {
	t.Helper()
	var entries []string
	for part := 0; n > 0; part++ {
		id, size := fmt.Sprint(prefix, part), min(n, 39_999)
		entries = append(entries, entry("", "PUT", "Patient/"+id, heavy(t, id, size)))
		n -= size
	}
	return entries
}

// codeSystem returns an entry that stores a CodeSystem of n codes.
func codeSystem(id string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `%s{"code":"%s%d"}`, []string{"", ","}[min(i, 1)], id, i)
	}
	return entry("", "PUT", "CodeSystem/"+id, `{"resourceType":"CodeSystem","id":"`+id+`","status":"active","content":"complete","concept":[`+b.String()+`]}`)
}

// watched is a store that counts the transactions in it, and may keep them there.
type watched struct {
	*memory.Store
	within atomic.Int32
	began  atomic.Int32
	leave  chan struct{} // nil: at once
}

func (s *watched) Transact(ctx context.Context, fn func(resources.Tx) error) error {
	s.began.Add(1)
	s.within.Add(1)
	defer s.within.Add(-1)
	if s.leave != nil {
		<-s.leave
	}
	return s.Store.Transact(ctx, fn)
}

// TestTransactionEntries stores bundles with as many entries in the index as are allowed, and refuses
// others without making anybody wait.
func TestTransactionEntries(t *testing.T) {
	const most = resources.MaxTransactionEntries
	store := &watched{Store: memory.New()}
	service := resources.NewService(store, nil)
	old := entry("", "DELETE", "Patient/nobody", "")
	systems := func(n int) (entries []string) { // of 200,002 entries each
		for i := range n {
			entries = append(entries, codeSystem(fmt.Sprint("c", i), 100_000))
		}
		return entries
	}
	creates := puts(t, "e", most+1)
	for i, put := range creates {
		creates[i] = strings.Replace(put, fmt.Sprintf(`"method":"PUT","url":"Patient/e%d"`, i), `"method":"POST","url":"Patient"`, 1)
	}
	for _, tt := range []struct {
		name    string
		entries []string
		refused string
	}{
		{"as many as are allowed", puts(t, "a", most), ""},
		{"one more", puts(t, "b", most+1), "the resources of a transaction may have 400000 entries"},
		{"one more, and a deletion", append(puts(t, "c", most+1), old), "divide the bundle into several"},
		{"terminology is counted apart", append(puts(t, "d", 1000), systems(4)...), ""},
		{"too much terminology", systems(5), "the CodeSystems, ValueSets and ConceptMaps of a transaction may have 1000000 entries"},
		{"creates, too", creates, "divide the bundle"},
	} {
		if testing.Short() && strings.Contains(tt.name, "terminology") {
			continue
		}
		before := store.began.Load()
		outcomes, err := service.Transaction(t.Context(), bundleOf(t, tt.entries...), resources.TransactionOptions{})
		if tt.refused == "" {
			if err != nil || !outcomes[0].Created {
				t.Errorf("%s: %v", tt.name, err)
			}
			continue
		}
		var of *resources.EntryError
		if !errors.Is(err, index.ErrTooManyValues) || !strings.Contains(err.Error(), tt.refused) || errors.As(err, &of) {
			t.Errorf("%s: %v", tt.name, err)
		}
		if store.began.Load() != before {
			t.Errorf("%s: other writers waited", tt.name)
		}
	}
	if v, err := service.Read(t.Context(), "Patient", "b0"); !errors.Is(err, resources.ErrNotFound) {
		t.Errorf("a refused bundle stored version %d, %v", v.VersionID, err)
	}
}

// TestTransactionEntriesOfPatches: the results of patches count with the other resources, although
// they are made when the transaction has begun.
func TestTransactionEntriesOfPatches(t *testing.T) {
	service := resources.NewService(memory.New(), nil)
	var patches []string
	for i := range 10 {
		id := fmt.Sprint("p", i)
		if _, err := service.Update(t.Context(), "Patient", id, []byte(heavy(t, id, 40_000)), resources.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		patches = append(patches, entry("", "PATCH", "Patient/"+id, `{"resourceType":"Binary","contentType":"application/merge-patch+json","data":"eyJnZW5kZXIiOiJtYWxlIn0="}`)) // gender
	}
	_, err := service.Transaction(t.Context(), bundleOf(t, patches...), resources.TransactionOptions{})
	if !errors.Is(err, index.ErrTooManyValues) || !strings.Contains(err.Error(), "divide the bundle") {
		t.Errorf("ten patches: %v", err)
	}
	if v, err := service.Read(t.Context(), "Patient", "p0"); err != nil || v.VersionID != 1 {
		t.Errorf("version %d, %v", v.VersionID, err)
	}
	if _, err := service.Transaction(t.Context(), bundleOf(t, patches[:5]...), resources.TransactionOptions{}); err != nil {
		t.Errorf("five patches: %v", err)
	}
}

// TestSmallChangesPassLargeOnes: large changes wait for each other before the store, so that a small
// one has at most one of them before it there.
func TestSmallChangesPassLargeOnes(t *testing.T) {
	bundles := make([]*resources.Bundle, 3)
	for i := range bundles {
		bundles[i] = bundleOf(t, puts(t, fmt.Sprint("large", i, "-"), resources.MaxTransactionEntries/2+2)...)
	}
	small := bundleOf(t, puts(t, "small", 100)...)
	synctest.Test(t, func(t *testing.T) {
		store := &watched{Store: memory.New(), leave: make(chan struct{})}
		service := resources.NewService(store, nil)
		done := make(chan error, 5)
		start := func(ctx context.Context, b *resources.Bundle) {
			_, err := service.Transaction(ctx, b, resources.TransactionOptions{})
			done <- err
		}
		ctx, cancel := context.WithCancel(t.Context())
		go start(t.Context(), bundles[0])
		synctest.Wait()
		go start(ctx, bundles[1])
		go start(ctx, bundles[2])
		synctest.Wait()
		if n := store.within.Load(); n != 1 {
			t.Fatalf("%d large changes are in the store", n)
		}
		go start(t.Context(), small)
		synctest.Wait()
		if n := store.within.Load(); n != 2 {
			t.Errorf("a small change waits: %d are in the store", n)
		}
		if _, err := service.Create(t.Context(), "Patient", patient("", "1", "Small"), resources.CreateOptions{}); err != nil {
			t.Error(err)
		}
		cancel()
		for range 2 { // of those that waited
			if err := <-done; !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		}
		close(store.leave)
		for range 2 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		if n := store.began.Load(); n != 2 {
			t.Errorf("%d changes began", n)
		}
		if _, err := service.Transaction(t.Context(), bundles[1], resources.TransactionOptions{}); err != nil {
			t.Error("when there is room again:", err)
		}
	})
}
