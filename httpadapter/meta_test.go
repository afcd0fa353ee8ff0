package httpadapter

import (
	"encoding/json"
	"testing"
)

// TestMeta runs $meta, $meta-add and $meta-delete.
func TestMeta(t *testing.T) {
	for _, prefix := range pathsR4() {
		c := clinic(t)
		path := prefix + "/Patient/peter/"
		meta := func(text string) string {
			return `{"resourceType":"Parameters","parameter":[{"name":"meta","valueMeta":` + text + `}]}`
		}
		for _, step := range []struct{ op, meta, version, want string }{
			{"meta", "", "1", "null null null"},
			{"meta-add", `{"profile":["http://p"],"tag":[{"system":"s","code":"a","display":"A"},{"system":"s","code":"a"},{"code":"b"}]}`, "2", `["http://p"] [{"code":"a","display":"A","system":"s"},{"code":"b"}] null`},
			{"meta-add", `{"profile":["http://p"],"tag":[{"code":"b"}]}`, "2", `["http://p"] [{"code":"a","display":"A","system":"s"},{"code":"b"}] null`},
			{"meta-add", `{"security":[{"code":"R"}]}`, "3", `["http://p"] [{"code":"a","display":"A","system":"s"},{"code":"b"}] [{"code":"R"}]`},
			{"meta-delete", `{"profile":["http://p","http://q"],"tag":[{"system":"s","code":"a"}]}`, "4", `null [{"code":"b"}] [{"code":"R"}]`},
			{"meta-delete", `{"tag":[{"system":"s","code":"b"}]}`, "4", `null [{"code":"b"}] [{"code":"R"}]`},
			{"meta", "", "4", `null [{"code":"b"}] [{"code":"R"}]`},
		} {
			method, body := "POST", meta(step.meta)
			if step.meta == "" {
				method, body = "GET", ""
			}
			got := at(c.do(method, path+"$"+step.op, body).want(t, 200), "parameter", 0, "valueMeta")
			text := ""
			for _, name := range []string{"profile", "tag", "security"} {
				list, err := json.Marshal(at(got, name))
				if err != nil {
					t.Fatal(err)
				}
				text += " " + string(list)
			}
			if text[1:] != step.want || at(got, "versionId") != step.version {
				t.Errorf("%s %s:%s %v, want %s of version %s", step.op, step.meta, text, at(got, "versionId"), step.want, step.version)
			}
		}
		for body, status := range map[string]int{meta("3"): 400, "{": 400, peter: 400, meta(`{"tag":[{"colour":1}]}`): 400} {
			if r := c.do("POST", path+"$meta-add", body); r.status != status {
				t.Errorf("%s: %d %s", body, r.status, r.body)
			}
		}
		c.do("POST", path+"$meta-add", meta(`{"tag":[{"code":"z"}]}`), "If-Match", `W/"1"`).wantIssue(t, 412, "conflict")
		c.do("GET", path+"$meta-add", "").wantIssue(t, 405, "not-supported")
		c.get(prefix+"/Patient/nobody/$meta").wantIssue(t, 404, "not-found")
		c.do("POST", prefix+"/Patient/nobody/$meta-delete", meta(`{}`)).wantIssue(t, 404, "not-found")
	}
}
