package platform_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/roget-health/roget/adapters/platform/platformtest"
)

// Platform client, section 4: metadata list with --fields. Platform toolkit, sections 2.7
// and 3.1: rows in the order asked, columns are the requested fields, one request.
// Rows of docs/platform.md: 4.24, T3.1.
func TestMetadataList(t *testing.T) {
	forMajors(t, func(t *testing.T, p *onPlatform) {
		for _, c := range []struct{ args, query, out string }{
			{
				"dataElements", "fields=id,name&paging=false",
				"id           name\nDel00000001  Malaria cases\nDel00000002  Malaria deaths\nDel00000003  Laboratory result\n",
			},
			{
				"DATAELEMENT --fields name,id --order name:desc", "fields=name,id&order=name:desc&paging=false",
				"name               id\nMalaria deaths     Del00000002\nMalaria cases      Del00000001\nLaboratory result  Del00000003\n",
			},
			{
				"ls dataElements --fields code,optionSet[id,name] --filter code:!null --filter name:like:result --root-junction OR --order code:asc",
				"fields=code,optionSet[id,name]&filter=code:!null&filter=name:like:result&order=code:asc&paging=false&rootJunction=OR",
				"code        optionSet\nLAB_RESULT  Results (Ops00000001)\nMAL_CASES\n",
			},
			{
				"dataElements --filter name:like:deaths --root-junction OR", "fields=id,name&filter=name:like:deaths&paging=false",
				"id           name\nDel00000002  Malaria deaths\n",
			},
			{
				"dataElements --page 2 --page-size 2 --order id:asc", "fields=id,name&order=id:asc&page=2&pageSize=2&paging=true",
				"id           name\nDel00000003  Laboratory result\n",
			},
			{
				"dataElements --all --fields id", "fields=id&order=id:asc&page=1&pageSize=500&paging=true",
				"id\nDel00000001\nDel00000002\nDel00000003\n",
			},
			{
				"dataElements --fields displayName --translate --locale fr --filter id:eq:Del00000001",
				"fields=displayName&filter=id:eq:Del00000001&locale=fr&paging=false&translate=true", "displayName\nCas de paludisme\n",
			},
		} {
			p.Forget()
			args := strings.Fields(c.args)
			if args[0] != "ls" {
				args = append([]string{"list"}, args...)
			}
			out := p.must(t, append([]string{"metadata"}, args...)...)
			query, n := p.last("/api/dataElements")
			sent, err := url.QueryUnescape(query.Encode())
			if out != c.out || n != 1 || err != nil || sent != c.query {
				t.Errorf("%s: %d requests, the last for %s\n%s", c.args, n, sent, out)
			}
		}
		for fields, want := range map[string]string{
			"name~rename(label),users~size":           "label       users\nLaboratory  1\n",
			"users[id],name":                          "users        name\nUsr00000002  Laboratory\n",
			"sharing[public,owner],code,absent":       `sharing                                      code  absent` + "\n" + `{"owner":"Usr00000001","public":"r-------"}  LAB` + "\n",
			"users[username,userRoles[id,name]],code": "users                                                                   code\n" + `{"userRoles":[{"id":"Rol00000002","name":"Clerk"}],"username":"nurse"}  LAB` + "\n",
		} {
			if out := p.must(t, "metadata", "list", "userGroups", "--fields", fields); out != want {
				t.Errorf("%s:\n%s", fields, out)
			}
		}
		out := p.must(t, "metadata", "list", "userGroups", "--fields", "name,*,!sharing")
		if header, _, _ := strings.Cut(out, "\n"); strings.Join(strings.Fields(header), " ") != "name code created displayName id lastUpdated users" {
			t.Errorf("all fields:\n%s", out)
		}
		p.Put("userGroups", platformtest.Object{"id": "Lon00000001", "name": "A\x1b[31m" + strings.Repeat("long", 100)})
		if out := p.must(t, "metadata", "list", "userGroups", "--filter", "id:eq:Lon00000001"); len(out) > 250 || strings.Contains(out, "\x1b") || !strings.Contains(out, "...\n") {
			t.Errorf("a long name: %q", out)
		}
		var rows []map[string]any
		if err := json.Unmarshal([]byte(p.must(t, "-j", "metadata", "list", "users", "--fields", "username,userRoles[id]")), &rows); err != nil ||
			len(rows) != 2 || rows[0]["username"] != platformtest.Username || len(rows[0]) != 2 {
			t.Errorf("JSON: %v, %v", rows, err)
		}
		if out := p.must(t, "metadata", "list", "indicators", "--filter", "name:eq:nobody", "--json"); out != "[]\n" {
			t.Errorf("nothing: %s", out)
		}
		if p.major != 42 {
			return
		}
		// Several pages are the same on all majors, and take their time.
		p.Put("dataElements", many(498)...)
		p.Forget()
		out = p.must(t, "metadata", "list", "dataElements", "--all", "--fields", "id")
		if _, n := p.last("/api/dataElements"); n != 2 || strings.Count(out, "\n") != 502 {
			t.Errorf("%d pages, %d lines", n, strings.Count(out, "\n"))
		}
	})
}

