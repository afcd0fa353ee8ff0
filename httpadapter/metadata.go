package httpadapter

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/roget-health/roget/engine/operation"
)

// fhirVersion is the version of FHIR that this server implements.
const fhirVersion = "4.0.1"

// metadataCache caches the statements of the newest generation of the engine. The key is the name
// of the statement and the base URL.
type metadataCache struct {
	mu         sync.Mutex
	generation uint64
	statements map[string]statement
}

// statement is an encoded resource with its validators.
type statement struct {
	body []byte
	validators
}

// maxStatements bounds the cache, because clients may send any Host header.
const maxStatements = 16

// get returns the cached statement of this generation, or calls build and caches its result.
func (m *metadataCache) get(key string, generation uint64, build func() ([]byte, error)) (statement, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.generation != generation || len(m.statements) >= maxStatements {
		m.generation, m.statements = generation, nil
	}
	if s, found := m.statements[key]; found {
		return s, nil
	}
	body, err := build()
	if err != nil {
		return statement{}, err
	}
	s := newStatement(body)
	if m.statements == nil {
		m.statements = map[string]statement{}
	}
	m.statements[key] = s
	return s, nil
}

func newStatement(body []byte) statement {
	sum := fnv.New64a()
	_, _ = sum.Write(body) // a hash never fails
	return statement{body, validators{etag: `W/"` + strconv.FormatUint(sum.Sum64(), 36) + `"`}}
}

// capabilities responds to GET /metadata with the CapabilityStatement, or with mode=terminology
// the TerminologyCapabilities (R4 http.html#capabilities).
func (c *call) capabilities() {
	if _, err := c.negotiateQuery(); err != nil {
		c.fail(err)
		return
	}
	mode := c.r.URL.Query().Get("mode")
	smart, key := c.h.smart(c.r.Context())
	var build func() (any, error)
	switch mode {
	case "", "full", "normative":
		mode = "full"
		build = func() (any, error) { return c.h.capabilityStatement(c.at, c.base(), smart), nil }
	case "terminology":
		build = func() (any, error) { return c.h.terminologyCapabilities(c.at, c.base()), nil }
	default:
		c.fail(withStatus(http.StatusBadRequest, operation.Problem{
			Code: "value", Expression: "http.mode",
			Text: fmt.Sprintf("mode %q is not one of full, normative, terminology", cut(mode)),
		}))
		return
	}
	if c.h.readsOnly() {
		key += " reads only"
	}
	c.respondStatement(mode+key, build)
}

// respondStatement responds with a resource that describes the server, or with 304 if the client
// already has it. key names the resource in the cache.
func (c *call) respondStatement(key string, build func() (any, error)) {
	s, err := c.h.metadata.get(key+" "+c.base(), c.h.Engine.Generation(), func() ([]byte, error) {
		resource, err := build()
		if err != nil {
			return nil, err
		}
		body, err := json.Marshal(resource)
		if err != nil {
			return nil, err
		}
		return c.spoken(body)
	})
	if err != nil {
		c.fail(err)
		return
	}
	c.serveStatement(s)
}

func (c *call) serveStatement(s statement) {
	s.set(c.w.Header())
	if s.fresh(c.r.Header) {
		c.empty(http.StatusNotModified)
		return
	}
	c.fhir(http.StatusOK, s.body)
}

// statementHeader holds the first elements of CapabilityStatement and TerminologyCapabilities.
type statementHeader struct {
	ResourceType string `json:"resourceType"`
	ID           string `json:"id"`
	URL          string `json:"url"`
	Version      string `json:"version"`
	Name         string `json:"name"`
	Title        string `json:"title"`
	Status       string `json:"status"`
	Date         string `json:"date"`
	Description  string `json:"description"`
	Kind         string `json:"kind"`
}

func (h *Handler) statementHeader(resourceType, id, name, url, description string) statementHeader {
	return statementHeader{
		ResourceType: resourceType,
		ID:           id,
		URL:          url,
		Version:      h.Version,
		Name:         name,
		Title:        h.Name + " FHIR server",
		Status:       "active",
		Date:         h.createdAt(),
		Description:  description,
		Kind:         "instance",
	}
}

// createdAt returns the date of the statements: when the handler was created.
func (h *Handler) createdAt() string { return h.created.UTC().Format(time.RFC3339) }
