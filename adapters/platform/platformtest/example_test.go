package platformtest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/roget-health/roget/adapters/platform/platformtest"
)

// A test has New, which ends the platform with the test. A program serves the handler.
func Example() {
	p := platformtest.Unstarted(platformtest.Options{
		Major:    43,
		Settings: map[string]any{"applicationTitle": "Clinic"},
		Faults:   map[string]platformtest.Fault{"/api/me": {Status: http.StatusServiceUnavailable, Times: 1}},
	})
	server := httptest.NewServer(p.Handler())
	defer server.Close()

	get := func(path string) {
		request, err := http.NewRequest(http.MethodGet, server.URL+path, http.NoBody)
		if err != nil {
			fmt.Println(err)
			return
		}
		request.Header.Set("Authorization", "ApiToken "+platformtest.PAT)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			fmt.Println(err)
			return
		}
		defer response.Body.Close()
		var body map[string]any
		err = json.NewDecoder(response.Body).Decode(&body)
		fmt.Println(response.StatusCode, body, err)
	}
	get("/api/me?fields=username")
	get("/api/me?fields=username")
	get("/api/systemSettings/applicationTitle")
	get("/api/dataElements?fields=name&filter=name:ilike:MALARIA&order=name:desc&paging=false")
	fmt.Println(len(p.Requests()), p.Requests()[3].Query.Get("order"))
	// Output:
	// 503 map[httpStatus:Service Unavailable httpStatusCode:503 message:A test wants it so status:ERROR] <nil>
	// 200 map[username:admin] <nil>
	// 200 map[applicationTitle:Clinic] <nil>
	// 200 map[dataElements:[map[name:Malaria deaths] map[name:Malaria cases]]] <nil>
	// 4 name:desc
}
