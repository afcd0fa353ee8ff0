package httpadapter

import (
	"strconv"
	"strings"
)

// expositionType is the media type of an exposition.
const expositionType = "text/plain; version=0.0.4; charset=utf-8; escaping=underscores"

// An exposition is metrics in the text format of Prometheus, version 0.0.4: families of
// samples, each with its help and kind.
type exposition []byte

// family begins a family: its samples follow. The kind is counter, gauge, histogram or
// summary.
func (e *exposition) family(name, kind, help string) {
	*e = append(*e, "# HELP "+name+" "+help+"\n# TYPE "+name+" "+kind+"\n"...)
}

// counter writes a family of one sample that only grows.
func (e *exposition) counter(name, help string, value float64) {
	e.family(name, "counter", help)
	e.sample(name, value)
}

// gauge writes a family of one sample that goes up and down.
func (e *exposition) gauge(name, help string, value float64) {
	e.family(name, "gauge", help)
	e.sample(name, value)
}

// sample writes one value. Labels are pairs of name and value.
func (e *exposition) sample(name string, value float64, labels ...string) {
	e.begin(name, labels)
	*e = append(strconv.AppendFloat(*e, value, 'g', -1, 64), '\n')
}

// count writes a whole number, of a histogram or summary.
func (e *exposition) count(name string, n uint64, labels ...string) {
	e.begin(name, labels)
	*e = append(strconv.AppendUint(*e, n, 10), '\n')
}

func (e *exposition) begin(name string, labels []string) {
	b := append(*e, name...)
	mark := byte('{')
	for i := 0; i+1 < len(labels); i += 2 {
		b = append(append(b, mark), labels[i]...)
		b = append(append(b, '=', '"'), labelEscapes.Replace(labels[i+1])...)
		b = append(b, '"')
		mark = ','
	}
	if len(labels) > 0 {
		b = append(b, '}')
	}
	*e = append(b, ' ')
}

// labelEscapes writes what may not stand in the value of a label.
var labelEscapes = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)
