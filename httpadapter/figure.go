package httpadapter

import "github.com/prometheus/client_golang/prometheus"

// A Figure is a metric that a part of the program keeps itself. It is read when metrics are
// requested.
type Figure struct {
	Name, Help string
	// Counter marks a figure that never falls. Its name ends in _total.
	Counter bool
	// Label is the name of its label; "" for none.
	Label string
	// Read passes each value to emit, with the value of the label. It must not block.
	Read func(emit func(value float64, label string))
}

func (f Figure) desc() *prometheus.Desc {
	var labels []string
	if f.Label != "" {
		labels = []string{f.Label}
	}
	return prometheus.NewDesc(f.Name, f.Help, labels, nil)
}

// Describe implements prometheus.Collector.
func (f Figure) Describe(to chan<- *prometheus.Desc) { to <- f.desc() }

// Collect implements prometheus.Collector.
func (f Figure) Collect(to chan<- prometheus.Metric) {
	desc, kind := f.desc(), prometheus.GaugeValue
	if f.Counter {
		kind = prometheus.CounterValue
	}
	f.Read(func(value float64, label string) {
		var labels []string
		if f.Label != "" {
			labels = []string{label}
		}
		to <- prometheus.MustNewConstMetric(desc, kind, value, labels...)
	})
}
