package terminology_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/roget-health/roget/adapters/memory"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/base"
	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/httpadapter"
	"github.com/roget-health/roget/mcpadapter"
	"github.com/roget-health/roget/mcpadapter/terminology"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/sharedtest"
)

// An assistant is a client of the SDK in the process of the server. Each answer of a tool is
// checked against its schema and its size.
type assistant struct {
	t       testing.TB
	session *mcp.ClientSession
	schemas map[string]*jsonschema.Resolved
}

// meet connects a client to a server with the tools on a source.
func meet(t testing.TB, source terminology.Source) *assistant {
	t.Helper()
	server, err := mcpadapter.New(mcpadapter.Config{Toolsets: []mcpadapter.Toolset{terminology.New(source)}})
	if err != nil {
		t.Fatal(err)
	}
	here, there := mcp.NewInMemoryTransports()
	if _, err := server.MCP().Connect(t.Context(), there, nil); err != nil {
		t.Fatal(err)
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	a := &assistant{t: t, session: session, schemas: map[string]*jsonschema.Resolved{}}
	for tool, err := range session.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		doc, err := json.Marshal(tool.OutputSchema)
		if err != nil {
			t.Fatal(err)
		}
		var schema jsonschema.Schema
		if err := json.Unmarshal(doc, &schema); err != nil {
			t.Fatal(err)
		}
		if a.schemas[tool.Name], err = schema.Resolve(nil); err != nil {
			t.Fatal(err)
		}
	}
	return a
}

// toolAnswer is the answer of a tool.
type toolAnswer struct {
	text  string
	value map[string]any
	doc   []byte // of value
	fails bool
	size  int // of the result as JSON
}

// call calls a tool. Every answer validates against the schema of the tool, and is small.
func (a *assistant) call(tool string, arguments any) toolAnswer {
	a.t.Helper()
	return a.callIn(a.t.Context(), tool, arguments)
}

func (a *assistant) callIn(ctx context.Context, tool string, arguments any) toolAnswer {
	a.t.Helper()
	result, err := a.session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		a.t.Fatalf("%s %v: %v", tool, arguments, err)
	}
	whole, err := json.Marshal(result)
	if err != nil {
		a.t.Fatal(err)
	}
	s := toolAnswer{fails: result.IsError, size: len(whole)}
	for _, content := range result.Content {
		s.text += content.(*mcp.TextContent).Text
	}
	if s.size >= terminology.MaxAnswer {
		a.t.Errorf("%s %v: %d bytes, which is not below %d", tool, arguments, s.size, terminology.MaxAnswer)
	}
	if s.text == "" {
		a.t.Errorf("%s %v: no text", tool, arguments)
	}
	if s.fails {
		if result.StructuredContent != nil {
			a.t.Errorf("%s: an error with a value: %s", tool, whole)
		}
		return s
	}
	s.value = result.StructuredContent.(map[string]any)
	if err := a.schemas[tool].Validate(s.value); err != nil {
		a.t.Errorf("%s: the answer does not validate: %v: %s", tool, err, whole)
	}
	s.doc, _ = json.Marshal(s.value)
	return s
}

// files are the classifications of the tasks. One is a second version, made by revise.
func files(t testing.TB) []string {
	t.Helper()
	paths := []string{
		sharedtest.Path(t, "data/icd10cm/CodeSystem-icd-10-cm.json.gz"), sharedtest.Path(t, "data/hpo/CodeSystem-hpo.json.gz"),
		sharedtest.Path(t, "data/so/CodeSystem-so.json.gz"), sharedtest.Path(t, "data/iso-codes/CodeSystem-iso-3166-1.json.gz"),
		sharedtest.Path(t, "data/icd-gem/CodeSystem-icd-9-cm.json.gz"), sharedtest.Path(t, "data/icd-gem/ConceptMap-icd-10-cm-to-icd-9-cm.json.gz"),
		sharedtest.Path(t, "data/icd-gem/ConceptMap-icd-9-cm-to-icd-10-cm.json.gz"),
	}
	second := filepath.Join(t.TempDir(), "second.json")
	if err := os.WriteFile(second, revise(t, sharedtest.Unzipped(t, sharedtest.Path(t, "data/so/CodeSystem-so.json.gz"))), 0o600); err != nil {
		t.Fatal(err)
	}
	return append(paths, second)
}

// What revise changes in the Sequence Ontology.
const (
	soAdded, soRemoved, soRenamed, soEnded = "SO:9999999", "SO:0000007", "SO:0000147", "SO:0000110"
	secondVersion                          = "2013-test"
)

// revise makes a later version of a code system: a code more, one less, one with another
// display, one that is inactive.
func revise(t testing.TB, doc []byte) []byte {
	t.Helper()
	var cs map[string]any
	if err := json.Unmarshal(doc, &cs); err != nil {
		t.Fatal(err)
	}
	cs["version"], cs["id"] = secondVersion, "so-second"
	var kept []any
	for _, each := range cs["concept"].([]any) {
		c := each.(map[string]any)
		switch c["code"] {
		case soRemoved:
			continue
		case soRenamed:
			c["display"] = "exon, renamed"
		case soEnded:
			properties, _ := c["property"].([]any)
			c["property"] = append(properties, map[string]any{"code": "inactive", "valueBoolean": true})
		}
		kept = append(kept, c)
	}
	cs["concept"] = append(kept, map[string]any{"code": soAdded, "display": "novelty"})
	out, err := json.Marshal(cs)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.TrimSpace(out)
}

// loaded returns an engine with FHIR's own resources and some files.
func loaded(t testing.TB, paths ...string) *engine.Engine {
	t.Helper()
	eng := engine.New()
	if err := eng.Publish(base.Entries()...); err != nil {
		t.Fatal(err)
	}
	if len(paths) > 0 {
		if err := eng.Load(t.Context(), paths...); err != nil {
			t.Fatal(err)
		}
	}
	return eng
}

func local(eng *engine.Engine) terminology.Source {
	return terminology.NewLocal(eng, operation.All())
}

// remote serves an engine over HTTP and returns a source that asks it.
func remote(t testing.TB, eng *engine.Engine) terminology.Source {
	t.Helper()
	handler, err := httpadapter.New(httpadapter.Config{Engine: eng, Resources: resources.NewService(memory.New(), eng, resources.WithTerminology(eng))})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	source, err := terminology.NewRemote(server.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	return source
}
