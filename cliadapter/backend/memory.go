package backend

import (
	"fmt"
	"io/fs"
	"math"
	"os"
	"path"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/roget-health/roget/adapters/sqlite"
	"github.com/roget-health/roget/cliadapter"
	"github.com/roget-health/roget/engine"
)

// A memoryPlan divides the memory of the service. Shares of the heap leave room for the engine and for
// garbage that is not collected yet. See decision 41.
type memoryPlan struct {
	total    int64 // of the service
	store    int64 // for the caches of SQLite, outside of Go's heap
	heap     int64 // what the collector keeps the heap within
	answers  int64 // being made
	requests int64 // being read and worked on
	cache    int64 // of compiled value sets
	columns  int64 // of searches
	page     int   // documents of a page
	ballast  int64 // see ballast; it is not in physical memory
	overlays engine.OverlayLimits
}

// plentyBytes is the memory beyond which a quarter of the rest is for columns: all else has enough.
const plentyBytes = 2 << 30

// programBytes is the part of the program and of its files that is in memory at a time.
const programBytes = 32 << 20

// planMemory divides total bytes. The shares stop growing where more would not be faster. A sixteenth
// is for what SQLite needs besides its caches, such as copies of large documents.
func planMemory(total int64) memoryPlan {
	p := memoryPlan{
		total:    total,
		store:    min(total/8, sqlite.CacheBytes()),
		answers:  min(total/6, 256<<20),
		requests: min(total/6, 256<<20),
		cache:    min(total/12, 256<<20),
		columns:  total/16 + max(0, total-plentyBytes)/4,
		ballast:  min(total/16, maxBallast),
		overlays: engine.DefaultOverlayLimits(),
	}
	p.heap = total - p.store - total/16 - programBytes
	p.page = int(min(p.answers/8, 16<<20))
	p.overlays.CacheBytes = min(total/24, p.overlays.CacheBytes)
	p.overlays.RememberedBytes = min(total/48, p.overlays.RememberedBytes)
	return p
}

// planFor returns the plan for the options of a service.
func planFor(o cliadapter.ServeOptions) memoryPlan {
	total := o.Bounds.Memory
	if total == 0 {
		total = defaultMemory(os.DirFS("/"))
	}
	p := planMemory(total)
	if o.CacheSize >= 0 {
		p.cache = o.CacheSize
	}
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		p.ballast = 0
	}
	return p
}

// checkMemory returns a UsageError if the service is to have more memory than there is.
func checkMemory(o *cliadapter.ServeOptions, root fs.FS) error {
	machine, known := machineMemory(root)
	has, whose := machine, "this machine has"
	if limit := cgroupLimit(root); limit < machine || !known && limit < math.MaxInt64 {
		has, whose, known = limit, "the cgroup of the service may use", true
	}
	if !known || o.Bounds.Memory <= has {
		return nil
	}
	return &cliadapter.UsageError{Err: fmt.Errorf("--memory is %d MiB, which is more than %s (%d MiB); choose less, or leave it out for the default",
		o.Bounds.Memory>>20, whose, has>>20)}
}

// limit makes the garbage collector keep the heap within the plan, unless the user has set
// GOMEMLIMIT. It is called when what the service holds for ever has been loaded: if that leaves no
// room for the shares, the limit is higher, because the collector would otherwise never rest. It
// reports whether there is room.
func (p *memoryPlan) limit() bool {
	if os.Getenv("GOMEMLIMIT") != "" {
		return true
	}
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	needed := int64(stats.HeapAlloc) - p.ballast + p.answers + p.requests //nolint:gosec // the bytes of a heap
	debug.SetMemoryLimit(max(p.heap, needed+needed/4) + p.ballast)
	return needed <= p.heap
}

// unknownMemory is what a machine is assumed to have that does not report it.
const unknownMemory = 4 << 30

// defaultMemory returns half of the machine's memory, on which other programs run, or three quarters
// of the limit of the cgroup, which is the service's own, whichever is less. The rest of a cgroup is
// for mapped packs and files in the cache of the system.
func defaultMemory(root fs.FS) int64 {
	machine, _ := machineMemory(root)
	limit := cgroupLimit(root)
	return max(min(machine/2, limit-limit/4), cliadapter.MinMemory)
}

// machineMemory returns the memory of the machine in bytes, and whether the machine reports it.
func machineMemory(root fs.FS) (n int64, known bool) {
	text, _ := fs.ReadFile(root, "proc/meminfo") // an error means another system
	for line := range strings.Lines(string(text)) {
		if rest, found := strings.CutPrefix(line, "MemTotal:"); found {
			n, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64)
			if err == nil && n > 0 && n < 1<<50 {
				return n << 10, true
			}
		}
	}
	return unknownMemory, false
}

// cgroupLimit returns the smallest limit of the cgroups that the process is in, of version 1 and 2. It
// returns math.MaxInt64 if there is none.
func cgroupLimit(root fs.FS) int64 {
	limit := int64(math.MaxInt64)
	text, _ := fs.ReadFile(root, "proc/self/cgroup")
	for line := range strings.Lines(string(text)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3) // number:controllers:path
		if len(parts) != 3 {
			continue
		}
		base, file := "sys/fs/cgroup", "memory.max"
		switch {
		case parts[1] == "" && parts[0] == "0":
		case strings.Contains(","+parts[1]+",", ",memory,"):
			base, file = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
		default:
			continue
		}
		// In a container, the path may be that of the host while the folder is the container's.
		for dir := path.Clean("/" + parts[2]); ; dir = path.Dir(dir) {
			value, err := fs.ReadFile(root, path.Join(base, dir, file))
			if n, bad := strconv.ParseInt(strings.TrimSpace(string(value)), 10, 64); err == nil && bad == nil && n > 0 {
				limit = min(limit, n)
			}
			if dir == "/" {
				break
			}
		}
	}
	return limit
}
