package command

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// completeName is the hidden command that completion scripts call: the words typed so
// far follow it, the last one being completed. It prints a candidate a line, with a tab and
// a description where there is one, and nothing where a path belongs.
const completeName = "__complete"

// complete prints the candidates for the last of some words.
func (t *Tree) complete(words []string) error {
	current := ""
	if last := len(words) - 1; last >= 0 {
		words, current = words[:last], words[last]
	}
	var out bytes.Buffer
	for _, c := range t.candidates(words, current) {
		if strings.HasPrefix(c.Word, current) {
			note, _, _ := strings.Cut(c.Note, ". ")
			fmt.Fprintln(&out, strings.TrimSuffix(c.Word+"\t"+strings.TrimSuffix(note, "."), "\t"))
		}
	}
	return Write(t.streams.Out, out.Bytes())
}

// candidates lists what may follow the words before.
func (t *Tree) candidates(before []string, current string) (list []entry) {
	l := t.newLine()
	for len(before) > 0 {
		before, _ = l.next(before) // what is wrong is said when the line is run
	}
	values := func(prefix string, words []string, more Completer) {
		if more != nil {
			words = slices.Concat(words, more(l.Value))
		}
		for _, word := range slices.Sorted(slices.Values(words)) {
			list = append(list, entry{Word: prefix + word})
		}
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
				list = append(list, entry{dashed(f.Name), f.Usage})
			}
		}
	case t.isGroup(l.Command) && len(l.Args) == 0: // else an unknown command was named
		for _, sub := range t.shown(l) {
			list = append(list, entry{sub.Name, sub.Usage})
		}
	case !t.isGroup(l.Command) && len(l.Args) < len(args):
		values("", args[len(l.Args)].Choices, args[len(l.Args)].Complete)
	}
	return list
}
