package httpadapter

import (
	"bytes"
	"fmt"
	"strconv"
)

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

// write writes the metric in the text format of Prometheus.
func (f *Figure) write(to *bytes.Buffer) {
	kind := "gauge"
	if f.Counter {
		kind = "counter"
	}
	fmt.Fprintf(to, "# HELP %s %s\n# TYPE %s %s\n", f.Name, f.Help, f.Name, kind)
	f.Read(func(value float64, label string) {
		to.WriteString(f.Name)
		if f.Label != "" {
			fmt.Fprintf(to, "{%s=%q}", f.Label, label)
		}
		to.WriteString(" " + strconv.FormatFloat(value, 'g', -1, 64) + "\n")
	})
}
