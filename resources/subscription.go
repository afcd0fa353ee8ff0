package resources

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/roget-health/roget/access"
	"github.com/roget-health/roget/resources/index"
	"github.com/roget-health/roget/resources/search"
	"github.com/roget-health/roget/resources/validate"
)

// WithSubscriptions lets a service store Subscriptions that are requested or active only if somebody
// can notify their endpoints, about which allowed decides, and SearchParameters only if they are about
// searches that exist. Without it, it stores them as documents.
func WithSubscriptions(allowed func(endpoint *url.URL) error) Option {
	return func(s *Service) { s.allowed = allowed }
}

// A Subscription holds what the notifier needs of a Subscription (R4 subscription.html).
type Subscription struct {
	Status, Criteria string
	End              time.Time // zero if there is none
	Channel          struct {
		Type, Endpoint, Payload string
		Header                  []string
	}
}

// ParseSubscription reads a Subscription.
func ParseSubscription(body []byte) (Subscription, error) {
	var sub Subscription
	err := json.Unmarshal(body, &sub)
	return sub, err
}

// Runs reports whether somebody is to be notified.
func (sub *Subscription) Runs() bool { return sub.Status == "requested" || sub.Status == "active" }

// CheckSubscription returns what keeps a Subscription from being served, with the element at fault.
func (s *Service) CheckSubscription(sub *Subscription) (element string, err error) {
	if s.allowed == nil {
		return "status", fmt.Errorf("nobody is notified by this service")
	}
	if sub.Channel.Type != "rest-hook" {
		return "channel.type", fmt.Errorf("the channel %.40q is not supported; use rest-hook", sub.Channel.Type)
	}
	endpoint, err := url.Parse(sub.Channel.Endpoint)
	if err != nil || endpoint.Scheme != "http" && endpoint.Scheme != "https" || endpoint.Host == "" || endpoint.User != nil || endpoint.Fragment != "" {
		return "channel.endpoint", fmt.Errorf("it must be an absolute http or https URL without a password or fragment")
	}
	if err := s.allowed(endpoint); err != nil {
		return "channel.endpoint", err
	}
	switch media, _, _ := strings.Cut(sub.Channel.Payload, ";"); media {
	case "", "application/fhir+json", "application/json":
	default:
		return "channel.payload", fmt.Errorf("the payload must be absent or application/fhir+json, not %.60q", sub.Channel.Payload)
	}
	for i, line := range sub.Channel.Header {
		name, value, found := strings.Cut(line, ":")
		if !found || name == "" || strings.ContainsFunc(name, notInToken) || strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r > '~' }) {
			return fmt.Sprintf("channel.header[%d]", i), fmt.Errorf("it must be a name, a colon and a value in ASCII, as in a request")
		}
		switch strings.ToLower(name) {
		case "host", "connection", "content-length", "transfer-encoding", "content-type", "te", "trailer", "upgrade":
			return fmt.Sprintf("channel.header[%d]", i), fmt.Errorf("the header %s is set by the server", name)
		}
	}
	w, err := s.Watch(sub.Criteria)
	if err == nil && s.AppendOnly(w.typ) {
		err = fmt.Errorf("each notification makes %ss, so they cannot be notified", w.typ)
	}
	return "criteria", err
}

// notInToken reports whether a character cannot be in the name of a header (RFC 9110, section 5.6.2).
func notInToken(r rune) bool {
	return r <= ' ' || r > '~' || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r)
}

// unserved returns an issue if a document asks for something that this service would not do.
func (s *Service) unserved(d *draft) []validate.Issue {
	if s.allowed == nil {
		return nil
	}
	issue := validate.Issue{Severity: validate.Error, Code: "not-supported"}
	switch d.typ {
	case "Subscription":
		sub, err := ParseSubscription(d.doc.Root().Raw())
		if err != nil || !sub.Runs() {
			return nil // validation has said what is wrong
		}
		element, err := s.CheckSubscription(&sub)
		if err == nil {
			return nil
		}
		issue.Expression, issue.Text = "Subscription."+element, err.Error()
	case "SearchParameter":
		code := d.doc.Root().Get("code").Text()
		for base := range d.doc.Root().Get("base").Items() {
			if p := s.tools().tables.SearchParam(base.Text(), code); p == nil && !isAbstract(base.Text()) {
				issue.Text = fmt.Sprintf("%.40s has no search parameter %.40q; new search parameters are not supported yet", base.Text(), code)
			}
		}
		if issue.Expression = "SearchParameter.code"; issue.Text == "" {
			return nil
		}
	default:
		return nil
	}
	return []validate.Issue{issue}
}

