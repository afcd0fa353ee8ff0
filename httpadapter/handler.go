package httpadapter

import (
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/julienschmidt/httprouter"
	"github.com/klauspost/compress/gzhttp"
	"github.com/rs/cors"

	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources/definitions"
)

// Handler is the FHIR server. It is safe for concurrent use.
type Handler struct {
	Config
	tables  *definitions.Tables
	types   []string        // the resource types served, in ascending order
	stored  map[string]bool // those that clients may write
	actions [routes][]action
	table   map[string]typeOperations
	own     []*resourceOperation
	byID    map[string]*operation.Operation // by id of the OperationDefinition
	runner  *operation.Runner

	router    *httprouter.Router
	squeezed  http.Handler // the router behind compression
	cors      *cors.Cors   // nil when no origin is configured
	metrics   *metrics     // nil when not wanted
	ids       requestIDs
	calls     sync.Pool
	admission admission
	// maxAnswers is how large the answers to the GETs of a transaction may be together, in
	// bytes: they are kept until it is durable.
	maxAnswers int
	metadata   metadataCache
	since      time.Time
}

// New makes the handler.
func New(config Config) (*Handler, error) {
	config, err := config.complete()
	if err != nil {
		return nil, err
	}
	h := &Handler{
		Config:  config,
		since:   config.Now(),
		tables:  definitions.R4(),
		actions: actions(),
	}
	env := operation.Env{Engine: config.Engine}
	if config.Resources != nil {
		env.Resources = config.Resources
	}
	h.runner = operation.NewRunner(env, config.Limits.Overlays)
	h.setTypes()
	h.setOperations()
	h.calls.New = func() any { return new(call) }
	h.ids.seed()
	h.admission = newAdmission()
	h.maxAnswers = 64 << 20
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

// setTypes finds out which resource types there are and what of them is kept.
func (h *Handler) setTypes() {
	if h.Resources == nil {
		h.Resources = nothingStored{}
	}
	stored := h.Resources.Types()
	h.stored = make(map[string]bool, len(stored))
	for _, typ := range stored {
		h.stored[typ] = true
	}
	h.types = slices.Concat(stored, catalogued[:], []string{typeDefinition})
	slices.Sort(h.types)
	h.types = slices.Compact(h.types)
}

// served reports that a resource type has paths here.
func (h *Handler) served(typ string) bool {
	_, found := slices.BinarySearch(h.types, typ)
	return found
}

// setOperations arranges the operations by type and name.
func (h *Handler) setOperations() {
	h.table, h.byID = map[string]typeOperations{}, map[string]*operation.Operation{}
	for _, op := range h.Operations {
		if op.Type != "" && !h.served(op.Type) {
			continue
		}
		at, found := h.table[op.Type]
		if !found {
			at = typeOperations{map[string]*operation.Operation{}, map[string]*operation.Operation{}}
			h.table[op.Type] = at
		}
		at.onType[op.Name] = op
		if op.Instance {
			at.onInstance[op.Name] = op
		}
		h.byID[definitionID(op)] = op
	}
	h.own = h.resourceOperations()
	for _, op := range h.own {
		h.byID[definitionID(&op.Operation)] = &op.Operation
	}
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

// newCORS makes the policy for browsers; nil when no origin may use the server. There
// are no cookies, so credentials are never allowed.
func newCORS(origins []string) *cors.Cors {
	if len(origins) == 0 {
		return nil
	}
	return cors.New(cors.Options{
		AllowedOrigins: origins,
		AllowedMethods: []string{
			http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete,
		},
		AllowedHeaders: []string{
			"Accept", "Accept-Language", "Authorization", "Content-Type", "If-Match", "If-Modified-Since",
			"If-None-Match", "Prefer", "X-Requested-With", headerRequestID,
		},
		ExposedHeaders: []string{"Content-Location", "ETag", "Last-Modified", "Location", headerRequestID},
		MaxAge:         600,
	})
}
