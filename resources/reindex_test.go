package resources_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sort"
	"strings"
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

// entries returns all index entries of a store with their versions, and the values of each version.
func entries(t *testing.T, store resources.Store) (list []string) {
	t.Helper()
	err := store.(resources.Indexed).View(t.Context(), func(r index.Reader) error {
		all, err := r.Versions(t.Context(), index.VersionsRequest{Parts: index.WithValues})
		for _, rec := range all {
			list = append(list, fmt.Sprintf("%d %x", rec.Seq, rec.Values))
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
	return list
}

// age gives every version of a store an index of layout 1, with values and entries that are wrong.
func age(t *testing.T, store resources.Store, mark string) {
	t.Helper()
	var former []resources.Reindexed
	err := store.(resources.Indexed).View(t.Context(), func(r index.Reader) error {
		all, err := r.Versions(t.Context(), index.VersionsRequest{})
		for _, rec := range all {
			if !rec.Deleted {
				former = append(former, resources.Reindexed{Seq: rec.Seq, Entries: [][]byte{[]byte("an entry of another time")}, Values: new(index.Values).Append(nil)})
			}
		}
		return err
	})
	if err == nil {
		err = store.(resources.Reindexer).Reindex(t.Context(), former)
	}
	if err == nil {
		err = store.(resources.Marker).SetMark(t.Context(), "index", mark)
	}
	if err != nil {
		t.Fatal(err)
	}
}

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

// TestReindexWhileServing brings an old store up to date in two parts, by two services, and compares it with
// what it was. Meanwhile each search has the result of the whole index or is refused.
func TestReindexWhileServing(t *testing.T) {
	everyStore(t, func(t *testing.T, store resources.Store) {
		service := resources.NewService(store, nil)
		put := func(s *resources.Service, typ, id, body string) error {
			_, err := s.Update(t.Context(), typ, id, []byte(fmt.Sprintf(`{"resourceType":%q,"id":%q,`, typ, id)+body+"}"), resources.UpdateOptions{})
			return err
		}
		var items []resources.LoadItem
		for i := range 700 {
			items = append(items, resources.LoadItem{Body: patient(fmt.Sprint("p", i), fmt.Sprint(i), fmt.Sprint("Family", i%7))})
		}
		for i := range 260 {
			items = append(items, resources.LoadItem{Body: fmt.Appendf(nil, `{"resourceType":"Observation","id":"o%d","status":"final","code":{"text":"x"},"subject":{"reference":"Patient/p%d"}}`, i, i)})
		}
		_, err := service.Load(t.Context(), items)
		_, gone := service.Delete(t.Context(), "Patient", "p2", resources.UpdateOptions{})
		err = errors.Join(err, gone, put(service, "Organization", "org", `"name":"Clinic"`), put(service, "Patient", "p1", `"gender":"male"`), service.Reindex(t.Context(), nil))
		if err != nil {
			t.Fatal(err)
		}
		want := entries(t, store)
		searches := []string{
			"Organization?name=clinic", "Patient?family=family3", "Patient?gender=male", "Patient?_lastUpdated=gt2020&_sort=family", "Patient?", "Patient?gender:missing=true",
			"Observation?status=final&_sort=-date", "Observation?subject:Patient.family=family1", "Patient?_has:Observation:subject:status=final", "Patient?_tag=none", "Encounter?status=planned",
		}
		run := func(s *resources.Service, text string) (keys []string, err error) {
			typ, params, _ := strings.Cut(text, "?")
			page, err := s.Search(t.Context(), resources.SearchRequest{Type: typ, Params: query(t, params), Options: search.Options{DefaultCount: 1000}})
			if err != nil {
				return nil, err
			}
			for i := range page.Matches {
				keys = append(keys, page.Matches[i].ID)
			}
			return keys, nil
		}
		results := map[string][]string{}
		for _, text := range searches {
			if results[text], err = run(service, text); err != nil {
				t.Fatal(text, err)
			}
		}
		age(t, store, "1-0123456789abcdef")

		reads := resources.NewService(store, nil)
		if err := reads.OpenIndex(t.Context(), false); err != nil {
			t.Fatal(err)
		}
		if _, err := run(reads, searches[0]); !errors.Is(err, resources.ErrIndexing) || !strings.Contains(err.Error(), "run roget serve") {
			t.Errorf("a command that only reads: %v", err)
		}
		var asked, refused, done int
		ask := func(s *resources.Service) {
			for _, text := range searches {
				asked++
				if got, err := run(s, text); errors.Is(err, resources.ErrIndexing) {
					refused++
				} else if err != nil || !slices.Equal(got, results[text]) {
					t.Errorf("%s: %d matches of %d, %v (%s)", text, len(got), len(results[text]), err, s.Indexing())
				}
			}
		}
		for round := range 2 {
			s := resources.NewService(store, nil)
			if err := s.OpenIndex(t.Context(), true); err != nil {
				t.Fatal(err)
			}
			ask(s)
			if v, err := s.Read(t.Context(), "Patient", "p1"); err != nil || v.VersionID != 2 {
				t.Errorf("read: %v %v", v, err)
			}
			if round == 0 {
				if len(searches)-1 != refused || !strings.HasPrefix(s.Indexing(), "0 of 3 types") {
					t.Errorf("%d of %d searches refused, %s", refused, asked, s.Indexing())
				}
				if err := put(s, "Group", "new", `"type":"person","actual":true`); err != nil {
					t.Error(err)
				}
				_, err := s.Create(t.Context(), "Patient", patient("", "1", "Other"), resources.CreateOptions{IfNoneExist: "identifier=1"})
				if !errors.Is(err, resources.ErrIndexing) {
					t.Errorf("conditional create: %v", err)
				}
			}
			ctx, cancel := context.WithCancel(t.Context())
			err := s.Reindex(ctx, func(n int) {
				ask(s)
				if round == 0 && n > 500 {
					done = n
					cancel()
				} else if round == 1 && n+done > 1100 {
					t.Errorf("%d and %d versions: the second began at the beginning", done, n)
				}
			})
			if cancel(); (round == 0) != errors.Is(err, context.Canceled) || round == 1 && err != nil {
				t.Fatal(round, err)
			}
		}
		if refused == asked || done == 0 {
			t.Errorf("%d of %d searches refused", refused, asked)
		}
		s := resources.NewService(store, nil)
		if _, err := s.Delete(t.Context(), "Group", "new", resources.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		if err := s.OpenIndex(t.Context(), false); err != nil || s.Indexing() != "" {
			t.Errorf("afterwards: %v %s", err, s.Indexing())
		}
		refused = 0
		if ask(s); refused > 0 {
			t.Error("searches are still refused")
		}
		got := slices.DeleteFunc(entries(t, store), func(line string) bool { return !slices.Contains(want, line) })
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("entries and values differ: %s", diff)
		}
		if slices.ContainsFunc(entries(t, store), func(line string) bool { return strings.HasPrefix(line, fmt.Sprintf("%x", "an entry of")) }) {
			t.Error("old entries have stayed")
		}
	})
}

// TestNewerIndex opens a store of a later program, also one whose index is being made.
func TestNewerIndex(t *testing.T) {
	everyStore(t, func(t *testing.T, store resources.Store) {
		for _, mark := range []string{"12-0123456789abcdef", "12-0123456789abcdef w 5 Patient Group"} {
			if err := store.(resources.Marker).SetMark(t.Context(), "index", mark); err != nil {
				t.Fatal(err)
			}
			s := resources.NewService(store, nil)
			for _, err := range []error{s.OpenIndex(t.Context(), false), s.Reindex(t.Context(), nil)} {
				if !errors.Is(err, resources.ErrNewerIndex) || !strings.Contains(err.Error(), "index layout 12, this version supports 3") {
					t.Errorf("%s: %v", mark, err)
				}
			}
		}
	})
}
