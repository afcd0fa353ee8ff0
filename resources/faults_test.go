package resources_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/roget-health/roget/access"
	"github.com/roget-health/roget/adapters/memory"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
	"github.com/roget-health/roget/resources/search"
)

// faulty is a store of which one call fails.
type faulty struct {
	*memory.Store
	left *atomic.Int64 // calls up to the one that fails
	rush *atomic.Bool  // whether another process is faster at the next Write
}

var errFault = errors.New("the medium is broken")

func (f faulty) fail() error {
	if f.left.Add(-1) == 0 {
		return errFault
	}
	return nil
}

func (f faulty) View(ctx context.Context, fn func(index.Reader) error) error {
	return f.Store.View(ctx, func(r index.Reader) error { return fn(faultyReader{r, f}) })
}

func (f faulty) Transact(ctx context.Context, fn func(resources.Tx) error) error {
	return f.Store.Transact(ctx, func(tx resources.Tx) error { return fn(faultyTx{faultyReader{tx, f}, tx}) })
}

func (f faulty) Read(ctx context.Context, key resources.Key) (resources.Version, error) {
	if err := f.fail(); err != nil {
		return resources.Version{}, err
	}
	return f.Store.Read(ctx, key)
}

func (f faulty) Write(ctx context.Context, w resources.Write) (resources.Version, error) {
	if f.rush.Swap(false) {
		return resources.Version{}, resources.Conflict(w.Key, 1, 2)
	}
	if err := f.fail(); err != nil {
		return resources.Version{}, err
	}
	return f.Store.Write(ctx, w)
}

func (f faulty) Each(ctx context.Context, typ string, fn func(resources.Version) error) error {
	return errors.Join(f.fail(), f.Store.Each(ctx, typ, fn))
}

func (f faulty) Mark(ctx context.Context, name string) (string, error) {
	mark, err := f.Store.Mark(ctx, name)
	return mark, errors.Join(err, f.fail())
}

func (f faulty) Reindex(ctx context.Context, versions []resources.Reindexed) error {
	return errors.Join(f.fail(), f.Store.Reindex(ctx, versions))
}

// faultyReader is a reader of which one call fails.
type faultyReader struct {
	index.Reader
	faulty
}

func (f faultyReader) At() index.Seq { return f.Reader.At() }

func (f faultyReader) Scan(ctx context.Context, r index.Range, fn func([]byte, index.Seq) bool) error {
	if err := f.fail(); err != nil {
		return err
	}
	return f.Reader.Scan(ctx, r, fn)
}

func (f faultyReader) Load(ctx context.Context, seqs []index.Seq, parts index.Parts) ([]index.Record, error) {
	if err := f.fail(); err != nil {
		return nil, err
	}
	return f.Reader.Load(ctx, seqs, parts)
}

func (f faultyReader) Find(ctx context.Context, keys []resources.Key, parts index.Parts) ([]index.Record, error) {
	if err := f.fail(); err != nil {
		return nil, err
	}
	return f.Reader.Find(ctx, keys, parts)
}

func (f faultyReader) Versions(ctx context.Context, r index.VersionsRequest) ([]index.Record, error) {
	if err := f.fail(); err != nil {
		return nil, err
	}
	return f.Reader.Versions(ctx, r)
}

// faultyTx is a transaction of which one call fails.
type faultyTx struct {
	faultyReader
	tx resources.Tx
}

func (f faultyTx) Write(ctx context.Context, w resources.Write) (resources.Version, error) {
	if err := f.fail(); err != nil {
		return resources.Version{}, err
	}
	return f.tx.Write(ctx, w)
}

// spans counts the steps that an Observer is told of, and keeps the errors.
type spans struct {
	open atomic.Int64
	t    *testing.T
	errs sync.Map
}

type spanKey struct{}

func (s *spans) Start(ctx context.Context, step string) context.Context {
	s.open.Add(1)
	return context.WithValue(ctx, spanKey{}, step)
}

func (s *spans) Finish(ctx context.Context, step string, _ time.Duration, err error) {
	s.open.Add(-1)
	if err != nil {
		s.errs.Store(err, true)
	}
	if ctx.Value(spanKey{}) != step {
		s.t.Errorf("%s ends with the context of %v", step, ctx.Value(spanKey{}))
	}
}

