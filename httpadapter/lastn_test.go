package httpadapter

import (
	"fmt"
	"testing"
)

// TestLastN groups Observations by their codes.
func TestLastN(t *testing.T) {
	c := clinic(t)
	for n, code := range []string{"8867-4", "8867-4", "29463-7", "29463-7", "text"} {
		text := `{"coding":[{"system":"http://loinc.org","code":"` + code + `"}]}`
		if code == "text" {
			text = `{"text":"free"}`
		}
		c.do("PUT", fmt.Sprint("/Observation/n", n), fmt.Sprintf(`{"resourceType":"Observation","id":"n%d","status":"final","code":%s,"subject":{"reference":"Patient/peter"},"effectiveDateTime":"2026-02-0%d"}`, n, text, n+1)).want(t, 201)
	}
	for query, want := range map[string]string{
		"?patient=peter": "n4 n3 n1", "?subject=Patient/peter&max=2": "n4 n3 n2 n1 n0", "?patient=peter&code=29463-7&max=9": "n3 n2 weight",
		"?patient=Patient/peter&date=lt2026-02-01": "weight pulse", "?patient=paula": "",
	} {
		doc := c.get("/Observation/$lastn"+query).want(t, 200)
		found, _ := ids(t, doc)
		text := ""
		for _, id := range found {
			text += " " + id
		}
		if text != " "+want && text != want || doc["total"] != float64(len(found)) || doc["type"] != "searchset" {
			t.Errorf("%s:%s of %v, want %s", query, text, doc["total"], want)
		}
	}
	if found, _ := ids(t, c.do("POST", "/Observation/$lastn", "patient=peter&max=1", "Content-Type", mediaForm).want(t, 200)); len(found) != 3 {
		t.Errorf("POST: %v", found)
	}
	if found, _ := ids(t, c.do("POST", "/Observation/$lastn?patient=peter", `{"resourceType":"Parameters","parameter":[{"name":"max","valuePositiveInt":2}]}`).want(t, 200)); len(found) != 5 {
		t.Errorf("POST of Parameters: %v", found)
	}
	for query, status := range map[string]int{"": 400, "?code=x": 400, "?patient=peter&max=0": 400, "?patient=peter&max=x": 400, "?patient=peter&colour=red": 400, "?patient=peter&_sort=code": 400} {
		if r := c.get("/Observation/$lastn" + query); r.status != status {
			t.Errorf("%s: %d %s", query, r.status, r.body)
		}
	}
}
