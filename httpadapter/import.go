package httpadapter

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"

	"github.com/roget-health/roget/access"
	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/export"
)

// importOperation is $import of the system.
var importOperation = resourceOperation{
	Operation: operation.Operation{
		Name: "import", AffectsState: true, Summary: "Import resources from files of other hosts",
		Doc: "Starts a job that stores the resources in files by their ids. The request needs the header Prefer: respond-async. " +
			"Its body may also be a JSON object with the names of these parameters. Content-Location of the response is the address of the job, which tells how far it is and then " +
			"how many resources of each file are stored, and where the errors are. DELETE on it ends the job.",
		Spec: "https://github.com/smart-on-fhir/bulk-import/blob/master/import-manifest.md",
		In: []operation.Param{
			{Name: "inputFormat", Type: "code", Min: 1, Doc: "The format of the files: " + mediaNDJSON + "."},
			{Name: "storageDetail", Doc: "How the files are read.", Part: []operation.Param{{Name: "type", Type: "code", Doc: "https"}}},
			{Name: "input", Min: 1, Many: true, Doc: "A file.", Part: []operation.Param{
				{Name: "type", Type: "code", Min: 1, Doc: "The type of the resources in it."},
				{Name: "url", Type: "uri", Min: 1, Doc: "Its address, on a host that the operator of the server allows."},
			}},
		},
		Out: []operation.Param{{Name: "return", Type: "OperationOutcome", Min: 1, Doc: "That the job has started."}},
	},
	onType: true, raw: true, run: func(c *call, _ *operation.Input) { c.importFiles() },
}

// importFiles starts a job.
func (c *call) importFiles() {
	r := export.Request{URL: c.base() + "/" + c.unprefixed(), Owner: c.owner(), TokenNeeded: c.h.guarded()}
	err := c.inBackground("import")
	if err == nil && c.h.Resources.ReadsOnly() {
		err = resources.ErrReadOnly
	}
	if err == nil {
		r.Inputs, err = c.readImport()
	}
	for _, in := range r.Inputs {
		if err == nil {
			err = c.mayImport(in.Type)
		}
	}
	c.startJob(jobKind{c.h.Imports, "import"}, r, err)
}

// mayImport returns an error unless the request may create and update every resource of a type.
func (c *call) mayImport(typ string) error {
	for _, action := range [...]access.Actions{access.Create, access.Update} {
		_, all, err := c.h.Resources.Covers(c.context(), typ, action)
		if err != nil {
			return err
		}
		if !all {
			return problem(http.StatusForbidden, "forbidden", "an import of %s needs the permission to create and update every %s", typ, typ)
		}
	}
	return nil
}

// importBody is the body of an import: the manifest of the proposal, or Parameters.
type importBody struct {
	ResourceType string
	InputFormat  string
	Storage      importStorage `json:"storageDetail"`
	Input        []export.Input
	Parameter    []importParam
}

// importStorage says how the files are read. HAPI accepts a credential.
type importStorage struct{ Type, CredentialHTTPBasic string }

type importParam struct {
	Name                                       string
	ValueCode, ValueString, ValueURI, ValueURL string
	Part                                       []importParam
}

func (p *importParam) text() string {
	return cmp.Or(p.ValueCode, p.ValueString, p.ValueURI, p.ValueURL)
}

// named returns the text of a part, "" if there is none.
func (p *importParam) named(part string) string {
	i := slices.IndexFunc(p.Part, func(p importParam) bool { return p.Name == part })
	if i < 0 {
		return ""
	}
	return p.Part[i].text()
}

// take sets what Parameters say.
func (b *importBody) take() {
	for i := range b.Parameter {
		switch p := &b.Parameter[i]; p.Name {
		case "inputFormat":
			b.InputFormat = p.text()
		case "storageDetail":
			b.Storage = importStorage{p.named("type"), p.named("credentialHttpBasic")}
		case "input":
			b.Input = append(b.Input, export.Input{Type: p.named("type"), URL: p.named("url")})
		}
	}
}

// readImport returns the files to import.
func (c *call) readImport() ([]export.Input, error) {
	body, err := c.readResource("send Parameters as " + mediaFHIR + ", or a manifest as " + mediaJSON)
	if err != nil {
		return nil, err
	}
	var b importBody
	if err := json.Unmarshal(body, &b); err != nil {
		return nil, problem(http.StatusBadRequest, "structure", "the body is neither Parameters nor the manifest of an import: %v", err)
	}
	if b.take(); b.ResourceType != "" && b.ResourceType != "Parameters" {
		return nil, problem(http.StatusBadRequest, "invalid", "the body of $import is Parameters, or a manifest without resourceType, not %q", cut(b.ResourceType))
	}
	switch b.InputFormat {
	case mediaNDJSON, "application/ndjson", "ndjson":
	default:
		return nil, operation.Invalid("inputFormat", strconv.Quote(cut(b.InputFormat))+" is not supported; the files must be "+mediaNDJSON)
	}
	if b.Storage.Type != "" && b.Storage.Type != "https" {
		return nil, operation.Invalid("storageDetail.type", strconv.Quote(cut(b.Storage.Type))+" is not supported; leave it out, or send https")
	}
	if b.Storage.CredentialHTTPBasic != "" {
		return nil, operation.Invalid("storageDetail.credentialHttpBasic", "this server sends no credentials; send signed URLs")
	}
	for i, in := range b.Input {
		if !c.h.stored[in.Type] {
			return nil, operation.Invalid("input.type", strconv.Quote(cut(in.Type))+" of file "+strconv.Itoa(i+1)+" is not stored here; name the type of its resources, such as Patient")
		}
	}
	return append([]export.Input{}, b.Input...), nil
}
