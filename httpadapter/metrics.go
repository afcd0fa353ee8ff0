package httpadapter

import (
	"log/slog"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics counts requests by action and resource type, both of which come from fixed lists.
// Systems, codes and ids are never labels.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	refused  *prometheus.CounterVec
	inFlight prometheus.Gauge
	series   sync.Map // label → *series, so that labels are resolved once
}

// series are the counters of one label.
type series struct {
	byClass [6]prometheus.Counter // by class of status, from 1
	seconds prometheus.Observer
}

func newMetrics(figures []Figure) *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "roget_http_requests_total",
			Help: "Requests answered, by interaction or operation, resource type and class of status.",
		}, []string{"action", "type", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "roget_http_request_seconds",
			Help:    "Time to answer a request.",
			Buckets: []float64{50e-6, 100e-6, 250e-6, 500e-6, 1e-3, 2.5e-3, 10e-3, 50e-3, 250e-3, 1, 5, 30},
		}, []string{"action", "type"}),
	}
	m.refused = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "roget_http_refused_total",
		Help: "Requests refused for what the client is or does, or because the server is busy, by status: 401 not authenticated, 403 not permitted, 413 too large, 429 too many, 503 not now.",
	}, []string{"status"})
	m.inFlight = prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "roget_http_requests_in_flight", Help: "Requests that are being answered.",
	})
	for status := range refusals {
		m.refused.WithLabelValues(strconv.Itoa(status))
	}
	m.registry.MustRegister(m.requests, m.seconds, m.refused, m.inFlight,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	for _, f := range figures {
		m.registry.MustRegister(f)
	}
	return m
}

// refusals are the statuses that are counted one by one.
var refusals = map[int]bool{
	http.StatusUnauthorized: true, http.StatusForbidden: true, http.StatusRequestEntityTooLarge: true,
	http.StatusTooManyRequests: true, http.StatusServiceUnavailable: true,
}

// slots adds the figures about the admission of large requests.
func (m *metrics) slots(h *Handler) {
	m.registry.MustRegister(
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "roget_http_large_requests", Help: "Requests with large bodies that are being processed.",
		}, func() float64 { return float64(len(h.admission)) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "roget_http_large_requests_limit", Help: "Most requests with large bodies that are processed at a time.",
		}, func() float64 { return float64(cap(h.admission)) }),
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
	s.seconds.Observe(took.Seconds())
	if refusals[status] {
		m.refused.WithLabelValues(strconv.Itoa(status)).Inc()
	}
}

func (m *metrics) newSeries(what label) *series {
	s := &series{seconds: m.seconds.WithLabelValues(what.action, what.typ)}
	for class := 1; class < len(s.byClass); class++ {
		s.byClass[class] = m.requests.WithLabelValues(what.action, what.typ, strconv.Itoa(class)+"xx")
	}
	return s
}

// handler serves /metrics in a format that the client accepts, text by default. The layers
// around the router compress it.
func (m *metrics) handler(logger *slog.Logger) http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		ErrorLog:           slog.NewLogLogger(logger.Handler(), slog.LevelError),
		DisableCompression: true,
	})
}
