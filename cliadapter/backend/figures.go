package backend

import (
	"context"

	"github.com/roget-health/roget/cliadapter"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/httpadapter"
)

// A pooled store has connections that requests share.
type pooled interface {
	// Connections returns how many connections are in use, how many are open but idle, and how many
	// there may be.
	Connections() (used, idle, limit int)
}

// figures returns the metrics that the parts of the service keep. All metrics are described in
// docs/operations/metrics.md.
func (s *Service) figures(eng *engine.Engine, o cliadapter.ServeOptions) []httpadapter.Figure {
	one := func(name, help string, read func() float64) httpadapter.Figure {
		return httpadapter.Figure{Name: name, Help: help, Read: func(emit func(float64, string)) { emit(read(), "") }}
	}
	total := func(name, help string, read func() float64) httpadapter.Figure {
		f := one(name, help, read)
		f.Counter = true
		return f
	}
	list := []httpadapter.Figure{
		{Name: "roget_build_info", Help: "1, with the version of the program.", Label: "version", Read: func(emit func(float64, string)) {
			emit(1, o.Version.Version)
		}},
		{Name: "roget_ready", Help: "1 while a check of /readyz holds, else 0.", Label: "check", Read: func(emit func(float64, string)) {
			for _, check := range s.checks {
				holds := 1.0
				if check.Test(context.Background()) != nil {
					holds = 0
				}
				emit(holds, check.Name)
			}
		}},
		{Name: "roget_terminology_resources", Help: "Code systems, value sets and concept maps that the server offers.", Label: "type", Read: func(emit func(float64, string)) {
			for _, typ := range []string{"CodeSystem", "ValueSet", "ConceptMap"} {
				emit(float64(len(eng.Entries(typ))), typ)
			}
		}},
		{Name: "roget_reloads_total", Help: "Reloads by SIGHUP or after a load, by result.", Counter: true, Label: "result", Read: func(emit func(float64, string)) {
			emit(float64(s.reloads.good.Load()), "success")
			emit(float64(s.reloads.failed.Load()), "failure")
		}},
		{Name: "roget_connections", Help: "Connections of clients, by state: open, limit.", Label: "state", Read: func(emit func(float64, string)) {
			open, limit, _ := httpadapter.CountConnections(s.listener)
			emit(float64(open), "open")
			emit(float64(limit), "limit")
		}},
		{Name: "roget_connections_refused_total", Help: "Connections that were closed because there were too many, in all or of one client.", Counter: true, Label: "limit", Read: func(emit func(float64, string)) {
			_, _, refused := httpadapter.CountConnections(s.listener)
			emit(float64(refused.All), "all")
			emit(float64(refused.PerClient), "client")
		}},
		one("roget_data_packs", "Packs in the data folder.", func() float64 { packs, _ := s.dir.Extent(); return float64(packs) }),
		one("roget_data_bytes", "Size of the packs in the data folder.", func() float64 { _, bytes := s.dir.Extent(); return float64(bytes) }),
		total("roget_cache_hits_total", "Compiled value sets that were found in the cache.", func() float64 { return float64(eng.CacheStats().Hits) }),
		total("roget_cache_misses_total", "Compiled value sets that were not in the cache.", func() float64 { return float64(eng.CacheStats().Misses) }),
		total("roget_cache_evictions_total", "Compiled value sets that were removed from the cache for others.", func() float64 { return float64(eng.CacheStats().Evictions) }),
		one("roget_cache_bytes", "Memory of the compiled value sets in the cache.", func() float64 { return float64(eng.CacheStats().Used) }),
		one("roget_cache_limit_bytes", "Most memory for compiled value sets.", func() float64 { return float64(eng.CacheStats().Budget) }),
	}
	if pool, ok := s.store.(pooled); ok {
		list = append(list, httpadapter.Figure{
			Name: "roget_store_connections", Help: "Connections to the resource store, by state: used, idle, limit.", Label: "state",
			Read: func(emit func(float64, string)) {
				used, idle, limit := pool.Connections()
				emit(float64(used), "used")
				emit(float64(idle), "idle")
				emit(float64(limit), "limit")
			},
		})
	}
	list = append(list, s.audit.figures()...)
	if s.tracer != nil {
		list = append(list, httpadapter.Figure{
			Name: "roget_spans_total", Help: "Spans of traces, by result: sent, or failed as the collector did not take them.", Counter: true, Label: "result",
			Read: func(emit func(float64, string)) {
				counts := s.tracer.Counts()
				emit(float64(counts.Sent), "sent")
				emit(float64(counts.Failed), "failed")
			},
		})
	}
	return list
}
