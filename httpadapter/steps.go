package httpadapter

import (
	"fmt"
	"sync"
	"time"

	vm "github.com/VictoriaMetrics/metrics"
)

const (
	stepSeconds = "roget_step_seconds"
	stepErrors  = "roget_step_errors_total"
)

// stepBounds are the upper bounds, in seconds, of the classes of stepSeconds.
var stepBounds = [...]float64{50e-6, 250e-6, 1e-3, 5e-3, 25e-3, 100e-3, 500e-3, 2.5, 10, 30}

// Steps counts the steps of requests within the program, such as reads from a store.
type Steps struct {
	set    *vm.Set
	series sync.Map // step → *stepSeries
}

type stepSeries struct {
	seconds *vm.PrometheusHistogram
	errors  *vm.Counter
}

// NewSteps returns counters for the steps of the resource store.
func NewSteps() *Steps { return &Steps{set: vm.NewSet()} }

// Observe counts a step. It allocates nothing once the step has been seen.
func (s *Steps) Observe(step string, took time.Duration, failed bool) {
	found, ok := s.series.Load(step)
	if !ok {
		found, _ = s.series.LoadOrStore(step, &stepSeries{
			s.set.GetOrCreatePrometheusHistogramExt(fmt.Sprintf("%s{step=%q}", stepSeconds, step), stepBounds[:]),
			s.set.GetOrCreateCounter(fmt.Sprintf("%s{step=%q}", stepErrors, step)),
		})
	}
	of := found.(*stepSeries)
	of.seconds.Update(took.Seconds())
	if failed {
		of.errors.Inc()
	}
}
