package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
)

// Both routes answer.
func Example_main() {
	handler, err := service(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	server := httptest.NewServer(handler)
	defer server.Close()
	for _, path := range []string{"/greet/bear", "/CodeSystem/$lookup?system=" + url + "&code=wolf", "/greet/dragon"} {
		answer, err := http.Get(server.URL + path)
		if err != nil {
			fmt.Println(err)
			return
		}
		body, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		fmt.Println(answer.StatusCode, strings.TrimSpace(string(body[:min(len(body), 90)])))
	}
	// Output:
	// 200 Hello, Bear!
	// 200 {"resourceType":"Parameters","parameter":[{"name":"name","valueString":"Words"},{"name":"d
	// 404 nobody of that name
}
