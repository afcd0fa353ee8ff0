package resources

import (
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/roget-health/roget/resources/patch"
)

// PatchBody returns the patch of a PATCH entry as the body of a request, and its media type.
// Parameters are a FHIRPath patch themselves; other patches are the data of a Binary (R4
// http.html#patch). Errors: *r4.SyntaxError, patch.ErrMalformed.
func (e *BundleEntry) PatchBody() (body []byte, media string, err error) {
	doc, err := parse(e.Resource)
	if err != nil {
		return nil, "", err
	}
	root := doc.Root()
	switch typ := root.Get("resourceType").Text(); typ {
	case "Parameters":
		return e.Resource, "application/fhir+json", nil
	case "Binary":
		data, err := base64.StdEncoding.DecodeString(root.Get("data").Text())
		if err != nil {
			return nil, "", fmt.Errorf("%w: Binary.data: %w", patch.ErrMalformed, err)
		}
		media, _, _ := strings.Cut(root.Get("contentType").Text(), ";")
		return data, strings.TrimSpace(media), nil
	default:
		return nil, "", fmt.Errorf("%w: the resource of a PATCH must be a Binary or Parameters, not %.60q", patch.ErrMalformed, typ)
	}
}
