package backend

import (
	"cmp"
	"context"
	"net/http"
	"path/filepath"
	"runtime/metrics"
	"strconv"
	"time"

	"github.com/docker/go-units"

	"github.com/roget-health/roget/cliadapter"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/httpadapter"
	"github.com/roget-health/roget/uiadapter"
)

// pages returns what makes the pages for browsers, or nil if they are left out.
func (s *Service) pages(eng *engine.Engine, o cliadapter.ServeOptions) func(httpadapter.PageServices) (http.Handler, error) {
	if !o.Page {
		return nil
	}
	return func(services httpadapter.PageServices) (http.Handler, error) {
		return uiadapter.New(uiadapter.Config{
			Engine:  eng,
			FHIR:    services.FHIR,
			Address: services.Address,
			Explain: services.Explain,
			Login:   services.Login,

			Sessions:  s.access.sessions,
			Passwords: o.Access.Basic != "",
			OAuth:     s.pageOAuth(&o.Access),

			Stored:   true,
			Writable: true,
			Facts:    s.pageFacts(eng, o),
			Logger:   o.Logger,
			Version:  o.Version.Version,
		})
	}
}

// conformance is the number of HL7's terminology cases that pass, as the README has it; a test of the
// documents compares both.
const conformance = "579 of 579"

// pageFacts returns what the page about the server shows to who may search everything.
func (s *Service) pageFacts(eng *engine.Engine, o cliadapter.ServeOptions) func(context.Context) uiadapter.Facts {
	started := time.Now().UTC().Format(time.RFC3339)
	folder, err := filepath.Abs(o.Data)
	if err != nil {
		folder = o.Data
	}
	authentication := "server.none.set"
	if o.Access.Guarded() {
		authentication = "server.required"
	}
	return func(context.Context) uiadapter.Facts {
		heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		metrics.Read(heap)
		open, most, _ := httpadapter.CountConnections(s.listener)
		connections := strconv.Itoa(open)
		if most > 0 {
			connections += " / " + strconv.Itoa(most)
		}
		return uiadapter.Facts{Groups: []uiadapter.FactGroup{
			{Title: "server.program", Facts: []uiadapter.Fact{
				{Name: "server.version", Value: o.Version.Version},
				{Name: "server.revision", Value: cmp.Or(o.Version.Revision, "?")},
				{Name: "server.started", Value: started},
				{Name: "server.conformance", Value: conformance},
			}},
			{Title: "server.data", Facts: []uiadapter.Fact{{Name: "server.folder", Value: folder}, {Name: "server.store", Value: storeName(&o)}}},
			{Title: "server.memory", Facts: []uiadapter.Fact{
				{Name: "server.limit", Value: units.BytesSize(float64(s.memory.total))},
				{Name: "server.heap", Value: units.BytesSize(float64(heap[0].Value.Uint64()))},
				{Name: "server.caches", Value: strconv.Itoa(eng.CacheStats().Entries)},
				{Name: "server.connections", Value: connections},
			}},
			{Title: "server.settings", Facts: []uiadapter.Fact{{Name: "server.authentication", Value: authentication}, {Name: "--base-url", Value: cmp.Or(o.Edge.BaseURL, "–")}, {Name: "--addr", Value: o.Addr}}},
		}}
	}
}

// pageOAuth says how people sign in at the first issuer; nil if they cannot.
func (s *Service) pageOAuth(o *cliadapter.AccessOptions) *uiadapter.OAuth {
	if o.PageClient == "" || s.access.smart == nil {
		return nil
	}
	return &uiadapter.OAuth{ClientID: o.PageClient, Scopes: o.PageScopes, Endpoints: func(ctx context.Context) (authorize, token string, err error) {
		config, err := s.access.smart.configuration(ctx)
		if err != nil {
			return "", "", err
		}
		return config.AuthorizationEndpoint, config.TokenEndpoint, nil
	}}
}
