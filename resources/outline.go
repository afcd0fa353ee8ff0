package resources

import (
	"errors"
	"fmt"

	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
)

// errDocument is what splicing reports for text that is not one JSON object, or whose meta
// is none.
var errDocument = errors.New("not a JSON object")

// outline is where the members lie that a server sets.
type outline struct {
	top, resourceType, id, meta document.Value
	versionID, lastUpdated      document.Value
}

// outlineOf finds the outline of a document.
func outlineOf(d *document.Document) (outline, error) {
	o := outline{top: d.Root()}
	if o.top.Kind() != document.Object {
		return o, errDocument
	}
	for v := range o.top.Members() {
		switch v.Name() {
		case "resourceType":
			o.resourceType = v
		case "id":
			o.id = v
		case "meta":
			o.meta = v
		}
	}
	if !o.meta.Exists() {
		return o, nil
	}
	if o.meta.Kind() != document.Object {
		return o, fmt.Errorf("meta: %w", errDocument)
	}
	o.versionID, o.lastUpdated = o.meta.Get("versionId"), o.meta.Get("lastUpdated")
	return o, nil
}

// parse reads a document; errors are *r4.SyntaxError.
func parse(body []byte) (*document.Document, error) {
	return document.Parse(body, r4.DefaultLimits())
}
