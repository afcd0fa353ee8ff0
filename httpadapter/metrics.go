package httpadapter

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	vm "github.com/VictoriaMetrics/metrics"
)

// metrics counts requests by action and resource type, both of which come from fixed lists.
// Systems, codes and ids are never labels.
type metrics struct {
	sets     []*vm.Set // the first is that of requests
	help     map[string]string
	figures  []Figure
	refused  map[int]*vm.Counter // by status
	inFlight atomic.Int64
	series   sync.Map // label → *series, so that labels are resolved once
}

// series are the counters of one label.
type series struct {
	byClass [6]*vm.Counter // by class of status, from 1
	seconds *vm.PrometheusHistogram
}

const (
	requestsTotal  = "roget_http_requests_total"
	requestSeconds = "roget_http_request_seconds"
	refusedTotal   = "roget_http_refused_total"
)

// requestBounds are the upper bounds, in seconds, of the classes of requestSeconds.
var requestBounds = [...]float64{50e-6, 100e-6, 250e-6, 500e-6, 1e-3, 2.5e-3, 10e-3, 50e-3, 250e-3, 1, 5, 30}

func newMetrics(figures []Figure) *metrics {
	vm.ExposeMetadata(true)
	set := vm.NewSet()
	m := &metrics{sets: []*vm.Set{set}, figures: figures, refused: map[int]*vm.Counter{}, help: map[string]string{
		requestsTotal:  "Requests answered, by interaction or operation, resource type and class of status.",
		requestSeconds: "Time to answer a request.",
		refusedTotal:   "Requests refused for what the client is or does, or because the server is busy, by status: 401 not authenticated, 403 not permitted, 413 too large, 429 too many, 503 not now.",
	}}
	for _, status := range refusals {
		m.refused[status] = set.NewCounter(fmt.Sprintf(`%s{status="%d"}`, refusedTotal, status))
	}
	m.figures = append(m.figures[:len(m.figures):len(m.figures)], Figure{
		Name: "roget_http_requests_in_flight", Help: "Requests that are being answered.",
		Read: func(emit func(float64, string)) { emit(float64(m.inFlight.Load()), "") },
	})
	return m
}

// refusals are the statuses that are counted one by one.
var refusals = [...]int{
	http.StatusUnauthorized, http.StatusForbidden, http.StatusRequestEntityTooLarge,
	http.StatusTooManyRequests, http.StatusServiceUnavailable,
}

// steps adds the metrics of steps.
func (m *metrics) steps(s *Steps) {
	m.sets = append(m.sets, s.set)
	m.help[stepSeconds] = "Time of the steps of requests: search, validate, store-read, store-write, store-view, store-transact, and operations on terminology."
	m.help[stepErrors] = "Steps of requests that failed for reasons of the server."
}

// slots adds the figures about the admission of large requests.
func (m *metrics) slots(h *Handler) {
	m.figures = append(m.figures,
		Figure{Name: "roget_http_large_requests", Help: "Requests with large bodies that are being processed.", Read: func(emit func(float64, string)) {
			emit(float64(len(h.admission)), "")
		}},
		Figure{Name: "roget_http_large_requests_limit", Help: "Most requests with large bodies that are processed at a time.", Read: func(emit func(float64, string)) {
			emit(float64(cap(h.admission)), "")
		}},
		Figure{Name: "roget_memory_used_bytes", Help: "Memory that requests have taken from their budgets: for bodies (requests) and for responses (answers).", Label: "budget", Read: func(emit func(float64, string)) {
			emit(float64(h.shared.requests.Used()), "requests")
			emit(float64(h.shared.answers.Used()), "answers")
		}},
		Figure{Name: "roget_memory_limit_bytes", Help: "Sizes of these budgets.", Label: "budget", Read: func(emit func(float64, string)) {
			emit(float64(h.Limits.RequestMemory), "requests")
			emit(float64(h.Limits.AnswerMemory), "answers")
		}},
	)
}

// observe counts one request. It allocates nothing once the label has been seen.
func (m *metrics) observe(what label, status int, took time.Duration) {
	found, ok := m.series.Load(what)
	if !ok {
		found, _ = m.series.LoadOrStore(what, m.newSeries(what))
	}
	s := found.(*series)
	if class := status / 100; class > 0 && class < len(s.byClass) {
		s.byClass[class].Inc()
	}
	s.seconds.Update(took.Seconds())
	if refused := m.refused[status]; refused != nil {
		refused.Inc()
	}
}

func (m *metrics) newSeries(what label) *series {
	set := m.sets[0]
	s := &series{seconds: set.GetOrCreatePrometheusHistogramExt(fmt.Sprintf("%s{action=%q,type=%q}", requestSeconds, what.action, what.typ), requestBounds[:])}
	for class := 1; class < len(s.byClass); class++ {
		s.byClass[class] = set.GetOrCreateCounter(fmt.Sprintf(`%s{action=%q,status="%dxx",type=%q}`, requestsTotal, what.action, class, what.typ))
	}
	return s
}

// handler serves /metrics in the text format of Prometheus. The layers around the router compress
// it.
func (m *metrics) handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		var text bytes.Buffer
		vm.WriteGoMetrics(&text)
		vm.WriteProcMetrics(&text)
		vm.WriteFDMetrics(&text)
		for _, set := range m.sets {
			set.WritePrometheus(&text)
		}
		all := bytes.NewBuffer(m.explained(text.Bytes()))
		for i := range m.figures {
			m.figures[i].write(all)
		}
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_, _ = w.Write(all.Bytes()) // the client has gone
	})
}

// explained returns an exposition that keeps the rules of Prometheus better than the library's: with a
// text in each line of HELP, counters whose name ends in _total, and no family that ends in _count.
func (m *metrics) explained(text []byte) []byte {
	explained := make([]byte, 0, len(text)*3/2)
	dropped := false
	for line := range bytes.Lines(text) {
		if name, is := bytes.CutPrefix(bytes.TrimSpace(line), []byte("# HELP ")); is {
			if dropped = bytes.HasSuffix(name, []byte("_count")); !dropped {
				explained = fmt.Appendf(explained, "# HELP %s %s\n", name, m.helpOf(string(name)))
			}
			continue
		}
		if bytes.HasPrefix(line, []byte("# TYPE ")) {
			line = bytes.Replace(line, []byte("_total gauge"), []byte("_total counter"), 1)
		}
		if !dropped {
			explained = append(explained, line...)
		}
	}
	return explained
}

func (m *metrics) helpOf(name string) string {
	switch help, known := m.help[name]; {
	case known:
		return help
	case strings.HasPrefix(name, "go_"):
		return "Figure of the Go runtime."
	}
	return "Figure of the process, as the operating system states it."
}
