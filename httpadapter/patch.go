package httpadapter

import (
	"fmt"
	"strings"

	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/patch"
)

// Media types of patches. A FHIRPath Patch is Parameters, of type mediaFHIR or mediaXML. With mediaJSON
// the content tells the kind.
const (
	mediaJSONPatch  = "application/json-patch+json"
	mediaMergePatch = "application/merge-patch+json"
)

// patch changes a resource (PATCH /T/id).
func (c *call) patch() {
	change, err := c.readPatch()
	ctx := c.context()
	var options resources.UpdateOptions
	if err == nil {
		options, err = c.writeConditions(ctx, c.label.typ, c.target.id)
	}
	if err != nil {
		c.fail(err)
		return
	}
	out, err := c.h.Resources.Patch(ctx, c.label.typ, c.target.id, change, options)
	c.respondWritten(out, false, err)
}

// patchWhere changes the one resource that a search finds (PATCH /T?…).
func (c *call) patchWhere() {
	query, change, options, err := readConditional(c, c.readPatch)
	if err != nil {
		c.fail(err)
		return
	}
	out, err := c.h.Resources.PatchWhere(c.context(), c.label.typ, query, change, options)
	c.respondWritten(out, true, err)
}

// readPatch reads a patch from the body. Its kind follows from the media type.
func (c *call) readPatch() (resources.Patch, error) {
	if _, err := c.negotiateQuery(); err != nil {
		return nil, err
	}
	media, err := c.mediaTypeOf(mediaJSONPatch, mediaMergePatch, mediaFHIR, mediaXML)
	if err != nil {
		return nil, err
	}
	body, err := c.readBody(nil)
	if err != nil {
		return nil, err
	}
	if media == mediaXML {
		if body, err = c.fromXML(body); err != nil {
			return nil, err
		}
		media = mediaFHIR
	}
	if media == mediaFHIR && strings.HasPrefix(c.r.Header.Get("Content-Type"), mediaJSON) {
		media = mediaJSON
	}
	p, err := patchOf(c.tables(), media, body)
	if err == nil && c.at.isR5() {
		p = patchR5{p}
	}
	return p, err
}

func patchOf(tables *definitions.Tables, media string, body []byte) (resources.Patch, error) {
	switch media {
	case mediaJSONPatch:
		return patch.JSONPatch(body)
	case mediaMergePatch:
		return patch.MergePatch(body)
	case mediaJSON:
		return patch.JSON(tables, body)
	case mediaFHIR:
		return patch.FHIRPath(tables, body)
	}
	return nil, unsupportedMedia(fmt.Sprintf("send a patch as %s, as %s, or as Parameters with %s or %s", mediaJSONPatch, mediaMergePatch, mediaFHIR, mediaXML))
}
