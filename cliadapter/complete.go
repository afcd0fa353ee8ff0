package cliadapter

import (
	"cmp"
	"context"
	"os"
	"slices"
	"strings"

	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/base"
)

// maxCompleted is the number of codes that completion offers: more are no help.
const maxCompleted = 100

// completeNames completes the canonical of a resource of a type by what is loaded. Where nothing has
// been typed, it offers what is not part of FHIR.
func (c builder) completeNames(typ string) command.Completer {
	return func(ctx context.Context, typed *command.Typed) []command.Candidate {
		var found []command.Candidate
		c.loaded(ctx, typed, func(eng *engine.Engine) {
			names := newDictionary(eng).list(typ)
			last := ""
			for _, e := range eng.Entries(typ) {
				if e.Header.URL == "" || e.Header.URL == last || e.Supplements != "" || typed.Word == "" && e.Origin == base.Origin {
					continue
				}
				last = e.Header.URL
				word := names.Short(e.Header.URL)
				if strings.Contains(typed.Word, ":") {
					word = e.Header.URL
				}
				found = append(found, command.Candidate{Word: word, Note: cmp.Or(e.Header.Title, e.Header.Name)})
			}
		})
		return found
	}
}

// completeCodes completes a code of the code system that has been typed, or of any that is loaded.
func (c builder) completeCodes(ctx context.Context, typed *command.Typed) []command.Candidate {
	var found []command.Candidate
	c.loaded(ctx, typed, func(eng *engine.Engine) {
		for _, x := range typedSystems(typed, eng) {
			found = append(found, codesFrom(x, typed.Word, maxCompleted-len(found))...)
		}
	})
	return found
}

// typedSystems returns the code system that --system has, or all that are loaded.
func typedSystems(typed *command.Typed, eng *engine.Engine) (list []*codesystem.Index) {
	text := typed.Flag("system")
	if text == "" {
		for _, e := range eng.Entries(kinds[0]) {
			if e.Origin == base.Origin || !eng.IsDefault(e) { // before it is opened: there are many
				continue
			}
			if x, err := e.CodeSystem(); err == nil {
				list = append(list, x)
			}
		}
		return list
	}
	canonical, _, err := newDictionary(eng).find(kinds[0], text)
	if err != nil {
		return nil
	}
	url, version, _ := strings.Cut(canonical, "|")
	if x, err := eng.System(url, version); err == nil {
		list = append(list, x)
	}
	return list
}

// codesFrom returns at most limit codes that begin with a word; with no word, the roots.
func codesFrom(x *codesystem.Index, word string, limit int) (found []command.Candidate) {
	if limit <= 0 {
		return nil
	}
	if word == "" {
		for it := x.Roots().Iterator(); it.HasNext() && len(found) < limit; {
			o := it.Next()
			found = append(found, command.Candidate{Word: x.Code(o), Note: x.Display(o)})
		}
		return found
	}
	hits, _ := x.Search(codesystem.CompileQuery(word), nil, 0, limit, nil)
	for _, hit := range hits {
		if code := x.Code(hit.Concept); strings.HasPrefix(code, word) {
			found = append(found, command.Candidate{Word: code, Note: x.Display(hit.Concept)})
		}
	}
	return found
}

// maxRead is the size of the largest file that completion reads, in bytes. Larger ones take too long.
const maxRead = 4 << 20

// loaded passes what a command would answer from to use, and nothing if that cannot be opened: the
// command itself says why.
func (c builder) loaded(ctx context.Context, typed *command.Typed, use func(*engine.Engine)) {
	src := Sources{Base: true}
	if load := typed.Flag("load"); load != "" {
		if info, err := os.Stat(load); err != nil || !info.Mode().IsRegular() || info.Size() > maxRead {
			return
		}
		src.Load = []string{load}
	}
	if src.Data = cmp.Or(typed.Flag("data"), c.Getenv("ROGET_DATA")); src.Data == "" && src.Load == nil {
		src.Data, src.Optional, src.Samples = defaultData, true, true
	}
	_ = c.config.Backend.Query(ctx, src, silent{}, func(eng *engine.Engine) error { use(eng); return nil })
}

// silent is an Observer that shows nothing.
type silent struct{}

func (silent) Progress(loader.Progress) {}
func (silent) Resource(Loaded)          {}
func (silent) Skipped(int)              {}
func (silent) Warned(string)            {}
func (silent) Failed(error)             {}

// completer returns what completes a parameter of an operation, nil if nothing does.
func (c builder) completer(typ, name, names string) command.Completer {
	switch {
	case names != "":
		return c.completeNames(names)
	case typ == "code" && slices.Contains([]string{"code", "codeA", "codeB"}, name):
		return c.completeCodes
	}
	return nil
}
