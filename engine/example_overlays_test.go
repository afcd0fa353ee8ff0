package engine_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/roget-health/roget/engine"
)

// A request that brings a code system along is answered as if it were published.
func ExampleOverlays() {
	overlays := engine.NewOverlays(engine.New(), engine.OverlayLimits{})
	e, err := overlays.For("tx-resource", []json.RawMessage{json.RawMessage(
		`{"resourceType":"CodeSystem","url":"http://example.org/metals","status":"active","content":"complete","concept":[{"code":"fe","display":"Iron"}]}`,
	)})
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := e.Lookup(context.Background(), &engine.LookupRequest{System: "http://example.org/metals", Code: "fe"})
	fmt.Println(r.Display, err)
	// Output: Iron <nil>
}
