package operation

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/r4"
)

// headerCacheID is the HTTP header that names a cache of resources, for texts.
const headerCacheID = "X-Cache-Id"

// Modes of $cache-control.
const (
	cacheStart = "start"
	cacheEnd   = "end"
	cacheCheck = "check"
)

// paramSealed is the parameter of $cache-control that says whether a cache may grow.
const paramSealed = "sealed"

var cacheControl = Operation{
	Name: "cache-control", Type: "",
	Canonical: "http://hl7.org/fhir/tools/OperationDefinition/cache-control",
	Example:   []Argument{{"mode", cacheStart}, {paramSealed, "false"}},
	Summary:   "Register resources for later requests",
	Doc: "With the mode start, starts a cache of resources and returns its id, which cannot be guessed. " +
		"Requests that send the id as the header " + headerCacheID + " are answered as if they had brought these resources along. " +
		"A sealed cache keeps the resources of its start; another one also keeps those of every request that names it: tx-resource, valueSet and codeSystem. " +
		"A cache belongs to the base that it was started at, and ends with the mode end or when it has not been used for a while. " +
		"A request that names an unknown cache fails with the status 404 and the code cache-id-unknown.",
	Spec:         "https://hl7.org/fhir/tools/en/terminology-caching.html",
	AffectsState: true, AllowsGet: true,
	In: []Param{
		{Name: "mode", Type: "code", Codes: []string{cacheStart, cacheEnd, cacheCheck}, Min: 1, Doc: "What to do: start a cache; end the one that the header " + headerCacheID + " names; check whether it is there, which counts as a use."},
		{Name: paramResources, Type: "Resource", Many: true, HTTPOnly: true, Doc: "For start: a CodeSystem, ValueSet or ConceptMap for the cache. Resources of other types are ignored."},
		{Name: paramSealed, Type: "boolean", Default: "true", Doc: "For start: whether the cache keeps only the resources of its start. If false, it also keeps those of every request that names it."},
		{Name: "valueSet", Type: "ValueSet", Many: true, HTTPOnly: true, Doc: "For start: the same as tx-resource."},
		{Name: "codeSystem", Type: "CodeSystem", Many: true, HTTPOnly: true, Doc: "For start: the same as tx-resource."},
		{Name: paramCacheID, Type: "id", HTTPOnly: true, Doc: "For end and check: the id of the cache, instead of the header."},
	},
	Out: []Param{
		{Name: paramCacheID, Type: "id", Doc: "The id of the cache."},
		{Name: paramSealed, Type: "boolean", Doc: "Whether the cache is sealed."},
		{Name: "valid", Type: "boolean", Doc: "For check: whether the cache is there."},
		{Name: "resource-count", Type: "unsignedInt", Doc: "For check: the number of resources in the cache."},
		{Name: "idle", Type: "unsignedInt", Doc: "For check: the seconds since the last use before this one."},
		{Name: "timeout", Type: "unsignedInt", Doc: "For check: the seconds without use after which the cache ends."},
		{Name: "outcome", Type: "OperationOutcome", Doc: "For check: why the cache is not valid."},
	},
	Run: runCacheControl,
}

// Caches keep resources for later requests. engine.Overlays implements it.
type Caches interface {
	StartCache(endpoint, name string, resources []json.RawMessage, sealed bool) (string, error)
	EndCache(key engine.CacheKey)
	CheckCache(key engine.CacheKey) (engine.CacheStatus, error)
}

func runCacheControl(_ context.Context, env Env, in *Input) (Result, error) {
	if env.Caches == nil {
		return nil, &engine.ParameterError{Name: "mode", Problem: engine.ErrNotSupported, Detail: "there are no caches without a server"}
	}
	mode := in.String("mode")
	switch mode {
	case cacheStart:
		sealed, given := in.Bool(paramSealed)
		sealed = sealed || !given
		resources := slices.Concat(in.Resources(paramResources), in.Resources("valueSet"), in.Resources("codeSystem"))
		id, err := env.Caches.StartCache(in.Endpoint, paramResources, resources, sealed)
		if err != nil {
			return nil, err
		}
		return &cacheResult{mode: mode, id: id, status: engine.CacheStatus{Sealed: sealed}}, nil
	case cacheEnd, cacheCheck:
	case "":
		return nil, Missing("mode", "start, end or check")
	default:
		return nil, Invalid("mode", fmt.Sprintf("%q is not one of start, end, check", mode))
	}
	key, err := in.cache()
	if err != nil {
		return nil, err
	}
	if key.ID == "" {
		return nil, Missing(paramCacheID, "the header "+headerCacheID+" with the id that start returned")
	}
	if mode == cacheEnd {
		env.Caches.EndCache(key)
		return &cacheResult{mode: mode}, nil
	}
	r := &cacheResult{mode: mode, id: key.ID}
	r.status, r.missing = env.Caches.CheckCache(key)
	return r, nil
}

// cacheResult is the answer of $cache-control.
type cacheResult struct {
	mode, id string
	status   engine.CacheStatus
	missing  error
}

func (r *cacheResult) AppendJSON(dst []byte) []byte {
	w := r4.NewParametersWriter(dst)
	switch {
	case r.mode == cacheStart:
		w.Value(paramCacheID, r4.Value{Type: "Id", Text: r.id})
		w.Boolean(paramSealed, r.status.Sealed)
	case r.mode == cacheCheck && r.missing != nil:
		w.Boolean("valid", false)
		_, outcome := Outcome(r.missing)
		w.Resource("outcome", outcome.AppendJSON)
	case r.mode == cacheCheck:
		w.Value(paramCacheID, r4.Value{Type: "Id", Text: r.id})
		w.Boolean("valid", true)
		w.Boolean(paramSealed, r.status.Sealed)
		w.Value("resource-count", count(r.status.Resources))
		w.Value("idle", count(int(r.status.Idle/time.Second)))
		w.Value("timeout", count(int(r.status.Timeout/time.Second)))
	}
	return w.Finish()
}

// count returns an unsignedInt.
func count(n int) r4.Value { return r4.Value{Type: "UnsignedInt", Text: strconv.Itoa(n)} }

// Yes is false for a cache that is not there.
func (r *cacheResult) Yes() bool { return r.missing == nil }

func (r *cacheResult) Table() *Table {
	return &Table{Header: []string{"NAME", "VALUE"}, Rows: [][]string{{"valid", fmt.Sprint(r.Yes())}}}
}