func many(n int) (list []platformtest.Object) {
	for i := range n {
		list = append(list, platformtest.Object{"id": fmt.Sprintf("Man%08d", i), "name": fmt.Sprint("Number ", i)})
	}
	return list
}

// Platform client, section 4: metadata list --count: totals in one request. Platform toolkit,
// section 2.11.
// Rows of docs/platform.md: 4.24.
func TestMetadataCount(t *testing.T) {
	forMajors(t, func(t *testing.T, p *onPlatform) {
		for _, c := range []struct{ args, query, out string }{
			{"dataElements --count", "fields=id&page=1&pageSize=1&paging=true", "dataElements: 3\n"},
			{"dataElement --count --filter name:like:Malaria", "fields=id&filter=name:like:Malaria&page=1&pageSize=1&paging=true", "dataElements: 2\n"},
			{"dataElements --count --json", "fields=id&page=1&pageSize=1&paging=true", "{\n  \"resource\": \"dataElements\",\n  \"total\": 3\n}\n"},
		} {
			p.Forget()
			out := p.must(t, append([]string{"metadata", "list"}, strings.Fields(c.args)...)...)
			requests := p.Requests()
			asked := p.asked()
			sent, err := url.QueryUnescape(requests[len(requests)-1].Query.Encode())
			if out != c.out || asked != "/api/dataElements" || err != nil || sent != c.query {
				t.Errorf("%s: asked for %s?%s: %s", c.args, asked, sent, out)
			}
		}
		p.Fault("/api/dataElements", platformtest.Fault{Status: 200, Body: `{"dataElements":[]}`})
		if said := p.fails(t, 1, "metadata", "list", "dataElements", "--count"); !strings.Contains(said, "no total") {
			t.Errorf("without a total: %s", said)
		}
	})
}

// Platform client, section 4: metadata list --output FILE. Platform toolkit, section 3.1.
// Rows of docs/platform.md: 4.24.
func TestMetadataOutput(t *testing.T) {
	fullPage := page(500)
	forMajors(t, func(t *testing.T, p *onPlatform) {
		folder := t.TempDir()
		path := filepath.Join(folder, "elements.json")
		total, progress := 3, ""
		if p.major == 42 { // several pages, which are the same on all majors and take their time
			total, progress = 501, "dataElements: 64 kB"
			p.Put("dataElements", many(498)...)
		}
		if out := p.must(t, "metadata", "list", "dataElements", "--fields", "id,name", "-o", path); out != fmt.Sprintf("dataElements: %d written to %s\n", total, path) {
			t.Errorf("said %s", out)
		}
		content, err := os.ReadFile(path)
		var rows []map[string]string
		if err == nil {
			err = json.Unmarshal(content, &rows)
		}
		if err != nil || len(rows) != total || rows[0]["id"] != "Del00000001" || len(rows[total-1]) != 2 {
			t.Errorf("%v: %d rows, %.200s", err, len(rows), content)
		}
		var answer map[string]any
		p.terminal = true
		code, out, errs := p.run(t, "metadata", "list", "dataElements", "--fields", "*", "--output", path, "--json")
		if err := json.Unmarshal([]byte(out), &answer); err != nil || code != 0 || len(answer) != 3 || answer["resource"] != "dataElements" || answer["written"] != float64(total) || answer["path"] != path || !strings.Contains(errs, progress) {
			t.Errorf("%d %s%s", code, out, errs)
		}
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		// The second page fails: the file stays as it was, and nothing is left beside it.
		p.Fault("/api/dataElements", platformtest.Fault{Status: 200, Body: fullPage, Times: 1}, platformtest.Fault{Status: 500})
		if said := p.fails(t, 1, "metadata", "list", "dataElements", "-o", path); !strings.Contains(said, "API error (500)") {
			t.Errorf("said %s", said)
		}
		after, err := os.ReadFile(path)
		if err != nil || string(after) != string(before) {
			t.Errorf("the file has changed: %v", err)
		}
		if files, err := os.ReadDir(folder); err != nil || len(files) != 1 {
			t.Errorf("left behind: %v, %v", files, err)
		}
		p.Heal()
		if said := p.fails(t, 1, "metadata", "list", "dataElements", "-o", filepath.Join(folder, "absent", "file")); said == "" {
			t.Error("nothing is said")
		}
	})
}

// page is a page of so many objects, with more after it.
func page(n int) string {
	list, err := json.Marshal(many(n))
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf(`{"pager":{"page":1,"pageCount":9,"total":4000,"pageSize":%d},"dataElements":%s}`, n, list)
}
