package httpadapter

import (
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// metrics counts requests by what they do and by resource type; systems, codes and ids
// are never labels. Counters are found once per label and then only added to.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	series   sync.Map // label → *series
}

// series are the counters of one label, by class of status.
type series struct {
	byClass [6]prometheus.Counter
	seconds prometheus.Observer
}

func newMetrics() *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "roget_http_requests_total",
			Help: "Requests answered, by interaction or operation, resource type and class of status.",
		}, []string{"action", "type", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "roget_http_request_seconds",
			Help:    "Time to answer a request.",
			Buckets: []float64{0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.01, 0.05, 0.25, 1, 5, 30},
		}, []string{"action", "type"}),
	}
	m.registry.MustRegister(m.requests, m.seconds,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

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
}

func (m *metrics) newSeries(what label) *series {
	s := &series{seconds: m.seconds.WithLabelValues(what.action, what.typ)}
	for class := 1; class < len(s.byClass); class++ {
		s.byClass[class] = m.requests.WithLabelValues(what.action, what.typ, strconv.Itoa(class)+"xx")
	}
	return s
}