// isAbstract reports whether a type has no resources of its own.
func isAbstract(typ string) bool { return typ == "Resource" || typ == "DomainResource" }

// admitSubscription returns access.ErrForbidden if a grant that does not cover all that a Subscription
// shows would create or change it: its notifications are not decided on one by one.
func (s *Service) admitSubscription(ctx context.Context, d *draft) error {
	sub, err := ParseSubscription(d.doc.Root().Raw())
	if d.typ != "Subscription" || err != nil || !sub.Runs() || s.allowed == nil {
		return nil //nolint:nilerr // validation has refused it
	}
	typ, query, _ := strings.Cut(sub.Criteria, "?")
	params, err := ParseQuery(query)
	for _, p := range params {
		if strings.Contains(p.Name, ".") || strings.HasPrefix(p.Name, "_has") {
			typ = "*" // it follows references
		}
	}
	if err != nil {
		return nil //nolint:nilerr // validation has refused it
	}
	grant := access.GrantOf(ctx)
	if !grant.CoversAll(typ, access.Search) || !grant.CoversAll(typ, access.Read) {
		return fmt.Errorf("%w: a Subscription shows all resources that match, and the scopes of this request do not cover reading and searching all of type %s", access.ErrForbidden, typ)
	}
	return nil
}

// A Watch finds the changes that match criteria. It is for one goroutine.
type Watch struct {
	s        *Service
	typ      string
	criteria []search.Criterion
	// bounds are where the pages that are still to be read end, the oldest last.
	bounds []index.Seq
}

// A Change is a version that a Watch has found, without its document.
type Change struct {
	Version
	Seq index.Seq
}

// watchPage is the number of versions that a Watch reads at once.
const watchPage = 200

// Watch returns a Watch for criteria such as Observation?code:below=http://loinc.org|8867-4. Its errors
// are search.ErrParameter and ErrUnknownType.
func (s *Service) Watch(criteria string) (*Watch, error) {
	typ, query, _ := strings.Cut(criteria, "?")
	if err := s.checkType(typ); err != nil {
		return nil, err
	}
	w := &Watch{s: s, typ: typ}
	var err error
	w.criteria, err = s.scopeCriteria(typ, query, search.Options{Strict: true, Bases: s.bases})
	return w, err
}

// Next returns changes after a Seq, oldest first, and the Seq up to which it has read: deletions, and the
// versions that match the criteria as the store is now. Each call continues where the one before has read
// to; more reports whether there is more to read at once. Nothing is decided by permissions.
func (w *Watch) Next(ctx context.Context, after index.Seq) (changes []Change, through index.Seq, more bool, err error) {
	err = w.s.every(ctx, func(r index.Reader) error {
		if len(w.bounds) == 0 {
			if err := w.look(ctx, r, after); err != nil {
				return err
			}
		}
		end := w.bounds[len(w.bounds)-1]
		records, err := r.Versions(ctx, index.VersionsRequest{Type: w.typ, Since: after + 1, Before: end, Parts: index.WithValues})
		if err != nil {
			return err
		}
		env := w.s.tools().searcher.NewEnv(r, w.s.bases)
		for i := len(records) - 1; i >= 0; i-- {
			rec := &records[i]
			match := rec.Deleted
			if !match {
				if match, err = search.MatchAll(ctx, w.criteria, rec, index.NewView(rec.Values), env); err != nil {
					return err
				}
			}
			rec.Forget(ctx)
			if match {
				changes = append(changes, Change{VersionOf(rec), rec.Seq})
			}
		}
		through = max(end-1, after)
		w.bounds = w.bounds[:len(w.bounds)-1]
		return nil
	})
	return changes, through, len(w.bounds) > 0, err
}

// look sets the bounds of the pages after a Seq. It reads from the newest version to the oldest, as
// stores do.
func (w *Watch) look(ctx context.Context, r index.Reader, after index.Seq) error {
	before := r.At() + 1
	for {
		w.bounds = append(w.bounds, before)
		page, err := r.Versions(ctx, index.VersionsRequest{Type: w.typ, Since: after + 1, Before: before, Limit: watchPage})
		if err != nil || len(page) < watchPage {
			return err
		}
		before = page[len(page)-1].Seq
	}
}
