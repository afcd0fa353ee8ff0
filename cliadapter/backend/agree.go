package backend

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/roget-health/roget/adapters/agreement"
	"github.com/roget-health/roget/adapters/postgres"
	"github.com/roget-health/roget/cliadapter"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/httpadapter"
)

// headerEdition is the number of the edition that a request is answered from.
const headerEdition = "X-Roget-Edition"

// leastLease is the shortest lease: several looks at the notes.
const leastLease = 3 * time.Second

// openAgreement makes the server one of those that agree on the edition, if the options say so.
func (s *Service) openAgreement(ctx context.Context, o *cliadapter.ServeOptions) (err error) {
	if o.Agree == "" {
		return nil
	}
	if s.notes, err = postgres.OpenNotes(ctx, o.Agree); err != nil {
		return err
	}
	s.agreement = agreement.NewServer(s.notes, max(o.Lease, leastLease), s.content(), o.Logger)
	s.checks = append(s.checks, httpadapter.Check{
		Name: "edition", Problem: "the server does not know or have the agreed edition of the terminology", Test: s.agreement.Ready,
	})
	return nil
}

// content returns what the data folder holds.
func (s *Service) content() agreement.Content {
	digest, newest := s.dir.Content()
	return agreement.Content{Digest: digest, Height: int(newest)} //nolint:gosec // a number of packs
}

// startAgreement takes part in the agreement until the returned function is called, not only until ctx ends:
// the last requests are answered after that.
func (s *Service) startAgreement(ctx context.Context) (stop func()) {
	if s.agreement == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var group sync.WaitGroup
	group.Go(func() { s.agreement.Run(ctx) })
	return func() { cancel(); group.Wait() }
}

// takeUp publishes entries: at once, or when all servers that agree have them. Until then it maps and checks
// the code systems, so that the first requests do not wait for that.
func (s *Service) takeUp(entries []*engine.Entry, publish func() error) error {
	if s.agreement == nil {
		return publish()
	}
	for _, e := range entries {
		if e.CodeSystem != nil {
			if _, err := e.CodeSystem(); err != nil {
				return err
			}
		}
	}
	s.agreement.Offer(s.content(), publish)
	return nil
}

// inAgreement returns a handler that answers about terminology from the agreed edition only.
func (s *Service) inAgreement(handler http.Handler) http.Handler {
	if s.agreement == nil {
		return handler
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if onTerminology(r) {
			number, err := s.agreement.Pass(r.Context())
			if err != nil {
				refuse(w, http.StatusServiceUnavailable, "transient", err.Error()+"; try again, or another server")
				return
			}
			w.Header()[headerEdition] = []string{strconv.Itoa(number)}
		}
		handler.ServeHTTP(w, r)
	})
}

// onTerminology reports whether the answer to a request may depend on the edition. Health does not, nor do
// reads of other resources whose parameters have no modifiers.
func onTerminology(r *http.Request) bool {
	path := r.URL.Path
	switch path {
	case "/healthz", "/readyz", "/metrics":
		return false
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead || strings.ContainsAny(path, "$") || strings.Contains(r.URL.RawQuery, ":") || strings.Contains(strings.ToLower(r.URL.RawQuery), "%3a") {
		return true
	}
	for segment := range strings.SplitSeq(path, "/") {
		switch segment {
		case "CodeSystem", "ValueSet", "ConceptMap", "ui", "mcp", "metadata":
			return true
		}
	}
	return false
}

// refuse responds with an outcome.
func refuse(w http.ResponseWriter, status int, code, text string) {
	header := w.Header()
	header.Set("Cache-Control", "no-store")
	if status == http.StatusServiceUnavailable {
		header.Set("Retry-After", "5")
	}
	header.Set("Content-Type", "application/fhir+json; charset=utf-8")
	w.WriteHeader(status)
	_, outcome := operation.Outcome(&operation.Problem{Code: code, Text: text})
	_, _ = w.Write(outcome.AppendJSON(nil))
}
