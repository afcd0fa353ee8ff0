package platform_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/adapters/platform/platformtest"
)

// TestMetadataOnEveryMajor: Platform client, section 4: metadata list, its count in one
// request, type list.
// Rows of docs/platform.md: T7.2.
func TestMetadataOnEveryMajor(t *testing.T) {
	var sets []platformtest.Object
	for i := range 501 {
		sets = append(sets, platformtest.Object{"id": fmt.Sprintf("Set%08d", 500-i), "name": fmt.Sprintf("Set %d", i%7)})
	}
	for _, major := range platform.Majors() {
		t.Run(major.String(), func(t *testing.T) {
			c, p := onDouble(t, platformtest.Options{Major: int(major), ContextPath: "/ctx", Objects: map[string][]platformtest.Object{"dataSets": sets}})
			ctx, m := t.Context(), c.Metadata()
			names, err := m.TypeNames(ctx)
			if err != nil || !slices.IsSorted(names) || !slices.Contains(names, "dataElements") || slices.Contains(names, "sharings") {
				t.Error(names, err)
			}
			p.Forget()
			total, err := m.Count(ctx, "dataSets", platform.ListOptions{})
			if err != nil || total < 501 || len(p.Requests()) != 1 {
				t.Error(total, err, sent(p))
			}
			if n, err := m.Count(ctx, "dataSets", platform.ListOptions{Filters: []string{"name:eq:Set 3", "id:like:0"}}); err != nil || n != 72 {
				t.Error(n, err)
			}
			p.Forget()
			var out strings.Builder
			written, err := m.Write(ctx, &out, "dataSets", platform.ListOptions{Fields: "id"})
			var objects []struct{ ID string }
			if err != nil || written != total || json.Unmarshal([]byte(out.String()), &objects) != nil || len(objects) != total || len(p.Requests()) != 2 {
				t.Errorf("%d written, %v, %v", written, err, sent(p))
			}
			ids := map[string]bool{}
			for _, object := range objects {
				ids[object.ID] = true
			}
			if len(ids) != total {
				t.Errorf("%d objects, %d of them different", total, len(ids))
			}
			page, err := m.List(ctx, "dataSets", platform.ListOptions{Fields: "id,name", Order: []string{"id:desc"}, PageSize: 2})
			if err != nil || len(page) != 2 || !strings.Contains(string(page[0]), `"Set00000500"`) || !strings.Contains(string(page[1]), `"Set00000499"`) {
				t.Errorf("%s, %v", page, err)
			}
			object, err := m.Get(ctx, "dataSets", "Set00000007", "id")
			if err != nil || string(object) != `{"id":"Set00000007"}` {
				t.Errorf("%s, %v", object, err)
			}
			_, err = m.Get(ctx, "dataSets", "Set99999999", "")
			refused(t, err, 404)
			_, err = m.List(ctx, "dataset", platform.ListOptions{})
			var lookup *platform.LookupError
			if !errors.As(err, &lookup) || !errors.Is(err, platform.ErrUnknownResource) || !slices.Contains(lookup.Suggestions, "dataSets") {
				t.Error(err)
			}
		})
	}
}
