package terminology

import (
	"context"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/roget-health/roget/mcpadapter/answer"
)

const (
	// MaxAnswer is the size of the largest answer of a tool, in bytes of JSON.
	MaxAnswer = 8000
	// budget is what tools fill of it: the rest is for what clients and the protocol add.
	budget = 7600
	// callTime is the longest time of a call.
	callTime = 30 * time.Second
)

// Tools are the tools of terminology. They are safe for concurrent use.
type Tools struct{ source Source }

// New returns the tools on a source.
func New(source Source) *Tools { return &Tools{source: source} }

// Name is the name of the toolset.
func (t *Tools) Name() string { return "terminology" }

// Instructions tell an assistant how the tools go together.
func (t *Tools) Instructions() string {
	return "Terminology: take every code from an answer of these tools, never from memory. " +
		"Begin with find (text to codes) or catalogue (what is loaded). A code system may be named by its url, or by a name such as ICD-10-CM. " +
		"Lists end with a cursor in next: repeat the call with it for more."
}

// Add registers the tools, resources and prompts.
func (t *Tools) Add(s *mcp.Server) error {
	t.addFind(s)
	t.addLookup(s)
	t.addValidate(s)
	t.addExpand(s)
	t.addSubsumes(s)
	t.addTranslate(s)
	t.addExplain(s)
	t.addCatalogue(s)
	t.addDiff(s)
	t.addResources(s)
	addPrompts(s)
	return nil
}

// tool describes a tool of terminology. All of them only read.
func tool(name, title, description string) answer.Tool {
	return answer.Tool{
		Name: name, Title: title, Description: description,
		Reads: true, Limit: MaxAnswer, Timeout: callTime,
	}
}

// add registers a tool. Its output writes itself as text for people.
func add[In, Out any, Writer interface {
	*Out
	text() string
}](s *mcp.Server, t answer.Tool, run func(ctx context.Context, in In) (Out, error)) {
	answer.Add(s, t, func(ctx context.Context, in In) (Out, string, error) {
		out, err := run(ctx, in)
		return out, Writer(&out).text(), err
	})
}

// A Concept is a code of an answer. Its system is left out where it is that of the answer.
type Concept struct {
	Code     string `json:"code"`
	Display  string `json:"display,omitempty"`
	System   string `json:"system,omitempty"`
	Inactive bool   `json:"inactive,omitempty"`
	Abstract bool   `json:"abstract,omitempty"`
	Matched  string `json:"matched,omitempty" jsonschema:"the synonym that matched"`
}

// maxDisplay bounds the displays of lists, and maxText a text that stands alone, in bytes.
const maxDisplay, maxText = 240, 900

func conceptOf(m *member) Concept {
	return Concept{
		Code: m.Code, Display: answer.Short(m.Display, maxDisplay), System: m.System,
		Inactive: m.Inactive, Abstract: m.Abstract,
	}
}

// line writes a concept for people.
func (c *Concept) line() string {
	text := c.Code + " " + c.Display
	if c.Matched != "" {
		text += " (" + c.Matched + ")"
	}
	if c.Inactive {
		text += " [inactive]"
	}
	if c.Abstract {
		text += " [abstract]"
	}
	if c.System != "" {
		text += " " + c.System
	}
	return text
}

// hoist returns the code system that all concepts share, "" if they do not, and removes it
// from them.
func hoist(list []Concept) string {
	if len(list) == 0 {
		return ""
	}
	system := list[0].System
	for i := range list {
		if list[i].System != system {
			return ""
		}
	}
	for i := range list {
		list[i].System = ""
	}
	return system
}
