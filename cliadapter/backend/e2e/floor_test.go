package e2e_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/julienschmidt/httprouter"
)

// floorBytes is the size of the constant response, about that of a $lookup.
const floorBytes = 2270

// floor parses the query and reads the body of every request, and responds with constant bytes. No
// HTTP server made of net/http and httprouter can be faster, so the difference is the cost of
// Roget.
func floor() http.Handler {
	body := bytes.Repeat([]byte("x"), floorBytes)
	answer := func(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
		_ = r.URL.Query()
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/fhir+json")
		w.Header().Set("Content-Length", strconv.Itoa(floorBytes))
		_, _ = w.Write(body)
	}
	router := httprouter.New()
	router.GET("/baseR4/:type/:op", answer)
	router.POST("/baseR4/:type/:op", answer)
	return router
}

// serveFloor is the command floor that this test binary is when it has that name:
//
//	go test -c -o floor ./cliadapter/backend/e2e && ./floor 127.0.0.1:8081
func serveFloor() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: floor ADDR")
		os.Exit(2)
	}
	if err := http.ListenAndServe(os.Args[1], floor()); err != nil {
		fmt.Fprintln(os.Stderr, "floor:", err)
		os.Exit(3)
	}
}

func TestFloor(t *testing.T) {
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		answer := httptest.NewRecorder()
		floor().ServeHTTP(answer, httptest.NewRequest(method, "/baseR4/CodeSystem/$lookup?system=s&code=c", strings.NewReader("{}")))
		if answer.Code != http.StatusOK || answer.Body.Len() != floorBytes {
			t.Errorf("%s: status %d, %d bytes", method, answer.Code, answer.Body.Len())
		}
	}
}
