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
	actions [places][]action
	table   map[string]typeOperations
	own     []*resourceOperation
	byID    map[string]*operation.Operation // by id of the OperationDefinition
	runner  *operation.Runner

	router   *httprouter.Router
	squeezed http.Handler // the router behind compression
	cors     *cors.Cors   // nil when no origin is configured
	metrics  *metrics     // nil when not wanted
	ids      requestIDs
	calls    sync.Pool
	turns    turns
	// maxAnswers is how large the answers to the GETs of a transaction may be together, in
	// bytes: they are kept until it is durable.
	maxAnswers int
	metadata   metadataCache
	since      time.Time
}

// typeOperations are the operations of one resource type, or of the system, by name.
type typeOperations struct {
	onType, onInstance map[string]*operation.Operation
}

func (t typeOperations) named(instance bool) map[string]*operation.Operation {
	if instance {
		return t.onInstance
	}
	return t.onType
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
	h.turns = newTurns()
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

// catalogued are the types whose resources may be loaded from files as well: the engine
// has the list of them.
var catalogued = [...]string{"CodeSystem", "ConceptMap", "ValueSet"}

func isCatalogued(typ string) bool { return slices.Contains(catalogued[:], typ) }

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
