// Authorizer is a service that decides itself who makes a request, and what that permits: visitors
// search code systems, and each ward searches its own observations.
//
//	go run ./examples/authorizer
//	curl http://127.0.0.1:8081/CodeSystem
//	curl http://127.0.0.1:8081/Observation -H 'X-Badge: ward-3'
package main

import (
	"context"
	"errors"
	"log"
	"net/http"
	"strings"
	"time"

	"github.com/roget-health/roget/access"
	"github.com/roget-health/roget/adapters/memory"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/httpadapter"
	"github.com/roget-health/roget/resources"
)

// badges knows who makes a request by a header. A real one verifies a secret.
type badges struct{}

// Authenticate implements httpadapter.Authenticator.
func (badges) Authenticate(r *http.Request) (*access.Principal, error) {
	badge := r.Header.Get("X-Badge")
	ward, known := strings.CutPrefix(badge, "ward-")
	switch {
	case badge == "":
		return nil, nil // no credentials of this kind
	case !known:
		return nil, errors.New("the badge is not of the form ward-NUMBER")
	}
	return &access.Principal{Subject: badge, Issuer: "badges", Method: "badge", Roles: []string{ward}}, nil
}

// wards decides what requests may do.
type wards struct{}

// Authorize implements httpadapter.Authorizer. Scopes are those of SMART App Launch 2, with the
// arguments of a search.
func (wards) Authorize(_ context.Context, p *access.Principal) (*access.Grant, error) {
	grant := &access.Grant{Allow: []access.Scope{{Level: access.System, Type: "CodeSystem", Actions: access.Read | access.Search}}}
	if p != nil {
		grant.Allow = append(grant.Allow, access.Scope{
			Level: access.User, Type: "Observation", Actions: access.Read | access.Search, Query: "performer=Organization/ward-" + p.Roles[0],
		})
		grant.Deny = []access.Scope{{Level: access.User, Type: "Observation", Actions: access.All, Query: "status=entered-in-error"}}
	}
	return grant, nil
}

// service returns the handler and the resources, which the program itself may use without limits.
func service() (http.Handler, *resources.Service, error) {
	eng := engine.New()
	store := resources.NewService(memory.New(), eng)
	handler, err := httpadapter.New(httpadapter.Config{
		Engine: eng, Resources: store, Authenticators: []httpadapter.Authenticator{badges{}}, Authorizer: wards{},
	})
	if err != nil {
		return nil, nil, err
	}
	return handler, store, store.CheckGrant(context.Background(), example())
}

// example returns a grant as wards makes it. CheckGrant finds mistakes in its scopes at the start.
func example() *access.Grant {
	grant, _ := wards{}.Authorize(context.Background(), &access.Principal{Roles: []string{"1"}})
	return grant
}

func main() {
	handler, _, err := service()
	if err != nil {
		log.Fatal(err)
	}
	server := &http.Server{Addr: "127.0.0.1:8081", Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	log.Fatal(server.ListenAndServe())
}
