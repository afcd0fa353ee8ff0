package bulk_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/resources/bulk"
)

func TestEach(t *testing.T) {
	folder := write(t, map[string]string{
		"b.ndjson":     resource("Patient/2") + "\n\n" + resource("Patient/3") + "\n{\n" + resource("Patient/4"),
		"a.json":       resource("Patient/1"),
		"c/d.json":     `{"resourceType":"Bundle","id":"b","type":"transaction","entry":[]}` + resource("Patient/5"),
		"e.json":       resource("Patient/6") + " nothing",
		"passed.over":  "x",
		"f.json":       "[" + strings.Repeat(" ", 3000) + "]",
		"g.jsonl":      resource("Patient/7") + "\n" + strings.Repeat("x", 3000),
		"h-empty.json": "",
	})
	each := func(ctx context.Context, paths []string, visit func(bulk.Found) error) (int, error) {
		return bulk.Each(ctx, paths, bulk.Options{Stdin: strings.NewReader(resource("Patient/0")), Limits: loader.Limits{MaxDocument: 2000}}, visit)
	}
	var got []string
	note := func(f bulk.Found) error {
		what := "error"
		if f.Err == nil {
			what = f.Document.ResourceType() + "/" + f.Document.Root().Get("id").Text()
		}
		got = append(got, strings.TrimSpace(fmt.Sprintf("%s %s %s", filepath.Base(f.File), f.Place, what)))
		return nil
	}
	files, err := each(t.Context(), []string{"-", folder}, note)
	if err != nil || files != 8 {
		t.Errorf("%d, %v", files, err)
	}
	want := []string{
		"standard input  Patient/0", "a.json  Patient/1", "b.ndjson line 1 Patient/2", "b.ndjson line 3 Patient/3", "b.ndjson line 4 error",
		"b.ndjson line 5 Patient/4", "d.json  Bundle/b", "d.json  Patient/5", "e.json  Patient/6", "e.json  error", "f.json  error",
		"g.jsonl line 1 Patient/7", "g.jsonl line 2 error",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}

	// an error of visit ends it, wherever it occurs
	enough := errors.New("enough")
	for _, most := range []int{1, 5, 10} {
		n := 0
		_, err := each(t.Context(), []string{folder}, func(bulk.Found) error {
			if n++; n == most {
				return enough
			}
			return nil
		})
		if !errors.Is(err, enough) || n != most {
			t.Errorf("%d: %d, %v", most, n, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := each(ctx, []string{folder}, note); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := each(t.Context(), []string{filepath.Join(folder, "nothing")}, note); err == nil {
		t.Error("a path that is not there")
	}
}
