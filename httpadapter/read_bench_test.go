package httpadapter

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkReadHandler reads a resource by id from memory. BenchmarkSearchHandler finds twenty. Compare
// them with BenchmarkFloor.
func BenchmarkReadHandler(b *testing.B) {
	c := clinic(b)
	serveLoop(b, c.handler, "http://localhost/baseR4/Observation/pulse")
}

func BenchmarkReadHandlerNotModified(b *testing.B) {
	c := clinic(b)
	b.ReportAllocs()
	for b.Loop() {
		if r := c.get("/baseR4/Observation/pulse", "If-None-Match", `W/"1"`); r.status != 304 {
			b.Fatal(r.status)
		}
	}
}

func BenchmarkSearchHandler(b *testing.B) {
	c := clinic(b)
	for i := range 20 {
		id := fmt.Sprintf("o%d", i)
		c.do("PUT", "/Observation/"+id, strings.Replace(pulse, "pulse", id, 1)).want(b, 201)
	}
	serveLoop(b, c.handler, "http://localhost/baseR4/Observation?code=8867-4&subject=Patient/peter&_count=20")
}
