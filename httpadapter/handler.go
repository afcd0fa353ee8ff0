package httpadapter

import (
	"net/http"
	"sync"
	"time"

	"github.com/julienschmidt/httprouter"
	"github.com/klauspost/compress/gzhttp"
	"github.com/rs/cors"

	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources"
)

// Handler is the FHIR server. It is safe for concurrent use.
type Handler struct {
	Config
	types  []string // the resource types served
	stored map[string]bool
	former bool // former versions are kept
	table  map[string]*typeOperations
	byID   map[string]*operation.Operation // by id of the OperationDefinition
	runner *operation.Runner

	router   *httprouter.Router
	squeezed http.Handler // the router behind compression
	cors     *cors.Cors   // nil when no origin is configured
	metrics  *metrics     // nil when not wanted
	ids      requestIDs
	calls    sync.Pool
	turns    turns
	metadata metadataCache
	since    time.Time
}

// typeOperations are the operations of one resource type, or of the system, by name.
type typeOperations struct {
	onType, onInstance map[string]*operation.Operation
}

// New makes the handler.
func New(config Config) (*Handler, error) {
	config, err := config.complete()
	if err != nil {
		return nil, err
	}
	h := &Handler{
		Config: config,
		since:  config.Now(),
		types:  []string{"CodeSystem", "ValueSet", "ConceptMap"},
		stored: map[string]bool{},
		table:  map[string]*typeOperations{},
		byID:   map[string]*operation.Operation{},
		runner: operation.NewRunner(config.Engine, config.Limits.Overlays),
	}
	if h.Resources == nil {
		h.Resources = nothingStored{}
	}
	keeper, tells := h.Resources.(HistoryKeeper)
	h.former = !tells || keeper.KeepsHistory()
	for _, typ := range h.Resources.Types() {
		h.stored[typ] = true
	}
	for _, typ := range append([]string{""}, h.types...) {
		h.table[typ] = &typeOperations{map[string]*operation.Operation{}, map[string]*operation.Operation{}}
	}
	for _, op := range h.Operations {
		at := h.table[op.Type]
		if at == nil {
			continue // of a type this server does not have
		}
		at.onType[op.Name] = op
		if op.Instance {
			at.onInstance[op.Name] = op
		}
		h.byID[definitionID(op)] = op
	}
	h.calls.New = func() any { return new(call) }
	h.ids.seed()
	h.turns = newTurns()
	if config.Metrics {
		h.metrics = newMetrics()
	}
	h.router = h.routes()
	if h.squeezed, err = compressed(h.router); err != nil {
		return nil, err
	}
	h.cors = newCORS(config.CORSOrigins)
	return h, nil
}

// minCompressed is the size from which an answer is worth compressing, in bytes.
const minCompressed = 1400

func compressed(next http.Handler) (http.Handler, error) {
	wrap, err := gzhttp.NewWrapper(
		gzhttp.MinSize(minCompressed),
		gzhttp.CompressionLevel(4),
		gzhttp.ContentTypes([]string{"application/fhir+json", "application/json", "text/plain"}),
	)
	if err != nil {
		return nil, err
	}
	return wrap(next), nil
}

// Headers that many answers share. The slices are never written to: Header.Add copies,
// since their capacity is their length, and Header.Set replaces them.
var (
	valueNosniff      = []string{"nosniff"}
	valueFHIR         = []string{"application/fhir+json; charset=utf-8"}
	valueJSON         = []string{"application/json"}
	valueVaryEncoding = []string{"Accept-Encoding"}
	valueVaryOrigin   = []string{"Origin"}
	valueVaryBoth     = []string{"Origin, Accept-Encoding"}
)

// ServeHTTP answers one request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header["X-Content-Type-Options"] = valueNosniff
	h.ids.set(header, r.Header)
	if h.cors != nil {
		if r.Header["Origin"] != nil {
			h.cors.ServeHTTP(w, r, h.inner)
			return
		}
		header["Vary"] = valueVaryOrigin
	}
	h.inner(w, r)
}

// inner answers a request that CORS has let pass.
func (h *Handler) inner(w http.ResponseWriter, r *http.Request) {
	if r.Header["Accept-Encoding"] != nil {
		h.squeezed.ServeHTTP(w, r) // adds to Vary itself
		return
	}
	header := w.Header()
	if header["Vary"] == nil {
		header["Vary"] = valueVaryEncoding
	} else {
		header["Vary"] = valueVaryBoth
	}
	h.router.ServeHTTP(w, r)
}

// nothingStored is the Resources of a server that only reads.
type nothingStored struct{ Resources }

func (nothingStored) Types() []string { return nil }

var (
	_ Resources     = (*resources.Service)(nil)
	_ HistoryKeeper = (*resources.Service)(nil)
)
