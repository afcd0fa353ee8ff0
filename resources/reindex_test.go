package resources_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roget-health/roget/adapters/postgres"
	"github.com/roget-health/roget/adapters/postgres/pgtest"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
	"github.com/roget-health/roget/resources/search"
)

var postgresServer pgtest.Server

func TestMain(m *testing.M) { os.Exit(postgresServer.Main(m)) }

// everyStore is onStores with PostgreSQL.
func everyStore(t *testing.T, test func(t *testing.T, store resources.Store)) {
	onStores(t, test)
	t.Run("postgres", func(t *testing.T) {
		store, err := postgres.Open(t.Context(), postgresServer.Schema(t))
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		test(t, store)
	})
}

// contents returns the index entries and values of a store, and its versions.
func contents(t *testing.T, store resources.Store) (list []string, versions []resources.Reindexed) {
	t.Helper()
	err := store.(resources.Indexed).View(t.Context(), func(r index.Reader) error {
		all, err := r.Versions(t.Context(), index.VersionsRequest{Parts: index.WithValues})
		for _, rec := range all {
			list = append(list, fmt.Sprintf("%d %x", rec.Seq, rec.Values))
			versions = append(versions, resources.Reindexed{Seq: rec.Seq, Entries: [][]byte{[]byte("old")}, Values: new(index.Values).Append(nil)})
		}
		if err != nil {
			return err
		}
		return r.Scan(t.Context(), index.Range{}, func(entry []byte, seq index.Seq) bool {
			if !index.IsNews(entry) { // which version brought a term is not known later
				list = append(list, fmt.Sprintf("%x %d", entry, seq))
			}
			return true
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	sort.Strings(list)
	return list, versions
}

// TestReindex brings an old store up to date in two parts, by two services, and compares it with what it was.
// Meanwhile each search has the result of the whole index or is refused.
func TestReindex(t *testing.T) {
	everyStore(t, func(t *testing.T, store resources.Store) {
		ctx, service := t.Context(), resources.NewService(store, nil)
		var items []resources.LoadItem
		for i := range 700 {
			items = append(items, resources.LoadItem{Body: patient(fmt.Sprint("p", i), fmt.Sprint(i), fmt.Sprint("Family", i%7))})
		}
		for i := range 250 { // a batch, and no more
			items = append(items, resources.LoadItem{Body: fmt.Appendf(nil, `{"resourceType":"Observation","id":"o%d","status":"final","code":{"text":"x"},"subject":{"reference":"Patient/p%d"}}`, i, i)})
		}
		items = append(items, resources.LoadItem{Body: []byte(`{"resourceType":"Organization","id":"org","name":"Clinic"}`)}, resources.LoadItem{Body: patient("p1", "1", "New")})
		_, err := service.Load(ctx, items)
		_, gone := service.Delete(ctx, "Patient", "p2", resources.UpdateOptions{})
		if err = errors.Join(err, gone, service.Reindex(ctx, nil)); err != nil {
			t.Fatal(err)
		}
		want, versions := contents(t, store)
		searches := []string{
			"Organization?name=clinic", "Patient?family=family3", "Patient?family=new", "Patient?_lastUpdated=gt2020&_sort=family", "Patient?", "Patient?gender:missing=true",
			"Observation?status=final&_sort=-date", "Observation?subject:Patient.family=family1", "Patient?_has:Observation:subject:status=final", "Patient?_tag=none", "Encounter?status=planned",
		}
		run := func(s *resources.Service, text string) (keys []string, err error) {
			typ, params, _ := strings.Cut(text, "?")
			page, err := s.Search(ctx, resources.SearchRequest{Type: typ, Params: query(t, params), Options: search.Options{DefaultCount: 1000}})
			if err == nil {
				for i := range page.Matches {
					keys = append(keys, page.Matches[i].ID)
				}
			}
			return keys, err
		}
		results := map[string][]string{}
		for _, text := range searches {
			if results[text], err = run(service, text); err != nil {
				t.Fatal(text, err)
			}
		}
		mark := "1-0123456789abcdef"
		if strings.HasSuffix(t.Name(), "memory") {
			mark = "" // stored before the store could be searched
		}
		age := func() {
			err := store.(resources.Reindexer).Reindex(ctx, versions)
			if err = errors.Join(err, store.(resources.Marker).SetMark(ctx, "index", mark)); err != nil {
				t.Fatal(err)
			}
		}
		age()
		var s *resources.Service
		var asked, refused, done int
		open := func(writes bool) {
			s = resources.NewService(store, nil)
			if err := s.OpenIndex(ctx, writes); err != nil {
				t.Fatal(err)
			}
		}
		ask := func() {
			for _, text := range searches {
				asked++
				if got, err := run(s, text); errors.Is(err, resources.ErrIndexing) {
					refused++
				} else if err != nil || !slices.Equal(got, results[text]) {
					t.Errorf("%s: %d matches of %d, %v (%s)", text, len(got), len(results[text]), err, s.Indexing())
				}
			}
		}
		open(false)
		if _, err := run(s, searches[0]); !errors.Is(err, resources.ErrIndexing) || !strings.Contains(err.Error(), "run roget serve") {
			t.Errorf("a command that only reads: %v", err)
		}
		for round := range 2 {
			open(true)
			ask()
			if round == 0 {
				if refused != len(searches)-1 || !strings.HasPrefix(s.Indexing(), "0 of 3 types") {
					t.Errorf("%d of %d searches refused, %s", refused, asked, s.Indexing())
				}
				if v, err := s.Read(ctx, "Patient", "p1"); err != nil || v.VersionID != 2 {
					t.Errorf("read: %v %v", v, err)
				}
				if _, err := s.Update(ctx, "Group", "new", []byte(`{"resourceType":"Group","id":"new","type":"person","actual":true}`), resources.UpdateOptions{}); err != nil {
					t.Error(err)
				}
				_, err := s.Create(ctx, "Patient", patient("", "1", "Other"), resources.CreateOptions{IfNoneExist: "identifier=1"})
				if !errors.Is(err, resources.ErrIndexing) {
					t.Errorf("conditional create: %v", err)
				}
			}
			part, cancel := context.WithCancel(ctx)
			last := 0
			err := s.Reindex(part, func(n int) {
				if n <= last {
					t.Errorf("progress %d after %d", n, last)
				}
				last = n
				if ask(); round == 0 && n > 500 {
					done = n
					cancel()
				} else if round == 1 && n+done > 1100 {
					t.Errorf("%d and %d versions: the second began at the beginning", done, n)
				}
			})
			if round == 1 && last+done != len(versions)+1 { // the Group is new
				t.Errorf("%d and %d of %d versions", done, last, len(versions))
			}
			if cancel(); (round == 0) != errors.Is(err, context.Canceled) || round == 1 && err != nil {
				t.Fatal(round, err)
			}
		}
		before := refused
		if ask(); refused != before || s.Indexing() != "" {
			t.Errorf("%d searches are refused afterwards: %s", refused-before, s.Indexing())
		}
		if refused == asked || done == 0 {
			t.Errorf("%d of %d searches refused", refused, asked)
		}
		age()
		var group sync.WaitGroup
		for range 2 { // two processes share the work
			open(true)
			s := s
			group.Go(func() {
				if err := s.Reindex(ctx, nil); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		open(false)
		if refused = 0; s.Indexing() != "" {
			t.Error(s.Indexing())
		}
		if ask(); refused > 0 {
			t.Error("searches are still refused")
		}
		got, _ := contents(t, store)
		if slices.ContainsFunc(got, func(line string) bool { return strings.HasPrefix(line, "6f6c64 ") }) {
			t.Error("old entries have stayed")
		}
		got = slices.DeleteFunc(got, func(line string) bool { return !slices.Contains(want, line) })
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("entries and values differ: %s", diff)
		}
		for _, mark := range []string{"12-0123456789abcdef", "12-0123456789abcdef 5 Patient Group"} { // of a later program
			if err := store.(resources.Marker).SetMark(ctx, "index", mark); err != nil {
				t.Fatal(err)
			}
			if _, can := store.(resources.Fenced); can && len(mark) < 20 {
				if _, err := run(s, searches[0]); !errors.Is(err, resources.ErrUpgraded) {
					t.Errorf("a search of a service that was open before: %v", err)
				}
			}
			for _, err := range []error{s.OpenIndex(ctx, false), s.Reindex(ctx, nil)} {
				if !errors.Is(err, resources.ErrNewerIndex) || !strings.Contains(err.Error(), "index layout 12, this version supports 4") {
					t.Errorf("%s: %v", mark, err)
				}
			}
		}
	})
}
