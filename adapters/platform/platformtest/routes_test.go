package platformtest_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/roget-health/roget/adapters/platform/platformtest"
)

// TestRun: a route leads on, with its own credentials, to what answers or does not.
func TestRun(t *testing.T) {
	a := ask(t, platformtest.Options{})
	a.get("/api/routes/Rte00000001/run/x", "502 does not answer")
	a = ask(t, platformtest.Options{Upstream: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/broken" {
			panic(http.ErrAbortHandler)
		}
		user, password, _ := r.BasicAuth()
		w.WriteHeader(http.StatusTeapot)
		fmt.Fprintf(w, "%s %s %s %s %s", r.Method, r.URL, user, password, r.Header.Get("Authorization"))
	})})
	a.get("/api/routes/Rte00000001/run/a%20b/c?q=1", "418 GET https://lab.example/api/a%20b/c?q=1 u upstream-pass-4711")
	a.get("/api/routes/Rte00000001/run/broken", "502 does not answer")
	a.wants("PATCH", "/api/routes/Rte00000001", `[{"op":"add","path":"/auth","value":{"type":"api-token","token":"t0ken"}}]`, "200 ", "Content-Type: application/json-patch+json")
	a.get("/api/routes/Rte00000001?fields=auth", `{"auth":{"type":"api-token"}}`)
	a.get("/api/routes/Rte00000001/run/x", "418 ApiToken t0ken")
	a.wants("PATCH", "/api/routes/Rte00000001", `[{"op":"replace","path":"/disabled","value":true}]`, "200 ", "Content-Type: application/json-patch+json")
	a.get("/api/routes/Rte00000001/run", "409 disabled")
}

// TestRunAuth: each kind of credentials reaches an upstream on this machine, none of the
// caller's does.
func TestRunAuth(t *testing.T) {
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s|%s|%s|%s", r.URL.RequestURI(), r.Header.Get("Authorization"), r.Header.Get("X-Key"), r.Header.Get("Cookie"))
	}))
	a := ask(t, platformtest.Options{})
	for auth, want := range map[string]string{
		`{"type":"api-token","token":"t"}`:                      "/x?q=1|ApiToken t||",
		`{"type":"api-headers","headers":{"X-Key":"k"}}`:        "/x?q=1||k|",
		`{"type":"api-query-params","queryParams":{"key":"k"}}`: "/x?key=k&q=1|||",
		`{"type":"http-basic","username":"u","password":"p"}`:   "/x?q=1|Basic dTpw||",
	} {
		a.wants("PUT", "/api/routes/Rte00000001", `{"name":"Lab","url":"`+upstream.URL+`/**","auth":`+auth+`}`, "200 ")
		a.wants("GET", "/api/routes/Rte00000001/run/x?q=1", "", want, "Cookie: A=1")
	}
	a.wants("PUT", "/api/routes/Rte00000001", `{"name":"Lab","url":"`+upstream.URL+`"}`, "200 ")
	a.get("/api/routes/Rte00000001/run", "200 ")
	a.get("/api/routes/Rte00000001/run/x", "400 sub-paths")
	upstream.Close()
	a.get("/api/routes/Rte00000001/run", "502 ")
	a.get("/api/routes/Rte00000009/run", "404 ")
	if given := a.Get("routes", "Rte00000001"); given["auth"] != nil || strings.Contains(fmt.Sprint(given), "password") {
		t.Errorf("%v", given)
	}
}
