// Customstore is a FHIR server on a resource store of its own: versions are appended to a
// journal file, and everything that searches need is kept in memory.
//
//	go run ./examples/customstore clinic.journal
//	curl -X PUT http://127.0.0.1:8082/Patient/anna -H 'Content-Type: application/fhir+json' \
//	  -d '{"resourceType": "Patient", "id": "anna", "name": [{"family": "Meier"}]}'
//	curl 'http://127.0.0.1:8082/Patient?name=mei'
//
// A store implements resources.Store and as many of the optional interfaces as it can. The
// service offers what the store supports and refuses the rest. Each interface has a file here:
//
//	Interface   File        Lines  Brings
//	Store       store.go    240    reading and writing by id, durably
//	Historian   history.go   40    former versions of a resource
//	Indexed     search.go   210    searches, history of a type, $everything
//	Transactor  tx.go       110    transactions, conditional create, update, patch and delete
//	Reindexer,  reindex.go   60    an index that is made again when what is extracted from
//	Marker                         documents has changed; here, at each start
//
// A Transactor is used only when the store is Indexed too, because a condition is a search. A
// Watcher, which reports what other processes have written, is missing here: a journal has one
// process.
//
// The store knows nothing about FHIR. Searches reach it as ranges of byte strings
// (index.Range), and the service hands it the entries to keep with each version.
//
// Package adapters/storetest holds a store to its contract; see main_test.go.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"
	"time"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/httpadapter"
	"github.com/roget-health/roget/resources"
)

// handler returns a FHIR server on a store. The background work of the service, such as purging
// old entries, runs until ctx ends.
func handler(ctx context.Context, store resources.Store) (http.Handler, error) {
	eng := engine.New()
	service := resources.NewService(store, eng, resources.WithTerminology(eng))
	// Stored code systems, value sets and concept maps answer operations again.
	if _, _, err := service.Restore(ctx); err != nil {
		return nil, err
	}
	// The journal has no index, so it is made at each start.
	if err := service.Reindex(ctx, nil); err != nil {
		return nil, err
	}
	go service.Maintain(ctx)
	return httpadapter.New(httpadapter.Config{Engine: eng, Resources: service})
}

func run(ctx context.Context, path, addr string) error {
	store, err := Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = store.Close() }() // every write is durable already
	h, err := handler(ctx, store)
	if err != nil {
		return err
	}
	server := &http.Server{Addr: addr, Handler: h, ReadHeaderTimeout: 10 * time.Second}
	return server.ListenAndServe()
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: customstore JOURNAL")
		os.Exit(2)
	}
	log.Fatal(run(context.Background(), os.Args[1], "127.0.0.1:8082"))
}
