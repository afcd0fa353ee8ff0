package answer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A Tool describes a tool.
type Tool struct {
	Name, Title, Description string
	// Reads is true for a tool that changes nothing.
	Reads bool
	// Repeatable is true for a tool that changes nothing more when it is called again.
	Repeatable bool
	// Destroys is true for a tool that removes or overwrites something.
	Destroys bool
	// Remote is true for a tool that talks to other servers.
	Remote bool
	// Limit is the size of an answer in bytes.
	Limit int
	// Timeout is the longest time that a call may take.
	Timeout time.Duration
}

// ErrTooLarge is returned for an answer beyond the limit of its tool.
var ErrTooLarge = errors.New("the answer is too large for an assistant: ask for less, by narrower arguments, fewer fields or a smaller page")

// Add registers a tool. Run returns the answer as a value and as text for people; without a
// text the value itself is the text.
//
// Add is compiled for each tool, so it does no more than convert.
func Add[In, Out any](s *mcp.Server, t Tool, run func(ctx context.Context, in In) (Out, string, error)) {
	register(s, t, schemaOf(reflect.TypeFor[In](), false), schemaOf(reflect.TypeFor[Out](), true),
		func(ctx context.Context, arguments json.RawMessage) (any, string, error) {
			var in In
			if arguments != nil {
				if err := json.Unmarshal(arguments, &in); err != nil {
					return nil, "", err
				}
			}
			out, text, err := run(ctx, in)
			return &out, text, err
		})
}

// register registers a tool whose answers are pointers to values.
func register(s *mcp.Server, t Tool, input, output *jsonschema.Schema, run func(ctx context.Context, arguments json.RawMessage) (any, string, error)) {
	no := false
	annotations := &mcp.ToolAnnotations{ReadOnlyHint: t.Reads, IdempotentHint: t.Reads || t.Repeatable}
	if !t.Reads && !t.Destroys {
		annotations.DestructiveHint = &no
	}
	if !t.Remote {
		annotations.OpenWorldHint = &no
	}
	tool := &mcp.Tool{
		Name: t.Name, Title: t.Title, Description: t.Description, Annotations: annotations,
		InputSchema: input, OutputSchema: output,
	}
	mcp.AddTool(s, tool, func(ctx context.Context, _ *mcp.CallToolRequest, arguments json.RawMessage) (*mcp.CallToolResult, any, error) {
		ctx, cancel := context.WithTimeoutCause(ctx, t.Timeout, errTooLong)
		defer cancel()
		out, text, err := run(ctx, arguments)
		if err != nil {
			if cause := context.Cause(ctx); errors.Is(cause, errTooLong) {
				err = errTooLong
			}
			return nil, nil, err
		}
		scrub(reflect.ValueOf(out))
		if text == "" {
			if Size(out, "")*2 > t.Limit+overhead { // once as a value, once as text
				return nil, nil, ErrTooLarge
			}
			return nil, out, nil
		}
		if text = Clean(text); Size(out, text) > t.Limit {
			return nil, nil, ErrTooLarge
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, out, nil
	})
}

// errTooLong is the cause of a call that was ended because of its time.
var errTooLong = errors.New("the call took too long: narrow the question, for example by a code system, a value set or a smaller page")

// schemaOf returns the schema of a type. Unlike in what is inferred, every type is one word,
// as many clients know nothing else. An open schema does not exclude further members, so that a
// later version may add some.
func schemaOf(t reflect.Type, open bool) *jsonschema.Schema {
	schema, err := jsonschema.ForType(t, &jsonschema.ForOptions{})
	if err != nil {
		panic(fmt.Sprintf("answer: %v has no schema: %v", t, err)) // a mistake in the type, which every test meets
	}
	relax(schema, open)
	return schema
}

func relax(s *jsonschema.Schema, open bool) {
	if s == nil {
		return
	}
	if i := slices.Index(s.Types, "null"); i >= 0 && len(s.Types) == 2 {
		s.Type, s.Types = s.Types[1-i], nil
	}
	if reflect.DeepEqual(*s, jsonschema.Schema{Description: s.Description}) { // anything: some clients do not read it as such
		for _, word := range []string{"object", "array", "string", "number", "boolean", "null"} {
			s.AnyOf = append(s.AnyOf, &jsonschema.Schema{Type: word})
		}
	}
	if open && s.Properties != nil {
		s.AdditionalProperties = nil
	}
	for _, property := range s.Properties {
		relax(property, open)
	}
	relax(s.Items, open)
}
