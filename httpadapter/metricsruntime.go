package httpadapter

import (
	"runtime"
	"runtime/debug"
	values "runtime/metrics"
	"strconv"
	"strings"
	"time"
)

// A runtimeMetric is a metric of the Go runtime: a sum of values of runtime/metrics, unless
// it comes from elsewhere.
type runtimeMetric struct {
	name, help string
	sum        string // what is added, with "+" between
}

// runtimeMetrics are the metrics after the pauses, by name. The names are those that
// programs in Go usually have.
var runtimeMetrics = []runtimeMetric{
	{"go_gc_gogc_percent", "GOGC: growth of the heap that starts a garbage collection, in percent.", "/gc/gogc:percent"},
	{"go_gc_gomemlimit_bytes", "GOMEMLIMIT: bytes that the runtime tries to stay under.", "/gc/gomemlimit:bytes"},
	{"go_goroutines", "Goroutines.", ""},
	{"go_info", "The version of Go this was built with.", ""},
	{"go_memstats_alloc_bytes", "Bytes of heap objects, those not yet swept among them.", "/memory/classes/heap/objects:bytes"},
	{"go_memstats_alloc_bytes_total", "Bytes of heap objects allocated since the start.", "/gc/heap/allocs:bytes"},
	{"go_memstats_buck_hash_sys_bytes", "Bytes of the tables of profiles.", "/memory/classes/profiling/buckets:bytes"},
	{"go_memstats_frees_total", "Heap objects freed since the start.", "/gc/heap/frees:objects+/gc/heap/tiny/allocs:objects"},
	{"go_memstats_gc_sys_bytes", "Bytes of what the garbage collector keeps for itself.", "/memory/classes/metadata/other:bytes"},
	{"go_memstats_heap_alloc_bytes", "Bytes of heap objects, as go_memstats_alloc_bytes.", "/memory/classes/heap/objects:bytes"},
	{"go_memstats_heap_idle_bytes", "Bytes of heap that hold no objects.", "/memory/classes/heap/released:bytes+/memory/classes/heap/free:bytes"},
	{"go_memstats_heap_inuse_bytes", "Bytes of heap that hold objects, with the room between them.", "/memory/classes/heap/objects:bytes+/memory/classes/heap/unused:bytes"},
	{"go_memstats_heap_objects", "Heap objects.", "/gc/heap/objects:objects"},
	{"go_memstats_heap_released_bytes", "Bytes of heap given back to the system.", "/memory/classes/heap/released:bytes"},
	{"go_memstats_heap_sys_bytes", "Bytes of heap taken from the system.", "/memory/classes/heap/objects:bytes+/memory/classes/heap/unused:bytes+/memory/classes/heap/released:bytes+/memory/classes/heap/free:bytes"},
	{"go_memstats_last_gc_time_seconds", "When the last garbage collection ended, in seconds since 1970.", ""},
	{"go_memstats_mallocs_total", "Heap objects allocated since the start.", "/gc/heap/allocs:objects+/gc/heap/tiny/allocs:objects"},
	{"go_memstats_mcache_inuse_bytes", "Bytes of caches of the allocator in use.", "/memory/classes/metadata/mcache/inuse:bytes"},
	{"go_memstats_mcache_sys_bytes", "Bytes of caches of the allocator taken from the system.", "/memory/classes/metadata/mcache/inuse:bytes+/memory/classes/metadata/mcache/free:bytes"},
	{"go_memstats_mspan_inuse_bytes", "Bytes of span structures in use.", "/memory/classes/metadata/mspan/inuse:bytes"},
	{"go_memstats_mspan_sys_bytes", "Bytes of span structures taken from the system.", "/memory/classes/metadata/mspan/inuse:bytes+/memory/classes/metadata/mspan/free:bytes"},
	{"go_memstats_next_gc_bytes", "Bytes of heap at which the next garbage collection is due.", "/gc/heap/goal:bytes"},
	{"go_memstats_other_sys_bytes", "Bytes taken from the system for other things of the runtime.", "/memory/classes/other:bytes"},
	{"go_memstats_stack_inuse_bytes", "Bytes of stacks of goroutines.", "/memory/classes/heap/stacks:bytes"},
	{"go_memstats_stack_sys_bytes", "Bytes taken from the system for stacks.", "/memory/classes/heap/stacks:bytes+/memory/classes/os-stacks:bytes"},
	{"go_memstats_sys_bytes", "Bytes taken from the system in all.", "/memory/classes/total:bytes"},
	{"go_sched_gomaxprocs_threads", "GOMAXPROCS: threads that run Go code at once.", "/sched/gomaxprocs:threads"},
	{"go_threads", "Threads of the system made.", ""},
}

// runtime writes the metrics of the Go runtime.
func (e *exposition) runtime() {
	const pauses = "go_gc_duration_seconds"
	stats := debug.GCStats{PauseQuantiles: make([]time.Duration, 5)}
	debug.ReadGCStats(&stats)
	e.family(pauses, "summary", "Pauses of all goroutines for garbage collections.")
	for i, pause := range stats.PauseQuantiles {
		share := float64(i) / float64(len(stats.PauseQuantiles)-1)
		e.sample(pauses, pause.Seconds(), "quantile", strconv.FormatFloat(share, 'g', -1, 64))
	}
	e.sample(pauses+"_sum", stats.PauseTotal.Seconds())
	e.count(pauses+"_count", uint64(stats.NumGC))

	threads, _ := runtime.ThreadCreateProfile(nil)
	sums := runtimeSums()
	sums["go_threads"] = float64(threads)
	sums["go_goroutines"] = float64(runtime.NumGoroutine())
	sums["go_memstats_last_gc_time_seconds"] = float64(stats.LastGC.UnixNano()) / 1e9
	for _, m := range runtimeMetrics {
		switch {
		case m.name == "go_info":
			e.family(m.name, "gauge", m.help)
			e.sample(m.name, 1, "version", runtime.Version())
		case strings.HasSuffix(m.name, "_total"):
			e.counter(m.name, m.help, sums[m.name])
		default:
			e.gauge(m.name, m.help, sums[m.name])
		}
	}
}

// runtimeSums reads all values at once and adds them up, by the name of the metric.
func runtimeSums() map[string]float64 {
	var samples []values.Sample
	for _, m := range runtimeMetrics {
		for name := range strings.SplitSeq(m.sum, "+") {
			samples = append(samples, values.Sample{Name: name})
		}
	}
	values.Read(samples)
	sums := make(map[string]float64, len(runtimeMetrics))
	for _, m := range runtimeMetrics {
		for range strings.Count(m.sum, "+") + 1 {
			if v := samples[0].Value; v.Kind() == values.KindUint64 {
				sums[m.name] += float64(v.Uint64())
			}
			samples = samples[1:]
		}
	}
	return sums
}
