package httpadapter

import (
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Steps counts the steps of requests within the program, such as reads from a store.
type Steps struct {
	seconds *prometheus.HistogramVec
	errors  *prometheus.CounterVec
	series  sync.Map // step → prometheus.Observer
}

// NewSteps returns counters for the steps of the resource store.
func NewSteps() *Steps {
	return &Steps{
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "roget_step_seconds",
			Help:    "Time of the steps of requests: search, validate, store-read, store-write, store-view, store-transact, and operations on terminology.",
			Buckets: []float64{50e-6, 250e-6, 1e-3, 5e-3, 25e-3, 100e-3, 500e-3, 2.5, 10, 30},
		}, []string{"step"}),
		errors: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "roget_step_errors_total", Help: "Steps of requests that failed for reasons of the server.",
		}, []string{"step"}),
	}
}

// Observe counts a step. It allocates nothing once the step has been seen.
func (s *Steps) Observe(step string, took time.Duration, failed bool) {
	found, ok := s.series.Load(step)
	if !ok {
		s.errors.WithLabelValues(step)
		found, _ = s.series.LoadOrStore(step, s.seconds.WithLabelValues(step))
	}
	found.(prometheus.Observer).Observe(took.Seconds())
	if failed {
		s.errors.WithLabelValues(step).Inc()
	}
}
