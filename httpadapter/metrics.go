package httpadapter

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// metrics counts requests by what they do and by resource type; systems, codes and ids
// are never labels. Counters are found once per label and then only added to.
type metrics struct {
	series sync.Map // label → *series
}

// tookBounds are the upper bounds of the classes of time that requests take.
var tookBounds = [...]time.Duration{
	50 * time.Microsecond, 100 * time.Microsecond, 250 * time.Microsecond, 500 * time.Microsecond,
	time.Millisecond, 2500 * time.Microsecond, 10 * time.Millisecond, 50 * time.Millisecond,
	250 * time.Millisecond, time.Second, 5 * time.Second, 30 * time.Second,
}

// series are the counters of one label.
type series struct {
	label
	byClass [6]atomic.Uint64                   // by class of status, from 1
	byTook  [len(tookBounds) + 1]atomic.Uint64 // by time, each class alone; the last has no bound
	took    atomic.Int64                       // nanoseconds of all
}

func (m *metrics) observe(what label, status int, took time.Duration) {
	found, ok := m.series.Load(what)
	if !ok {
		found, _ = m.series.LoadOrStore(what, &series{label: what})
	}
	s := found.(*series)
	if class := status / 100; class > 0 && class < len(s.byClass) {
		s.byClass[class].Add(1)
	}
	at := 0
	for at < len(tookBounds) && took > tookBounds[at] {
		at++
	}
	s.byTook[at].Add(1)
	s.took.Add(int64(took))
}

// ServeHTTP answers with all metrics: of the Go runtime, of the process where its system
// tells, of requests.
func (m *metrics) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	var e exposition
	e.runtime()
	e.process()
	e.requests(m.sorted())
	w.Header().Set("Content-Type", expositionType)
	_, _ = w.Write(e)
}

// sorted returns the series by action and type.
func (m *metrics) sorted() []*series {
	var all []*series
	m.series.Range(func(_, s any) bool {
		all = append(all, s.(*series))
		return true
	})
	slices.SortFunc(all, func(a, b *series) int {
		return cmp.Or(cmp.Compare(a.action, b.action), cmp.Compare(a.typ, b.typ))
	})
	return all
}

// requests writes the histogram and the counters of all series, sorted by the values of
// their labels, once there are any.
func (e *exposition) requests(all []*series) {
	if len(all) == 0 {
		return
	}
	const seconds, total = "roget_http_request_seconds", "roget_http_requests_total"
	e.family(seconds, "histogram", "Time to answer a request.")
	for _, s := range all {
		var n uint64
		for at := range s.byTook {
			n += s.byTook[at].Load()
			bound := "+Inf"
			if at < len(tookBounds) {
				bound = strconv.FormatFloat(tookBounds[at].Seconds(), 'g', -1, 64)
			}
			e.count(seconds+"_bucket", n, "action", s.action, "type", s.typ, "le", bound)
		}
		e.sample(seconds+"_sum", time.Duration(s.took.Load()).Seconds(), "action", s.action, "type", s.typ)
		e.count(seconds+"_count", n, "action", s.action, "type", s.typ)
	}
	e.family(total, "counter", "Requests answered, by interaction or operation, resource type and class of status.")
	for len(all) > 0 {
		same := 1 // series of the same action
		for same < len(all) && all[same].action == all[0].action {
			same++
		}
		for class := 1; class < len(all[0].byClass); class++ {
			for _, s := range all[:same] {
				e.sample(total, float64(s.byClass[class].Load()), "action", s.action, "status", strconv.Itoa(class)+"xx", "type", s.typ)
			}
		}
		all = all[same:]
	}
}
