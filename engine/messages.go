package engine

import (
	"fmt"
	"strings"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// Every sentence that an answer of $validate-code has, in one place: messages are an
// interface.

// codeOf writes a code with its system for a message: system#code.
func codeOf(system, version, code string) string {
	if system == "" {
		return "'" + code + "'"
	}
	return "'" + r4.JoinCanonical(system, version) + "#" + code + "'"
}

func msgNotInValueSet(g *given, valueSet string) string {
	return fmt.Sprintf("The code %s is not in the value set %s", codeOf(g.system, g.version, g.code), quoted(valueSet))
}

func msgUnknownCode(code string, x *codesystem.Index) string {
	return fmt.Sprintf("The code '%s' is not in the code system %s", code, quoted(r4.JoinCanonical(x.URL(), x.Version())))
}

func msgFragment(code string, x *codesystem.Index) string {
	return fmt.Sprintf("The code '%s' is not in the part of the code system %s that is loaded (content=fragment); it may be valid all the same",
		code, quoted(r4.JoinCanonical(x.URL(), x.Version())))
}

func msgUnknownSystem(system, version string, known []string) string {
	switch {
	case version == "":
		return fmt.Sprintf("The code system '%s' is not known here, so the code cannot be checked", system)
	case len(known) == 0:
		return fmt.Sprintf("The code system '%s' is not known here in version '%s', so the code cannot be checked", system, version)
	}
	return fmt.Sprintf("The code system '%s' is not known here in version '%s', so the code cannot be checked; known versions: %s",
		system, version, strings.Join(known, ", "))
}

func msgNoContent(system string) string {
	return fmt.Sprintf("The code system '%s' is known here without its content (content=not-present), so the code cannot be checked", system)
}

func msgSupplement(system string) string {
	return fmt.Sprintf("'%s' is a supplement; codes belong to the code system it supplements", system)
}

func msgCannotEvaluate(valueSet string, err error) string {
	return fmt.Sprintf("The value set %s cannot be evaluated: %v", quoted(valueSet), err)
}

func msgOtherVersion(g *given, used string) string {
	return fmt.Sprintf("The value set uses version '%s' of the code system '%s', the code was given with version '%s'", used, g.system, g.version)
}

func msgAmbiguous(code string, systems []string) string {
	return fmt.Sprintf("The code '%s' is in several code systems of the value set, so its system must be given: %s", code, strings.Join(systems, ", "))
}

func msgWrongDisplay(given, code string, valid []string) string {
	if len(valid) == 0 {
		return fmt.Sprintf("The display '%s' is wrong for the code %s, which has no display", given, code)
	}
	for i := range valid {
		valid[i] = "'" + valid[i] + "'"
	}
	return fmt.Sprintf("The display '%s' is wrong for the code %s; valid: %s", given, code, strings.Join(valid, ", "))
}

func msgAbstract(code string) string {
	return fmt.Sprintf("The code %s is abstract, and abstract codes are not wanted here", code)
}

func msgInactive(code string) string { return fmt.Sprintf("The code %s is inactive", code) }

func msgDeprecated(code string) string { return fmt.Sprintf("The code %s is deprecated", code) }

func msgCase(given, code, system string) string {
	return fmt.Sprintf("The code '%s' differs in case from '%s', the form the code system '%s' has", given, code, system)
}

func msgNoCoding() string { return "The CodeableConcept has no coding to check" }

func msgNoCode() string { return "The coding has no code to check" }

func msgOtherSystem(system, url string) string {
	return fmt.Sprintf("The coding is of the code system '%s', not of '%s'", system, url)
}

func quoted(canonical string) string {
	if canonical == "" {
		return "given with the request"
	}
	return "'" + canonical + "'"
}