// TestFaults lets every call of the store fail in turn, in everything that a service does, with grants and
// without. The error is never lost, an Observer is told of it, and a change that fails is not made.
func TestFaults(t *testing.T) {
	f := faulty{memory.New(), new(atomic.Int64), new(atomic.Bool)}
	observed := &spans{t: t}
	s := resources.NewService(f, nil, resources.WithProfiles(), resources.WithObserver(observed))
	put := func(typ, id, rest string) {
		t.Helper()
		body := fmt.Sprintf(`{"resourceType":%q,"id":%q,%s}`, typ, id, rest)
		if _, err := s.Update(t.Context(), typ, id, []byte(body), resources.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	put("Organization", "org", `"name":"x"`)
	put("Patient", "p", `"gender":"male","managingOrganization":{"reference":"Organization/org"}`)
	put("Patient", "q", `"gender":"female"`)
	for _, status := range []string{"preliminary", "final", "", "amended", "final"} {
		if status == "" {
			if _, err := s.Delete(t.Context(), "Observation", "o", resources.UpdateOptions{}); err != nil {
				t.Fatal(err)
			}
			continue
		}
		put("Observation", "o", `"status":"`+status+`","subject":{"reference":"Patient/p"},"code":{"text":"`+strings.Repeat("long ", index.SmallBody)+`"}`)
	}
	observation := func(id, status string) []byte {
		if id != "" {
			id = `"id":"` + id + `",`
		}
		return fmt.Appendf(nil, `{"resourceType":"Observation",%s"status":%q,"subject":{"reference":"Patient/p"},"code":{"text":"x"}}`, id, status)
	}
	find := func(typ, text string) func(context.Context) error {
		return func(ctx context.Context) error {
			return second(s.Search(ctx, resources.SearchRequest{Type: typ, Params: query(t, text), Options: search.Options{Strict: true}}))
		}
	}
	outside, err := s.Outside(observation("x", "final"))
	if err != nil {
		t.Fatal(err)
	}
	chain := func(with string) *search.Query {
		q, err := s.ParseSearch(resources.SearchRequest{Type: "Observation", Params: query(t, "subject:Patient.gender=male"+with)})
		if err != nil {
			t.Fatal(err)
		}
		return q
	}
	key := resources.Key{Type: "Observation", ID: "o"}
	reads := map[string]func(context.Context) error{
		"read":              func(ctx context.Context) error { return second(s.Read(ctx, key.Type, key.ID)) },
		"read of a version": func(ctx context.Context) error { return second(s.ReadVersion(ctx, key.Type, key.ID, 2)) },
		"history": func(ctx context.Context) error {
			return second(s.History(ctx, resources.HistoryRequest{Type: key.Type, ID: key.ID}))
		},
		"history of a type": func(ctx context.Context) error {
			return second(s.History(ctx, resources.HistoryRequest{Type: key.Type, Count: 2}))
		},
		"history of all":      func(ctx context.Context) error { return second(s.History(ctx, resources.HistoryRequest{})) },
		"search":              find("Observation", "status=final&_sort=status"),
		"search with a chain": find("Observation", "subject:Patient.gender=male&_include=Observation:subject"),
		"search of patients":  find("Patient", "_has:Observation:subject:status=final&_revinclude=Observation:subject"),
		"everything": func(ctx context.Context) error {
			return second(s.Everything(ctx, resources.EverythingRequest{Type: "Patient", ID: "p"}))
		},
		"everything of all": func(ctx context.Context) error {
			return second(s.Everything(ctx, resources.EverythingRequest{Type: "Patient"}))
		},
		"among": func(ctx context.Context) error { return second(s.Among(ctx, chain(""), []index.Record{outside})) },
		"included": func(ctx context.Context) error {
			return second(s.Included(ctx, chain("&_include=Observation:subject"), []index.Record{outside}))
		},
		"holds":     func(ctx context.Context) error { return second(s.Holds(ctx, []resources.Key{key})) },
		"permitted": func(ctx context.Context) error { return second(s.Permitted(ctx, access.Read, []resources.Key{key})) },
	}
	ops := map[string]func(context.Context) error{
		"each": func(ctx context.Context) error {
			return s.Each(ctx, "Patient", func(resources.Version) error { return nil })
		},
		"validate": func(ctx context.Context) error {
			return second(s.Validate(ctx, "Observation", "o", "update", observation("o", "final"), "http://x.example/p"))
		},
		"watch": func(ctx context.Context) error {
			watch, err := s.Watch("Observation?subject:Patient.gender=male")
			if err != nil {
				return err
			}
			_, _, _, err = watch.Next(ctx, 0)
			return err
		},
		"reindex": func(ctx context.Context) error {
			if err := f.SetMark(ctx, "index", "1-0"); err != nil {
				return err
			}
			return resources.NewService(f, nil).Reindex(ctx, nil)
		},
		"contended update": func(ctx context.Context) error {
			defer f.rush.Store(false)
			f.rush.Store(true)
			return second(s.Update(ctx, key.Type, key.ID, observation("o", "unknown"), resources.UpdateOptions{}))
		},
		"update": func(ctx context.Context) error {
			return second(s.Update(ctx, key.Type, key.ID, observation("o", "amended"), resources.UpdateOptions{}))
		},
		"patch": func(ctx context.Context) error {
			return second(s.Patch(ctx, key.Type, key.ID, replaced(observation("o", "corrected")), resources.UpdateOptions{}))
		},
		"create": func(ctx context.Context) error {
			return second(s.Create(ctx, key.Type, observation("", "final"), resources.CreateOptions{}))
		},
		"conditional create": func(ctx context.Context) error {
			return second(s.Create(ctx, "Observation", observation("", "final"), resources.CreateOptions{IfNoneExist: "status=registered"}))
		},
		"conditional update": func(ctx context.Context) error {
			return second(s.UpdateWhere(ctx, "Observation", query(t, "_id=o"), observation("o", "final"), resources.UpdateOptions{}))
		},
		"conditional patch": func(ctx context.Context) error {
			return second(s.PatchWhere(ctx, "Observation", query(t, "_id=o"), replaced(observation("o", "amended")), resources.UpdateOptions{}))
		},
		"load": func(ctx context.Context) error {
			return second(s.Load(ctx, []resources.LoadItem{{Body: observation("o", "final")}, {Body: observation("", "final"), IfNoneExist: "status=registered"}}))
		},
		"load of answers": func(ctx context.Context) error {
			return second(s.Load(ctx, []resources.LoadItem{{Body: []byte(`{"resourceType":"QuestionnaireResponse","id":"r","status":"stopped","questionnaire":"http://x.example/q"}`)}}))
		},
		"transaction": func(ctx context.Context) error {
			return second(s.Transaction(ctx, bundleOf(t,
				entry("", "PUT", "Observation?status=registered", string(observation("", "final"))),
				entry("", "PUT", "Observation/o", string(observation("o", "preliminary")))), resources.TransactionOptions{}))
		},
		"transaction that deletes": func(ctx context.Context) error {
			return second(s.Transaction(ctx, bundleOf(t, entry("", "DELETE", "Observation?status=cancelled", ""), entry("", "DELETE", "Observation/o", "")), resources.TransactionOptions{}))
		},
		"delete": func(ctx context.Context) error {
			return second(s.Delete(ctx, key.Type, key.ID, resources.UpdateOptions{}))
		},
		"conditional delete": func(ctx context.Context) error {
			return second(s.DeleteWhere(ctx, "Observation", query(t, "_id=o"), true, resources.UpdateOptions{}))
		},
	}
	for name, read := range reads {
		ops[name] = read
		ops[name+" in a transaction"] = func(ctx context.Context) error {
			return second(s.Transaction(ctx, bundleOf(t, entry("", "GET", "Patient", "")), resources.TransactionOptions{
				Answer: func(ctx context.Context, _ int, _ *resources.BundleEntry) error { return read(ctx) },
			}))
		}
	}
	reached := 0
	for _, scope := range []string{"", "user/*.cruds", "patient/*.cruds", "user/Observation.cruds?subject:Patient.gender=male user/Patient.rs?gender=male user/Organization.rs"} {
		ctx := t.Context()
		if scope != "" {
			ctx = access.WithGrant(ctx, access.ScopesGrant(&access.Principal{Patient: "p", Scopes: strings.Fields(scope)}))
		}
		for name, op := range ops {
			for n := int64(1); ; n++ {
				f.left.Store(n)
				err := op(ctx)
				if f.left.Load() > 0 {
					if err != nil && !errors.Is(err, access.ErrForbidden) && !errors.Is(err, resources.ErrNotFound) {
						t.Errorf("%s with %q: %v", name, scope, err)
					}
					break
				}
				if reached++; !errors.Is(err, errFault) {
					t.Errorf("%s with %q, call %d: %v", name, scope, n, err)
				}
				told := false
				observed.errs.Range(func(err, _ any) bool {
					told = told || errors.Is(err.(error), errFault)
					return true
				})
				if open := observed.open.Load(); open != 0 || !told && name != "each" && name != "reindex" {
					t.Errorf("%s with %q, call %d: %d steps have not ended, told of the error %v", name, scope, n, open, told)
				}
				observed.errs.Clear()
			}
			f.left.Store(0)
			put("Observation", "o", `"status":"final","subject":{"reference":"Patient/p"},"code":{"text":"`+strings.Repeat("long ", index.SmallBody)+`"}`)
		}
	}
	t.Logf("%d calls failed", reached)
}
