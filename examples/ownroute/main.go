// Ownroute is a service with a route of its own beside the terminology service: both
// answer from one engine.
//
//	go run ./examples/ownroute
//	curl http://127.0.0.1:8081/greet/bear
//	curl 'http://127.0.0.1:8081/CodeSystem/$lookup?system=https://example.org/words&code=bear'
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"time"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/httpadapter"
	"github.com/roget-health/roget/resources/r4"
)

const url = "https://example.org/words"

// words is a code system made by hand.
func words(ctx context.Context) (*codesystem.Index, error) {
	header := &r4.CodeSystem{Content: "complete"}
	header.ResourceType, header.ID, header.URL, header.Name = "CodeSystem", "words", url, "Words"
	b := codesystem.NewBuilder(header)
	for _, w := range [][2]string{{"bear", "Bear"}, {"wolf", "Wolf"}} {
		if _, err := b.Add(&codesystem.Concept{Code: w[0], Display: w[1], Parent: -1}); err != nil {
			return nil, err
		}
	}
	return b.Build(ctx)
}

// service returns the handler: /greet is ours, all else is the terminology service.
func service(ctx context.Context) (http.Handler, error) {
	index, err := words(ctx)
	if err != nil {
		return nil, err
	}
	eng := engine.New()
	if err := eng.Publish(engine.CodeSystemEntry(index, "made by hand")); err != nil {
		return nil, err
	}
	terminology, err := httpadapter.New(httpadapter.Config{Engine: eng})
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/", terminology)
	mux.HandleFunc("GET /greet/{code}", func(w http.ResponseWriter, r *http.Request) {
		concept, ok := index.Find(r.PathValue("code"))
		if !ok {
			http.Error(w, "nobody of that name", http.StatusNotFound)
			return
		}
		fmt.Fprintf(w, "Hello, %s!\n", index.Display(concept))
	})
	return mux, nil
}

func main() {
	handler, err := service(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	server := &http.Server{Addr: "127.0.0.1:8081", Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	log.Fatal(server.ListenAndServe())
}
