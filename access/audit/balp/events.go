package balp

import (
	"encoding/json"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/roget-health/roget/access/audit"
)

// Bounds of the events of a record.
const (
	// maxEach is the number of patients up to which each has an event of its own. Events about more
	// name up to maxTogether patients each, and have the profile without a patient.
	maxEach, maxTogether = 200, 500
)

// Statuses of HTTP that events depend on.
const (
	badRequest   = 400 // from here on, the request failed
	unauthorized = 401
	forbidden    = 403
	misdirected  = 421
	tooMany      = 429
	serverError  = 500 // from here on, the server failed
)

// A Writer makes AuditEvents. It is safe for concurrent use.
type Writer struct {
	patterns patterns
	server   reference
	at       network
	source   source
	users    *regexp.Regexp // references that agent.who may be
}

// NewWriter returns a Writer for a server with a host name and a public address, which may be "".
func NewWriter(host, address string) *Writer {
	w := &Writer{patterns: newPatterns(), at: network{host, networkName}, users: regexp.MustCompile(`^(Device|Organization|Patient|Practitioner|PractitionerRole|RelatedPerson)/[A-Za-z0-9.-]{1,64}$`)}
	w.server = reference{Identifier: &identifier{Value: host}, Display: host}
	if address != "" {
		w.server.Identifier.Value, w.at = address, network{address, networkURI}
	}
	w.source = source{Site: host, Observer: w.server, Type: []coding{{systemSource, "4", "Application Server"}}}
	return w
}

// Append appends the events of a record as JSON; none if it concerns no resources.
func (w *Writer) Append(dst [][]byte, r *audit.Record) ([][]byte, error) {
	for _, e := range w.events(r) {
		doc, err := json.Marshal(e)
		if err != nil {
			return dst, err
		}
		dst = append(dst, doc)
	}
	return dst, nil
}

func (w *Writer) events(from *audit.Record) (list []*auditEvent) {
	r := new(*from)
	for _, text := range [...]*string{&r.Subject, &r.Issuer, &r.Client, &r.Address, &r.Purpose, &r.Request, &r.Note} {
		*text = plain(*text)
	}
	switch {
	case r.Event == audit.EventStart:
		return []*auditEvent{w.ofServer(r, "110100", "Application Activity", "110120", "Application Start")}
	case r.Event == audit.EventStop:
		return []*auditEvent{w.ofServer(r, "110100", "Application Activity", "110121", "Application Stop")}
	case r.Event == audit.EventRefusals, r.Event == audit.EventDamage:
		return []*auditEvent{w.ofServer(r, "110113", "Security Alert", "", "")}
	case r.Request == "":
		return nil // another event of the log itself
	}
	updated := "update"
	if r.Event == "patch" { // the profile has one of the two
		updated = r.Event
	}
	for _, change := range [...]struct {
		of   *pattern
		code string
		refs []string
	}{{&w.patterns.create, "create", r.Created}, {&w.patterns.update, updated, r.Updated}, {&w.patterns.remove, "delete", r.Deleted}} {
		for _, ref := range change.refs {
			list = append(list, w.about(r, change.of, change.code, dataEntity(ref), patientReferences(r.Owners[ref]))...)
		}
	}
	changed := len(list) > 0
	switch p := w.patternOf(r); {
	case p == nil:
	case p.query && (!changed || len(r.Read) > 0):
		patients := r.Patients
		if onlyEvents(r.Read) {
			patients = nil
		}
		list = append(list, w.about(r, p, subtypeOf(r), queryEntity(queryOf(r)), patients)...)
	case len(r.Read) > 0:
		code := "read"
		if r.Event == "vread" {
			code = r.Event
		}
		for _, ref := range r.Read { // what a change found as it should be was read as well
			list = append(list, w.about(r, &w.patterns.read, code, dataEntity(ref), r.Patients)...)
		}
	case !changed:
		list = append(list, w.about(r, p, subtypeOf(r), queryEntity(queryOf(r)), r.Patients)...)
	}
	return list
}

// patternOf returns the pattern of the interaction that a client asked for, or nil if it is not about
// resources.
func (w *Writer) patternOf(r *audit.Record) *pattern {
	p := &w.patterns
	switch r.Event {
	case "create":
		return &p.create
	case "update", "patch":
		return &p.update
	case "delete":
		return &p.remove
	case "read", "vread":
		return &p.read
	case "search":
		return &p.query
	case "history":
		return &p.history
	case "capabilities", "openapi", "batch", "transaction", "unknown", "panic":
		return nil
	}
	if len(r.Read)+len(r.Patients) == 0 && !refused(r) {
		return nil // of terminology
	}
	return &p.operation
}

// subtypeOf returns the code of the interaction.
func subtypeOf(r *audit.Record) string {
	switch r.Event {
	case "search":
		if r.Type == "" {
			return "search-system"
		}
		return "search-type"
	case "create", "update", "patch", "delete", "read", "vread", "history":
		return r.Event
	}
	return "operation"
}

// about returns the events about something and the patients it belongs to.
func (w *Writer) about(r *audit.Record, p *pattern, code string, what entity, patients []string) (list []*auditEvent) {
	each, together := 1, slices.Chunk(patients, 1)
	switch {
	case len(patients) > maxEach:
		each, together = maxTogether, slices.Chunk(patients, maxTogether)
	case len(patients) == 0:
		together = slices.Values([][]string{nil})
	}
	for group := range together {
		e := w.event(r, p, code)
		if e.Outcome == outcomeSuccess && p.profile != "" && p.query == (what.Query != nil) {
			name := p.profile
			if each == 1 && len(group) == 1 {
				name = "Patient" + name
			}
			e.Meta = &meta{[]string{profiles + name}}
		}
		e.Entity = append(e.Entity, what)
		for _, patient := range group {
			e.Entity = append(e.Entity, patientEntity(patient))
		}
		if r.Request != "" {
			e.Entity = append(e.Entity, transactionEntity(r.Request))
		}
		list = append(list, e)
	}
	return list
}

