package command

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
)

// completeName is the hidden command that completion scripts call: the words typed so
// far follow it, the last one being completed. It prints a candidate a line, with a tab and
// a description where there is one, and nothing where a path belongs.
const completeName = "__complete"

// A Completer returns the values that completion offers for a word. Those that do not begin as the
// word does are left out.
type Completer func(ctx context.Context, typed *Typed) []Candidate

// Typed is what has been typed when a word is completed.
type Typed struct {
	Word string   // to complete
	Args []string // the positional arguments before it
	line *Line
}

// Flag returns the value of a flag that has been typed.
func (t *Typed) Flag(name string) string { return t.line.Value(name) }

// A Candidate is a word that completion offers, and a short note on it.
type Candidate struct{ Word, Note string }

// Words returns a Completer that offers the words of a list; flag returns the value of a flag that has
// been typed.
func Words(list func(flag func(name string) string) []string) Completer {
	return func(_ context.Context, typed *Typed) []Candidate {
		var found []Candidate
		for _, word := range list(typed.Flag) {
			found = append(found, Candidate{Word: word})
		}
		return found
	}
}

// complete prints the candidates for the last of some words.
func (t *Tree) complete(ctx context.Context, words []string) error {
	current := ""
	if last := len(words) - 1; last >= 0 {
		words, current = words[:last], words[last]
	}
	var out bytes.Buffer
	offered := map[string]bool{}
	for _, c := range t.candidates(ctx, words, current) {
		if strings.HasPrefix(c.Word, current) && !offered[c.Word] {
			offered[c.Word] = true
			note, _, _ := strings.Cut(c.Note, ". ")
			fmt.Fprintln(&out, strings.TrimSuffix(Printable(c.Word)+"\t"+Printable(strings.TrimSuffix(note, ".")), "\t"))
		}
	}
	return Write(t.streams.Out, out.Bytes())
}

// candidates lists what may follow the words before.
func (t *Tree) candidates(ctx context.Context, before []string, current string) (list []Candidate) {
	l := t.newLine()
	for len(before) > 0 {
		before, _ = l.next(before) // what is wrong is said when the line is run
	}
	values := func(prefix string, words []string, more Completer) {
		for _, word := range words {
			list = append(list, Candidate{Word: prefix + word})
		}
		if more != nil {
			for _, c := range more(ctx, &Typed{Word: strings.TrimPrefix(current, prefix), Args: l.Args, line: l}) {
				list = append(list, Candidate{prefix + c.Word, c.Note})
			}
		}
		slices.SortStableFunc(list, func(a, b Candidate) int { return cmp.Compare(a.Word, b.Word) })
	}
	dash := strings.HasPrefix(current, "-") && !l.only
	written, _, joined := strings.Cut(current, "=")
	switch args := t.Details(l.Command).Args; {
	case l.waiting != nil:
		f := describe(l.waiting)
		values("", f.Choices, f.Complete)
	case dash && joined:
		f := describe(FindFlag(l.Command.Flags, strings.TrimLeft(written, "-")))
		values(written+"=", f.Choices, f.Complete)
	case dash:
		for _, f := range l.Command.Flags {
			if f := describe(f); !l.seen[f.Name] || f.many {
				list = append(list, Candidate{dashed(f.Name), f.Usage})
			}
		}
	case t.isGroup(l.Command) && len(l.Args) == 0: // else an unknown command was named
		for _, sub := range t.shown(l) {
			list = append(list, Candidate{sub.Name, sub.Usage})
		}
	case !t.isGroup(l.Command) && len(l.Args) < len(args):
		values("", args[len(l.Args)].Choices, args[len(l.Args)].Complete)
	}
	return list
}
