package expression_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/expression"
	"github.com/roget-health/roget/codesystem/expression/expressiontest"
	"github.com/roget-health/roget/codesystem/loader/loadertest"
	"github.com/roget-health/roget/codesystem/loader/rf2"
)

// BenchmarkPlace places expressions of one or two concepts with the attributes of another one. The
// edition is the RF2 release in the folder ROGET_BENCH_CODESYSTEM, or the small one of the tests.
func BenchmarkPlace(b *testing.B) {
	x := (*codesystem.Index)(nil)
	if path := os.Getenv("ROGET_BENCH_CODESYSTEM"); path != "" {
		var k loadertest.Sink
		if err := rf2.Load(context.Background(), []string{path}, rf2.Options{}, &k); err != nil {
			b.Fatal(err)
		}
		x = k.One(b)
	} else {
		x = expressiontest.Edition(b)
	}
	m, err := expression.NewModel(b.Context(), x)
	if err != nil {
		b.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	var codes []string
	for len(codes) < 500 {
		o, other := codesystem.Ord(r.IntN(x.Len())), codesystem.Ord(r.IntN(x.Len()))
		code := x.Code(o)
		if r.IntN(2) == 0 {
			code += "+" + x.Code(other)
		}
		mark := ":"
		for a := range x.Attributes(other) {
			if target, ok := x.PairTarget(a.Pair); ok {
				if _, is := x.Find(x.PropertyCode(a.Property)); is {
					code += fmt.Sprintf("%s%s=%s", mark, x.PropertyCode(a.Property), x.Code(target))
					mark = ","
				}
			}
		}
		if _, _, err := m.Read(b.Context(), code); err == nil && mark == "," {
			codes = append(codes, code)
		}
	}
	var times []time.Duration
	for i := 0; b.Loop(); i++ {
		begin := time.Now()
		if _, _, err := m.Read(b.Context(), codes[i%len(codes)]); err != nil {
			b.Fatal(err)
		}
		times = append(times, time.Since(begin))
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Microseconds()), "µs/median")
	b.ReportMetric(float64(times[len(times)*99/100].Microseconds()), "µs/p99")
}