// event returns an event without entities.
func (w *Writer) event(r *audit.Record, p *pattern, code string) *auditEvent {
	e := &auditEvent{
		ResourceType: "AuditEvent", Type: coding{systemEvent, "rest", "RESTful Operation"},
		Subtype: []coding{{systemInteraction, code, code}}, Action: p.action,
		Recorded: r.Time.UTC().Format("2006-01-02T15:04:05.000Z"), Source: w.source,
	}
	if asked := subtypeOf(r); asked != code && code != "search" {
		e.Subtype = append(e.Subtype, coding{systemInteraction, asked, asked})
	}
	switch {
	case r.Status < badRequest:
		e.Outcome = outcomeSuccess
	case r.Status < serverError:
		e.Outcome = outcomeMinor
	default:
		e.Outcome = outcomeSerious
	}
	if r.Status >= badRequest {
		e.OutcomeDesc = "HTTP status " + strconv.Itoa(r.Status)
	}
	switch r.Status {
	case unauthorized:
		e.Type = coding{systemDICOM, "110114", "User Authentication"}
	case forbidden, misdirected, tooMany:
		e.Type = coding{systemDICOM, "110113", "Security Alert"}
	}
	e.Agent = append(e.Agent, w.client(r, p), agent{Type: p.server, Who: w.server, Network: &w.at})
	if r.Subject != "" {
		e.Agent = append(e.Agent, w.user(r, p))
	} else if r.Purpose != "" {
		e.Agent[0].PurposeOfUse = []codeableConcept{{Text: r.Purpose}}
	}
	return e
}

// client returns the program that sent the request.
func (w *Writer) client(r *audit.Record, p *pattern) agent {
	at := network{Address: r.Address, Type: networkAddress}
	if _, err := netip.ParseAddr(r.Address); err != nil {
		at = network{Address: "unknown", Type: networkName}
	}
	a := agent{Type: p.client, Who: reference{Display: at.Address}, Network: &at, Requestor: r.Subject == ""}
	if r.Client != "" {
		a.Who = reference{Identifier: issued(r.Issuer, r.Client), Display: r.Client}
	}
	return a
}

// user returns who was authenticated.
func (w *Writer) user(r *audit.Record, p *pattern) agent {
	a := agent{Type: p.user, Who: reference{Identifier: issued(r.Issuer, r.Subject)}, Name: r.Subject, Requestor: true}
	if w.users.MatchString(r.User) {
		a.Who.Reference = r.User
	}
	if r.Purpose != "" {
		a.PurposeOfUse = []codeableConcept{{Text: r.Purpose}}
	}
	return a
}

// issued returns the identifier of somebody whom an issuer knows. Only an absolute URI is a system.
func issued(issuer, value string) *identifier {
	id := &identifier{Value: value}
	if u, err := url.Parse(issuer); err == nil && u.IsAbs() && !strings.ContainsFunc(issuer, unicode.IsSpace) {
		id.System = issuer
	} else if issuer != "" {
		id.Assigner = &reference{Display: issuer}
	}
	return id
}

// ofServer returns an event about the server itself.
func (w *Writer) ofServer(r *audit.Record, typ, display, subtype, subdisplay string) *auditEvent {
	e := w.event(r, &w.patterns.operation, "operation")
	e.Type, e.Subtype, e.OutcomeDesc = coding{systemDICOM, typ, display}, nil, r.Note
	e.Agent = []agent{{Type: codeableConcept{Coding: []coding{{systemDICOM, "110150", "Application"}}}, Who: w.server, Network: &w.at}}
	if subtype != "" {
		e.Subtype = []coding{{systemDICOM, subtype, subdisplay}}
	}
	if r.Event == audit.EventRefusals {
		e.Outcome, e.OutcomeDesc = outcomeMinor, strconv.Itoa(r.Count)+" further refused requests"
		e.Agent = append(e.Agent, w.client(r, &w.patterns.operation))
	}
	if r.Event == audit.EventDamage {
		e.Outcome, e.OutcomeDesc = outcomeSerious, "damage found ("+r.Found+"): "+r.Note
		for _, what := range r.Damaged {
			e.Entity = append(e.Entity, damagedEntity(what))
		}
	}
	return e
}

// refused reports whether a request was refused for what the client is.
func refused(r *audit.Record) bool {
	switch r.Status {
	case unauthorized, forbidden, misdirected, tooMany:
		return true
	}
	return false
}

// plain returns a text as a string of FHIR: without control characters, and not of white space only.
func plain(text string) string {
	clean := strings.Map(func(c rune) rune {
		if unicode.IsControl(c) {
			return utf8.RuneError
		}
		return c
	}, text)
	if clean != "" && strings.TrimSpace(clean) == "" {
		return strconv.Quote(clean)
	}
	return clean
}

// onlyEvents reports whether all of the resources are AuditEvents. A search of them is recorded
// once, whatever patients they name, so that reading events does not multiply them.
func onlyEvents(refs []string) bool {
	return len(refs) > 0 && !slices.ContainsFunc(refs, func(ref string) bool { return !strings.HasPrefix(ref, "AuditEvent/") })
}

// queryOf returns the method and address of a request.
func queryOf(r *audit.Record) string {
	text := r.Method + " " + r.Path
	if r.Query != "" {
		text += "?" + r.Query
	}
	return text
}

func patientReferences(ids []string) []string {
	refs := make([]string, len(ids))
	for i, id := range ids {
		refs[i] = "Patient/" + id
	}
	return refs
}
