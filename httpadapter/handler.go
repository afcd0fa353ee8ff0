package httpadapter

import (
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/julienschmidt/httprouter"
	"github.com/klauspost/compress/gzhttp"
	"github.com/rs/cors"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/fhirxml"
	"github.com/roget-health/roget/resources/index"
	"github.com/roget-health/roget/resources/r4"
)

// Handler is the FHIR server. It is safe for concurrent use.
type Handler struct {
	Config
	tables             *definitions.Tables // the definitions of R4
	parameters         func() map[string][]*definitions.SearchParam
	types              []string        // the resource types served, in ascending order
	stored             map[string]bool // the types that clients may write
	actions            [routes][]action
	operationsByType   map[string]typeOperations
	resourceOperations []*resourceOperation
	operationsByID     map[string]*operation.Operation // by id of the OperationDefinition
	runner             *operation.Runner

	router      *httprouter.Router
	compressing http.Handler                // the router behind compression
	cors        *cors.Cors                  // nil when no origin is configured
	crossOrigin *http.CrossOriginProtection // nil when pages of all origins may call
	hsts        []string                    // Strict-Transport-Security, nil for none
	public      publicURL
	metrics     *metrics // nil when Config.Metrics is false
	ids         requestIDs
	calls       sync.Pool
	admission   admission
	requests    *buckets // of clients, nil without a rate
	logins      *buckets // of addresses, for failed logins; nil without a limit
	shared      shared
	pace        pace
	// maxTransactionReads bounds the responses to all GETs of a transaction, in bytes. They are
	// held in memory until the transaction is durable.
	maxTransactionReads int
	metadata            metadataCache
	outsideMu           sync.Mutex
	outsideOf           map[*engine.Entry]index.Record // what searches need of loaded resources
	generatedOf         map[string][]index.Record      // and of generated ones, by type
	documents           openAPIDocuments
	created             time.Time
	notReady            atomic.Value   // the names of the checks of /readyz that failed last
	xml, xmlR5          *fhirxml.Codec // of R4 and R5
	patients            *index.Owners  // nil without Config.Audit
	pages               http.Handler   // for browsers, nil if there are none
}

// New returns the handler that config describes, or an error when config is invalid.
func New(config Config) (*Handler, error) {
	config, err := config.complete()
	if err != nil {
		return nil, err
	}
	h := &Handler{
		xml:        fhirxml.New(definitions.R4(), r4.Limits{}),
		xmlR5:      fhirxml.New(definitions.R5(), r4.Limits{}),
		Config:     config,
		created:    config.Now(),
		tables:     definitions.R4(),
		parameters: sync.OnceValue(func() map[string][]*definitions.SearchParam { return sharedParameters(definitions.R4()) }),
		actions:    actions(),
		pace:       defaultPace(),
	}
	env := operation.Env{Engine: config.Engine, Closures: config.Closures}
	if config.Resources != nil {
		env.Resources = config.Resources
		if config.Audit != nil {
			env.Resources = auditedResources{config.Resources}
		}
	}
	if config.Audit != nil {
		h.patients = index.NewOwners(h.tables, "Patient")
	}
	h.runner = operation.NewRunner(env, config.Limits.Overlays)
	h.setTypes()
	h.setOperations()
	h.calls.New = func() any { return new(call) }
	h.ids.seed()
	h.admission = newAdmission()
	h.shared = newShared(h.Limits)
	h.maxTransactionReads = 64 << 20
	if config.Metrics {
		h.metrics = newMetrics(config.Figures)
		h.metrics.slots(h)
		if s := config.Steps; s != nil {
			h.metrics.steps(s)
		}
	}
	if h.requests, err = config.Rates.requestBuckets(config.Now); err != nil {
		return nil, err
	}
	if config.guarded() {
		if h.logins, err = config.Rates.loginBuckets(config.Now); err != nil {
			return nil, err
		}
	}
	if err = h.setPages(); err != nil {
		return nil, err
	}
	h.router = h.routes()
	if h.compressing, err = newCompression(http.HandlerFunc(h.granted)); err != nil {
		return nil, err
	}
	h.cors = newCORS(config.CORSOrigins)
	if config.HSTS > 0 {
		h.hsts = []string{"max-age=" + strconv.FormatInt(int64(config.HSTS.Seconds()), 10)}
	}
	if config.BaseURL != "" {
		if h.public, err = parsePublicURL(config.BaseURL); err != nil {
			return nil, err
		}
	}
	if h.crossOrigin, err = newCrossOrigin(&config, h.public); err != nil {
		return nil, err
	}
	return h, nil
}

// setTypes sets the resource types that are served and those that are stored.
func (h *Handler) setTypes() {
	if h.Resources == nil {
		h.Resources = nothingStored{}
	}
	stored := h.Resources.Types()
	h.stored = make(map[string]bool, len(stored))
	for _, typ := range stored {
		h.stored[typ] = true
	}
	h.types = slices.Concat(stored, catalogued[:], generatedTypes[:])
	slices.Sort(h.types)
	h.types = slices.Compact(h.types)
}

// served reports whether a resource type has paths on this server.
func (h *Handler) served(typ string) bool {
	_, found := slices.BinarySearch(h.types, typ)
	return found
}

// setOperations indexes the operations by type and name, and by id.
func (h *Handler) setOperations() {
	h.operationsByType, h.operationsByID = map[string]typeOperations{}, map[string]*operation.Operation{}
	for _, op := range h.Operations {
		if op.Type != "" && !h.served(op.Type) {
			continue
		}
		if op.System {
			h.typeOperations("").onType[op.Name] = op
		}
		at := h.typeOperations(op.Type)
		at.onType[op.Name] = op
		if op.Instance {
			at.onInstance[op.Name] = op
		}
		h.operationsByID[definitionID(op)] = op
	}
	h.resourceOperations = h.storedOperations()
	for _, op := range h.resourceOperations {
		h.operationsByID[definitionID(&op.Operation)] = &op.Operation
	}
}

// typeOperations returns the operations of a type or of the system, which it makes if there are none.
func (h *Handler) typeOperations(typ string) typeOperations {
	at, found := h.operationsByType[typ]
	if !found {
		at = typeOperations{map[string]*operation.Operation{}, map[string]*operation.Operation{}}
		h.operationsByType[typ] = at
	}
	return at
}

// minCompressed is the size in bytes from which a response is compressed.
const minCompressed = 1400

func newCompression(next http.Handler) (http.Handler, error) {
	wrap, err := gzhttp.NewWrapper(
		gzhttp.MinSize(minCompressed),
		gzhttp.CompressionLevel(4),
		gzhttp.ContentTypes([]string{mediaFHIR, mediaXML, mediaNDJSON, mediaJSON, "text/csv", "application/x-ndjson", "text/plain", "text/html", "text/css", "text/javascript", "image/svg+xml"}),
	)
	if err != nil {
		return nil, err
	}
	return wrap(next), nil
}
