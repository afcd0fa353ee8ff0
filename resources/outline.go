package resources

import (
	"errors"
	"fmt"

	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
)

// errDocument is returned for text that is not a JSON object, and for a meta that is not one.
var errDocument = errors.New("not a JSON object")

// outline holds the positions of the members that a server sets.
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

// parse parses a document. Its errors are *r4.SyntaxError.
func parse(body []byte) (*document.Document, error) {
	return document.Parse(body, r4.DefaultLimits())
}
