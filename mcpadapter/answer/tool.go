package answer

import (
	"context"
	"errors"
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
func Add[In, Out any](s *mcp.Server, t Tool, run func(ctx context.Context, in In) (Out, string, error)) {
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
		InputSchema: schemaOf[In](false), OutputSchema: schemaOf[Out](true),
	}
	mcp.AddTool(s, tool, func(ctx context.Context, _ *mcp.CallToolRequest, in In) (*mcp.CallToolResult, Out, error) {
		ctx, cancel := context.WithTimeoutCause(ctx, t.Timeout, errTooLong)
		defer cancel()
		out, text, err := run(ctx, in)
		var none Out
		if err != nil {
			if cause := context.Cause(ctx); errors.Is(cause, errTooLong) {
				err = errTooLong
			}
			return nil, none, err
		}
		scrub(reflect.ValueOf(&out))
		if text == "" {
			if Size(out, "")*2 > t.Limit+overhead { // once as a value, once as text
				return nil, none, ErrTooLarge
			}
			return nil, out, nil
		}
		if text = Clean(text); Size(out, text) > t.Limit {
			return nil, none, ErrTooLarge
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, out, nil
	})
}

// errTooLong is the cause of a call that was ended because of its time.
var errTooLong = errors.New("the call took too long: narrow the question, for example by a code system, a value set or a smaller page")

// schemaOf returns the schema of a type. Unlike in what is inferred, every type is one word,
// as many clients know nothing else. An open schema does not exclude further members, so that a
// later version may add some.
func schemaOf[T any](open bool) any {
	schema, err := jsonschema.For[T](nil)
	if err != nil {
		return nil // mcp.AddTool infers it again, and reports the error
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
