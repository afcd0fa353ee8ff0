package codesystem

import (
	"context"
	"fmt"
	"runtime"
	"strconv"
	"testing"

	"github.com/roget-health/roget/resources/r4"
)

// mapBuilder fills a builder with a map of one row for each concept and more, as RF2
// has: group, priority, rule, advice, target, correlation, category.
func mapBuilder(b *testing.B, concepts, rows int) *Builder {
	builder := NewBuilder(header("http://example.org/map"))
	code := func(i int) string { return strconv.Itoa(1_000_000_000_000_000 + i*7_919) }
	for i := range concepts {
		c := Concept{
			Code: code(i), Parent: -1, Display: "Finding",
			Designations: []r4.Designation{{Language: "en", Value: "Finding (finding)"}, {Language: "en", Value: "Finding"}},
			Details:      []DesignationDetail{{}, {}},
		}
		for d := range c.Details {
			c.Details[d] = DesignationDetail{
				ID: strconv.Itoa(10_009_999_999_115 + 20*i + d), Module: code(0), EffectiveTime: strconv.Itoa(20_020_131 + i%46*10_000),
				CaseSignificance: code(1 + i%3), Acceptability: []Acceptability{{code(4), d == 0}, {code(5), i%7 > 0}},
			}
		}
		if _, err := builder.Add(&c); err != nil {
			b.Fatal(err)
		}
	}
	if err := builder.AddRefset(code(0), []RefsetColumn{
		{"mapGroup", RefsetInteger},
		{"mapPriority", RefsetInteger},
		{"mapRule", RefsetString},
		{"mapAdvice", RefsetString},
		{"mapTarget", RefsetString},
		{"correlationId", RefsetConcept},
		{"mapCategoryId", RefsetConcept},
	}); err != nil {
		b.Fatal(err)
	}
	m := RefsetMember{Refset: code(0), Active: true, Module: code(0)}
	for i := range rows {
		m.Component = code(i % concepts)
		m.EffectiveTime = strconv.Itoa(20_020_131 + i%46*10_000)
		target := fmt.Sprintf("%c%d.%d", 'A'+i%26, i%97, i%10)
		m.Values = append(m.Values[:0], strconv.Itoa(1+i%2), strconv.Itoa(1+i/concepts), "TRUE", "ALWAYS "+target, target, code(1), code(2))
		if err := builder.AddMember(&m); err != nil {
			b.Fatal(err)
		}
	}
	return builder
}

// BenchmarkBuildRefset lays out a map of a million rows over 350,000 concepts with two
// described designations each.
func BenchmarkBuildRefset(b *testing.B) {
	const concepts, rows = 350_000, 1_000_000
	b.ReportAllocs()
	size, peak := 0, uint64(0)
	for range b.N {
		builder := mapBuilder(b, concepts, rows)
		b.StopTimer()
		runtime.GC()
		var before runtime.MemStats
		runtime.ReadMemStats(&before)
		peak = max(peak, before.HeapAlloc)
		b.StartTimer()
		x, err := builder.Build(context.Background())
		if err != nil {
			b.Fatal(err)
		}
		size = 0
		for _, s := range []int{
			4 * rows, len(x.refsets.texts.data), 4 * len(x.refsets.texts.off),
		} {
			size += s
		}
		for _, c := range x.refsets.sets[0].cells {
			size += len(c.bytes) + 2*len(c.halves) + 4*len(c.words) + 4*len(c.list)
		}
		b.ReportMetric(float64(len(x.DesignationKinds())), "kinds")
	}
	b.ReportMetric(float64(size)/rows, "bytes/row")
	b.ReportMetric(float64(peak)/(1<<20), "MiB-to-build")
}
