package platformtools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/mcpadapter/answer"
)

// A registry registers tools on a server.
type registry struct {
	server *mcp.Server
	tools  *Tools
}

// access is what a tool may change.
type access int

const (
	reads    access = iota
	changes         // adds or sets something
	destroys        // removes or replaces something
)

// On is the argument that every tool has.
type On struct {
	Profile string `json:"profile,omitempty"`
}

func (o On) profileName() string { return o.Profile }

// profiled is satisfied by the arguments of tools.
type profiled interface{ profileName() string }

// add registers a tool that works on a platform.
func add[In profiled, Out any](r *registry, a access, name, title, description string, run func(ctx context.Context, c *platform.Client, in In) (Out, error)) {
	addPlain(r, a, name, title, description, func(ctx context.Context, in In) (Out, error) {
		client, err := r.tools.client(ctx, in.profileName())
		var none Out
		if err != nil {
			return none, err
		}
		out, err := run(ctx, client, in)
		if unauthorized(err) {
			r.tools.forget(in.profileName())
		}
		return out, err
	})
}

// addPlain registers a tool that needs no connection.
func addPlain[In, Out any](r *registry, a access, name, title, description string, run func(ctx context.Context, in In) (Out, error)) {
	if a != reads && r.tools.config.ReadOnly {
		return
	}
	answer.Add(r.server, answer.Tool{
		Name: name, Title: title, Description: description,
		Reads: a == reads, Destroys: a == destroys, Repeatable: a == destroys, Remote: true, Limit: MaxAnswer, Timeout: callTime,
	}, func(ctx context.Context, in In) (Out, string, error) {
		out, err := run(ctx, in)
		return out, "", told(err)
	})
}

// A toolError is an error as the commands of the platform tell it: one line, the conflicts,
// and a hint.
type toolError struct {
	err  error
	text string
}

func (e *toolError) Error() string { return e.text }
func (e *toolError) Unwrap() error { return e.err }

// maxConflicts bounds the conflicts of an error.
const maxConflicts = 10

func told(err error) error {
	if err == nil {
		return nil
	}
	var b strings.Builder
	b.WriteString(answer.Line(err.Error()))
	if refused, ok := errors.AsType[*platform.APIError](err); ok {
		if message := refused.WebMessage(); message != nil {
			for i, c := range message.Conflicts {
				if i == maxConflicts {
					fmt.Fprintf(&b, "\n+%d more", len(message.Conflicts)-i)
					break
				}
				b.WriteString("\n" + answer.Cut(answer.Line(strings.Join([]string{c.Resource, c.UID, c.Property, c.Value, c.ErrorCode, c.Message}, " ")), 300))
			}
		}
	}
	if advice, ok := errors.AsType[interface {
		error
		Hint() string
	}](err); ok {
		b.WriteString("\nhint: " + answer.Line(advice.Hint()))
	}
	return &toolError{err, b.String()}
}

// Object is a JSON object.
type Object = map[string]any

// List is a list of objects.
type List struct {
	Items []Object `json:"items"`
	Total int      `json:"total"`
	Note  string   `json:"note,omitempty"`
}

// Names is a list of names.
type Names struct {
	Items []string `json:"items"`
	Total int      `json:"total"`
	Note  string   `json:"note,omitempty"`
}

// listOf returns as many objects as an answer has room for.
func listOf[T any](items []T) (List, error) {
	all := make([]Object, len(items))
	for i := range items {
		var err error
		if all[i], err = object(items[i]); err != nil {
			return List{}, err
		}
	}
	var out List
	out.Items, out.Note = fitting(all)
	out.Total = len(all)
	return out, nil
}

// namesOf returns as many names as an answer has room for.
func namesOf(names []string) Names {
	if names == nil {
		names = []string{}
	}
	items, note := fitting(names)
	return Names{Items: items, Total: len(names), Note: note}
}

// fitting returns the first items, as many as an answer has room for: once as a value, once as
// text. The note says so if they are not all.
func fitting[T any](all []T) (items []T, note string) {
	n := answer.Fit(len(all), budget, func(n int) (any, string) {
		doc, _ := json.Marshal(all[:n]) // made of what can be written
		return all[:n], string(doc)
	})
	if n < len(all) {
		note = fmt.Sprintf("only the first %d fit: ask for fewer fields, a filter, or a smaller page", n)
	}
	return all[:n:n], note
}

// plain returns a value as maps, slices and texts, with numbers as they are written.
func plain(value any) (any, error) {
	doc, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(doc))
	decoder.UseNumber()
	var out any
	err = decoder.Decode(&out)
	return out, err
}

// object returns a value as a JSON object.
func object(value any) (Object, error) {
	out, err := plain(value)
	if err != nil {
		return nil, err
	}
	if o, ok := out.(map[string]any); ok {
		return o, nil
	}
	return Object{"value": out}, nil
}

// Done is what a tool did.
type Done struct {
	Done string `json:"done"`
	UID  string `json:"uid,omitempty"`
}

func done(format string, args ...any) (Done, error) {
	return Done{Done: fmt.Sprintf(format, args...)}, nil
}

// doneOr returns what was done unless it failed.
func doneOr(err error, format string, args ...any) (Done, error) {
	if err != nil {
		return Done{}, err
	}
	return done(format, args...)
}
