package operation

import (
	tag "golang.org/x/text/language"

	"github.com/roget-health/roget/engine"
)

// How the rows read their input.

// language returns the one text that says which language is asked for, where the engine
// takes no more: the parameter before the header. A header that makes no sense is as good
// as none, as HTTP has it.
func language(in *Input) string {
	if s := in.String("displayLanguage"); s != "" || in.AcceptLanguage == "" {
		return s
	}
	if _, _, err := tag.ParseAcceptLanguage(in.AcceptLanguage); err != nil {
		return ""
	}
	return in.AcceptLanguage
}

// optionalBool returns a boolean parameter, nil when it is absent.
func optionalBool(in *Input, name string) *bool {
	if v, given := in.Bool(name); given {
		return &v
	}
	return nil
}

// isTrue reports that a boolean parameter is given as true.
func isTrue(in *Input, name string) bool {
	v, _ := in.Bool(name)
	return v
}

// lenientDisplay reports that a wrong display is only to be warned of. Clients of old say
// so by mode.
func lenientDisplay(in *Input) bool {
	const name = "lenient-display-validation"
	return isTrue(in, name) || in.String("mode") == name
}

func versionRules(in *Input) engine.VersionRules {
	return engine.VersionRules{
		System:   in.Strings("system-version"),
		Check:    in.Strings("check-system-version"),
		Force:    in.Strings("force-system-version"),
		ValueSet: in.Strings("default-valueset-version"),

		CheckValueSet: in.Strings("check-valueset-version"),
		ForceValueSet: in.Strings("force-valueset-version"),
	}
}

// result makes the pair of an engine method the pair a row gives, without hiding a
// nil pointer in the interface.
func result[T any, P interface {
	*T
	Result
}](r P, err error) (Result, error) {
	if err != nil {
		return nil, err
	}
	return r, nil
}
