package memory_test

import (
	"path/filepath"
	"runtime"
	"testing"

	"github.com/roget-health/roget/adapters/memory"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/sharedtest"
)

// TestSize checks that patients of Synthea take at most twice their JSON, with all that searches need.
func TestSize(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(sharedtest.Path(t, "data/synthea"), "*.json.gz"))
	if err != nil || len(files) != 22 {
		t.Fatal(files, err)
	}
	store := memory.New()
	service := resources.NewService(store, nil)
	held := func() int64 {
		runtime.GC()
		runtime.GC() // of what pools held
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	if _, err := service.Create(t.Context(), "Basic", []byte(`{"resourceType":"Basic","code":{"text":"x"}}`), resources.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	before := held() // with the tables of R4
	for _, file := range files { // practitioners, to whom patients refer, come first
		b, err := resources.ParseBundle(sharedtest.Unzipped(t, file))
		if err != nil {
			t.Fatal(err)
		}
		if b.Type == "transaction" {
			if _, err := service.Transaction(t.Context(), b, resources.TransactionOptions{}); err != nil {
				t.Fatal(err)
			}
			continue
		}
		items := make([]resources.LoadItem, len(b.Entries))
		for i, e := range b.Entries {
			items[i] = resources.LoadItem{Body: e.Resource, IfNoneExist: e.IfNoneExist}
		}
		if _, err := service.Load(t.Context(), items); err != nil {
			t.Fatal(err)
		}
	}
	after := held()
	size := int64(0)
	for _, typ := range service.Types() {
		err := store.Each(t.Context(), typ, func(v resources.Version) error {
			size += int64(len(v.Body))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%.2f times the JSON", float64(after-before)/float64(size))
	if size < 30<<20 || after-before > 2*size {
		t.Errorf("%d bytes for %d bytes of JSON", after-before, size)
	}
}
