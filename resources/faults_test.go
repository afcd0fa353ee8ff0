package resources_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/roget-health/roget/access"
	"github.com/roget-health/roget/adapters/memory"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
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

func (f faulty) Write(ctx context.Context, w resources.Write) (resources.Version, error) {
	if f.rush.Swap(false) {
		return resources.Version{}, resources.Conflict(w.Key, 1, 2)
	}
	if err := f.fail(); err != nil {
		return resources.Version{}, err
	}
	return f.Store.Write(ctx, w)
}

func (f faulty) Reindex(ctx context.Context, versions []resources.Reindexed) error {
	return errors.Join(f.fail(), f.Store.Reindex(ctx, versions))
}

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

// TestFaults lets every call of the store fail in turn, in what a service does with grants and without.
func TestFaults(t *testing.T) {
	f := faulty{memory.New(), new(atomic.Int64), new(atomic.Bool)}
	s := resources.NewService(f, nil, resources.WithProfiles())
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
	long := `"subject":{"reference":"Patient/p"},"code":{"text":"` + strings.Repeat("long ", index.SmallBody) + `"}`
	for _, status := range []string{"preliminary", "final"} {
		put("Observation", "o", `"status":"`+status+`",`+long)
	}
	if _, err := s.Delete(t.Context(), "Observation", "o", resources.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	put("Observation", "o", `"status":"final",`+long)
	observation := func(id, status string) []byte {
		if id != "" {
			id = `"id":"` + id + `",`
		}
		return fmt.Appendf(nil, `{"resourceType":"Observation",%s"status":%q,"subject":{"reference":"Patient/p"},"code":{"text":"x"}}`, id, status)
	}
	key := resources.Key{Type: "Observation", ID: "o"}
	reads := map[string]func(context.Context) error{
		"read":              func(ctx context.Context) error { return second(s.Read(ctx, key.Type, key.ID)) },
		"read of a version": func(ctx context.Context) error { return second(s.ReadVersion(ctx, key.Type, key.ID, 2)) },
		"history": func(ctx context.Context) error {
			return second(s.History(ctx, resources.HistoryRequest{Type: key.Type, ID: key.ID}))
		},
		"history of all": func(ctx context.Context) error { return second(s.History(ctx, resources.HistoryRequest{})) },
		"search": func(ctx context.Context) error {
			text := "subject:Patient.gender=male&_sort=status&_include=Observation:subject"
			return second(s.Search(ctx, resources.SearchRequest{Type: key.Type, Params: query(t, text)}))
		},
		"everything": func(ctx context.Context) error {
			return second(s.Everything(ctx, resources.EverythingRequest{Type: "Patient", ID: "p"}))
		},
		"everything of all": func(ctx context.Context) error {
			return second(s.Everything(ctx, resources.EverythingRequest{Type: "Patient"}))
		},
		"permitted": func(ctx context.Context) error { return second(s.Permitted(ctx, access.Read, []resources.Key{key})) },
	}
	ops := map[string]func(context.Context) error{
		"validate": func(ctx context.Context) error {
			return second(s.Validate(ctx, key.Type, key.ID, "", nil, "http://x.example/p"))
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
		"transaction": func(ctx context.Context) error {
			return second(s.Transaction(ctx, bundleOf(t,
				entry("", "PUT", "Observation?status=registered", string(observation("", "final"))),
				entry("", "PUT", "Observation/o", string(observation("o", "preliminary")))), resources.TransactionOptions{}))
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
			return inTransaction(ctx, t, s, read)
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
			}
			f.left.Store(0)
			put("Observation", "o", `"status":"final",`+long)
		}
	}
	if reached < 1000 {
		t.Errorf("only %d calls failed", reached)
	}
}
