package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/roget-health/roget/resources"
)

// A ward sees its own observations, without those that were entered in error.
func Example_main() {
	handler, store, err := service()
	if err != nil {
		fmt.Println(err)
		return
	}
	for id, rest := range map[string]string{"a": `"final","performer":[{"reference":"Organization/ward-3"}]`, "b": `"final","performer":[{"reference":"Organization/ward-4"}]`, "c": `"entered-in-error","performer":[{"reference":"Organization/ward-3"}]`} {
		body := `{"resourceType":"Observation","id":"` + id + `","code":{"text":"x"},"status":` + rest + `}`
		if _, err := store.Update(context.Background(), "Observation", id, []byte(body), resources.UpdateOptions{}); err != nil {
			fmt.Println(err)
			return
		}
	}
	for _, request := range [][3]string{
		{http.MethodGet, "/Observation", "ward-3"},
		{http.MethodGet, "/Observation/a", "ward-3"},
		{http.MethodGet, "/Observation/b", "ward-3"},
		{http.MethodDelete, "/Observation/a", "ward-3"},
		{http.MethodGet, "/Observation", ""},
		{http.MethodGet, "/CodeSystem", ""},
		{http.MethodGet, "/CodeSystem", "guest"},
	} {
		r := httptest.NewRequestWithContext(context.Background(), request[0], request[1], nil)
		r.Header.Set("X-Badge", request[2])
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		var found struct {
			Entry []struct{ Resource struct{ ID string } }
		}
		_ = json.Unmarshal(w.Body.Bytes(), &found)
		fmt.Printf("%s %s by %q: %d %v\n", request[0], request[1], request[2], w.Code, found.Entry)
	}
	// Output:
	// GET /Observation by "ward-3": 200 [{{a}}]
	// GET /Observation/a by "ward-3": 200 []
	// GET /Observation/b by "ward-3": 404 []
	// DELETE /Observation/a by "ward-3": 403 []
	// GET /Observation by "": 403 []
	// GET /CodeSystem by "": 200 []
	// GET /CodeSystem by "guest": 401 []
}
