package cliadapter

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine"
)

// systemOptions are the flags of commands that show one code system.
func (c builder) systemOptions() []cli.Flag {
	return []cli.Flag{
		&command.Flag{
			StringFlag: cli.StringFlag{Name: "system", Usage: "`SYSTEM` The code system: url, url|version or a short name. By default the only one that is loaded and has the code."},
			Complete:   c.completeNames(kinds[0]),
		},
		&cli.StringFlag{Name: "version", Usage: "`VERSION` Version of the code system; the default version when absent."},
	}
}

// codeArgument is the argument of a code of the code system.
func (c builder) codeArgument(required bool, usage string) command.Argument {
	return command.Argument{Name: "CODE", Required: required, Usage: usage, Complete: c.completeCodes}
}

// index returns the code system of --system and --version. Without --system, it is the one that has
// the code, or that is loaded, if there is only one.
func (inv *invocation) index(eng *engine.Engine, code string) (*codesystem.Index, error) {
	text := inv.Text("system")
	if text == "" {
		found := systemsWith(code, eng)
		if len(found) != 1 {
			lacking := &lackingError{what: "flag --system", detail: "the code system", err: engine.ErrMissingParameter}
			return nil, &hinted{err: lacking, hint: candidates(code, found)}
		}
		text = found[0]
	}
	canonical, err := inv.resolve(newDictionary(eng), "--system", kinds[0], text)
	if err != nil {
		return nil, err
	}
	if url, _, _ := strings.Cut(canonical, "|"); inv.IsSet("version") {
		version := inv.Text("version")
		if _, stated, _ := strings.Cut(inv.Text("system"), "|"); stated != "" && stated != version {
			return nil, command.Usagef("--system %s and --version %s contradict each other", text, version)
		}
		canonical = url + "|" + version
	}
	return indexOf(eng, canonical)
}

// indexOf returns the code system of a canonical.
func indexOf(eng *engine.Engine, canonical string) (*codesystem.Index, error) {
	url, version, _ := strings.Cut(canonical, "|")
	x, _, err := eng.Hierarchy(url, version)
	if err != nil {
		return nil, explain(err, eng)
	}
	return x, nil
}

// concept finds a code.
func concept(x *codesystem.Index, code string) (codesystem.Ord, error) {
	o, ok := x.Find(code)
	if !ok {
		return 0, fmt.Errorf("%w: %q in %s", engine.ErrUnknownCode, code, canonicalOf(x))
	}
	return o, nil
}

// canonicalOf returns url|version of a code system.
func canonicalOf(x *codesystem.Index) string {
	return strings.TrimSuffix(x.URL()+"|"+x.Version(), "|")
}
