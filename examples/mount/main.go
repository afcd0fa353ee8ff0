// Mount is a program that has the FHIR service under /fhir, beside pages of its own, behind a
// reverse proxy.
//
//	go run ./examples/mount https://clinic.example/fhir
//	curl http://127.0.0.1:8083/fhir/metadata
//
// Two things make the links in answers right, such as Location and the next page of a search:
//
//   - http.StripPrefix removes the path, since the handler knows its own paths only.
//   - Config.BaseURL is the address that clients use, path included. It is the base of every
//     link, whatever host, port and scheme a request arrives by.
//
// The handler reads neither Forwarded nor X-Forwarded-Host, because a client can send them too.
// Without BaseURL, links have the Host of the request, and https only when the connection
// itself has TLS.
//
// In nginx, such a proxy is:
//
//	location /fhir/ { proxy_pass http://127.0.0.1:8083; }
package main

import (
	"fmt"
	"log"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/roget-health/roget/adapters/memory"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/httpadapter"
	"github.com/roget-health/roget/resources"
)

// service returns the pages of the program, with the FHIR service under the path of base.
func service(base string) (http.Handler, error) {
	public, err := url.Parse(base)
	if err != nil {
		return nil, err
	}
	path := strings.TrimRight(public.Path, "/")
	eng := engine.New()
	fhir, err := httpadapter.New(httpadapter.Config{
		Engine:    eng,
		Resources: resources.NewService(memory.New(), eng, resources.WithTerminology(eng)),
		BaseURL:   base,
	})
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle(path+"/", http.StripPrefix(path, fhir))
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(w, "The clinic. Its FHIR service is at", base)
	})
	return mux, nil
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: mount BASE-URL")
		os.Exit(2)
	}
	handler, err := service(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	server := &http.Server{Addr: "127.0.0.1:8083", Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	log.Fatal(server.ListenAndServe())
}
