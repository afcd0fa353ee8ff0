package issue

import "strings"

// The catalogue of messages of terminology operations. Texts, identifiers and codes are an
// interface of the FHIR terminology ecosystem
// (https://build.fhir.org/ig/HL7/fhir-tx-ecosystem-ig): clients compare them, so they must not be
// changed.

// A Message is an entry of the catalogue: an identifier, the codes of its issue, and a text with
// the arguments {0}, {1} and so on.
type Message struct {
	ID, Severity, Code, Detail string
	Text                       string
}

var (
	// About code systems and their versions.
	UnknownSystem         = Message{"UNKNOWN_CODESYSTEM", "error", "not-found", "not-found", "A definition for CodeSystem '{0}' could not be found, so the code cannot be validated"}
	UnknownVersion        = Message{"UNKNOWN_CODESYSTEM_VERSION", "error", "not-found", "not-found", "A definition for CodeSystem '{0}' version '{1}' could not be found, so the code cannot be validated. Valid versions: {2}"}
	UnknownVersionNone    = Message{"UNKNOWN_CODESYSTEM_VERSION_NONE", "error", "not-found", "not-found", "A definition for CodeSystem '{0}' version '{1}' could not be found, so the code cannot be validated. No versions of this code system are known"}
	UnknownNotChecked     = Message{"UNKNOWN_CODESYSTEM_CODING_NOT_CHECKED", "warning", "not-found", "not-found", "A definition for the code system '{0}' could not be found, so this coding was not checked. The CodeableConcept is still valid: another coding is in the value set"}
	UnknownSystemExp      = Message{"UNKNOWN_CODESYSTEM_EXP", "error", "not-found", "not-found", "A definition for CodeSystem '{0}' could not be found, so the value set cannot be expanded"}
	UnknownVersionExp     = Message{"UNKNOWN_CODESYSTEM_VERSION_EXP", "error", "not-found", "not-found", "A definition for CodeSystem '{0}' version '{1}' could not be found, so the value set cannot be expanded. Valid versions: {2}"}
	UnknownVersionExpNone = Message{"UNKNOWN_CODESYSTEM_VERSION_EXP_NONE", "error", "not-found", "not-found", "A definition for CodeSystem '{0}' version '{1}' could not be found, so the value set cannot be expanded. No versions of this code system are known"}
	VersionCheck          = Message{"VALUESET_VERSION_CHECK", "error", "exception", "version-error", "The version '{1}' is not allowed for system '{0}': required to be '{2}' by a version-check parameter"}
	SeveralForced         = Message{"SYSTEM_VERSION_MULTIPLE_OVERRIDE", "error", "exception", "version-error", "Multiple version overrides found for system {0}: '{1}', '{2}'"}
	SeveralDefaults       = Message{"SYSTEM_VERSION_MULTIPLE_DEFAULT", "error", "exception", "version-error", "Multiple default versions found for system {0}: '{1}', '{2}'"}
	Mismatch              = Message{"VALUESET_VALUE_MISMATCH", "error", "invalid", "vs-invalid", "The code system '{0}' version '{1}' in the ValueSet include is different to the one in the value ('{2}')"}
	MismatchChanged       = Message{"VALUESET_VALUE_MISMATCH_CHANGED", "error", "invalid", "vs-invalid", "The code system '{0}' version '{1}' resulting from the version '{2}' in the ValueSet include is different to the one in the value ('{3}')"}
	MismatchDefault       = Message{"VALUESET_VALUE_MISMATCH_DEFAULT", "warning", "invalid", "vs-invalid", "The code system '{0}' version '{1}' for the versionless include in the ValueSet include is different to the one in the value ('{2}')"}
	SystemIsSupplement    = Message{"CODESYSTEM_CS_NO_SUPPLEMENT", "error", "invalid", "invalid-data", "CodeSystem {0} is a supplement, so can't be used as a value in Coding.system"}
	SystemIsValueSet      = Message{"Terminology_TX_System_ValueSet2", "error", "invalid", "invalid-data", "The Coding references a value set, not a code system ('{0}')"}
	SystemRelative        = Message{"Terminology_TX_System_Relative", "error", "invalid", "invalid-data", "Coding.system must be an absolute reference, not a local reference"}
	NoSystem              = Message{"Coding_has_no_system__cannot_validate", "warning", "invalid", "invalid-data", "Coding has no system. A code with no system has no defined meaning, and it cannot be validated. A system should be provided"}
	NoSystemOrCode        = Message{"Coding_has_no_system_or_code__cannot_validate", "warning", "invalid", "invalid-data", "Coding has neither a system nor a code, so it cannot be validated. A system and a code should be provided"}
	NoCode                = Message{"", "warning", "invalid", "invalid-data", "Coding has no code and cannot be validated"}
	NoCodeForSystem       = Message{"", "warning", "invalid", "invalid-data", "Coding has no code for system {0} and cannot be validated"}
	CannotInfer           = Message{"UNABLE_TO_INFER_CODESYSTEM", "error", "not-found", "cannot-infer", "The System URI could not be determined for the code '{0}' in the ValueSet '{1}'"}
	SeveralSystems        = Message{"Unable_to_resolve_system__value_set_has_multiple_matches", "error", "not-found", "cannot-infer", "The System URI could not be determined for the code '{0}' in the ValueSet '{1}': value set expansion has multiple matches: [{2}]"}
	NothingToValidate     = Message{"", "error", "invalid", "", "Unable to find code to validate (looked for coding | codeableConcept | code+system | code+inferSystem in parameters)"}
	NoCodeSystem          = Message{"", "error", "invalid", "", "No CodeSystem specified - provide url parameter or codeSystem resource"}

	// About codes.
	UnknownCode          = Message{"Unknown_Code_in", "error", "code-invalid", "invalid-code", "Unknown code '{0}' in the CodeSystem '{1}'"}
	UnknownCodeVersion   = Message{"Unknown_Code_in_Version", "error", "code-invalid", "invalid-code", "Unknown code '{0}' in the CodeSystem '{1}' version '{2}'"}
	UnknownInFragment    = Message{"UNKNOWN_CODE_IN_FRAGMENT", "warning", "code-invalid", "invalid-code", "Unknown Code '{0}' in the CodeSystem '{1}' version '{2}' - note that the code system is labeled as a fragment, so the code may be valid in some other fragment"}
	NotInValueSet        = Message{"None_of_the_provided_codes_are_in_the_value_set_one", "error", "code-invalid", "not-in-vs", "The provided code '{0}' was not found in the value set '{1}'"}
	ThisNotInValueSet    = Message{"None_of_the_provided_codes_are_in_the_value_set_one", "information", "code-invalid", "this-code-not-in-vs", "The provided code '{0}' was not found in the value set '{1}'"}
	NoCodingInValueSet   = Message{"TX_GENERAL_CC_ERROR_MESSAGE", "error", "code-invalid", "not-in-vs", "No valid coding was found for the value set '{0}'"}
	CodeCase             = Message{"CODE_CASE_DIFFERENCE", "information", "business-rule", "code-rule", "The code '{0}' differs from the correct code '{1}' by case. Although the code system '{2}' is case insensitive, implementers are strongly encouraged to use the correct case anyway"}
	CodeNotNormal        = Message{"CODE_NOT_IN_NORMAL_FORM", "information", "business-rule", "code-rule", "The code '{0}' is valid, but it is not the normal form for the code system '{2}'; the normal form is '{1}'"}
	Abstract             = Message{"ABSTRACT_CODE_NOT_ALLOWED", "error", "business-rule", "code-rule", "Code '{0}#{1}' is abstract, and not allowed in this context"}
	NotActive            = Message{"STATUS_CODE_WARNING_CODE", "error", "business-rule", "code-rule", "The concept '{1}' is valid but is {0}"}
	Inactive             = Message{"INACTIVE_CONCEPT_FOUND", "warning", "business-rule", "code-comment", "The concept '{1}' has a status of {0} and its use should be reviewed"}
	InactiveStatus       = Message{"INACTIVE_CONCEPT_FOUND", "warning", "business-rule", "code-comment", "The concept '{1}' has a status of {0} and inactive and its use should be reviewed"}
	Deprecated           = Message{"DEPRECATED_CONCEPT_FOUND", "warning", "business-rule", "code-comment", "The concept '{0}' is deprecated and its use should be reviewed"}
	DeprecatedInValueSet = Message{"CONCEPT_DEPRECATED_IN_VALUESET", "warning", "business-rule", "code-comment", "The presence of the concept '{1}' in the system '{0}' in the value set {3} is marked with a status of {2} and its use should be reviewed"}

	// About displays.
	Display            = Message{"Display_Name_for__should_be_one_of__instead_of", "error", "invalid", "invalid-display", "Wrong Display Name '{3}' for {0}#{1}. Valid display is {2} (for the language(s) '{4}')"}
	Displays           = Message{"Display_Name_for__should_be_one_of__instead_of", "error", "invalid", "invalid-display", "Wrong Display Name '{3}' for {0}#{1}. Valid display is one of {5} choices: {2} (for the language(s) '{4}')"}
	DisplaySpace       = Message{"Display_Name_WS_for__should_be_one_of__instead_of", "error", "invalid", "invalid-display", "Wrong whitespace in Display Name '{3}' for {0}#{1}. Valid display is {2} (for the language(s) '{4}')"}
	DisplaySpaces      = Message{"Display_Name_WS_for__should_be_one_of__instead_of", "error", "invalid", "invalid-display", "Wrong whitespace in Display Name '{3}' for {0}#{1}. Valid display is one of {5} choices: {2} (for the language(s) '{4}')"}
	NoDisplayAtAll     = Message{"NO_VALID_DISPLAY_AT_ALL", "warning", "invalid", "invalid-display", "Cannot validate display '{0}' for {1}#{2} in language {3}: No displays are known"}
	OtherLanguage      = Message{"NO_VALID_DISPLAY_FOUND_NONE_FOR_LANG_OK", "information", "invalid", "invalid-display", "There are no valid display names found for the code {1}#{2} for language(s) '{3}'. The display is '{0}' which is a valid display for the default language"}
	OtherLanguageWrong = Message{"NO_VALID_DISPLAY_FOUND_NONE_FOR_LANG_ERR", "error", "invalid", "invalid-display", "Wrong Display Name '{0}' for {1}#{2}. There are no valid display names found for language(s) '{3}'. Default display is '{4}'"}
	OldDisplay         = Message{"INACTIVE_DISPLAY_FOUND", "warning", "invalid", "display-comment", "'{0}' is no longer considered a correct display for code '{1}' (status = {3}). The correct display is '{2}'"}
	OldDisplays        = Message{"INACTIVE_DISPLAY_FOUND", "warning", "invalid", "display-comment", "'{0}' is no longer considered a correct display for code '{1}' (status = {3}). The correct display is one of {2}"}
	InvalidLanguage    = Message{"INVALID_DISPLAY_NAME", "error", "processing", "invalid-display", "Invalid displayLanguage: '{0}'"}

	// About the status of resources.
	StatusDeprecated   = Message{"MSG_DEPRECATED", "information", "business-rule", "status-check", "Reference to deprecated {0} {1}"}
	StatusWithdrawn    = Message{"MSG_WITHDRAWN", "information", "business-rule", "status-check", "Reference to withdrawn {0} {1}"}
	StatusRetired      = Message{"MSG_RETIRED", "information", "business-rule", "status-check", "Reference to retired {0} {1}"}
	StatusExperimental = Message{"MSG_EXPERIMENTAL", "information", "business-rule", "status-check", "Reference to experimental {0} {1}"}
	StatusDraft        = Message{"MSG_DRAFT", "information", "business-rule", "status-check", "Reference to draft {0} {1}"}

	// About value sets and their parts.
	UnknownValueSet     = Message{"Unable_to_resolve_value_Set_", "error", "not-found", "not-found", "A definition for the value Set '{0}' could not be found"}
	UnknownImport       = Message{"VS_EXP_IMPORT_UNK", "error", "not-found", "unknown", "Unable to find included value set '{0}'"}
	UnknownPinnedImport = Message{"VS_EXP_IMPORT_UNK_PINNED", "error", "not-found", "not-found", "Unable to find included value set '{0}' version '{1}'"}
	ImportCycle         = Message{"VALUESET_CIRCULAR_REFERENCE", "error", "processing", "vs-invalid", "Found a circularity pointing to {0} processing ValueSet with pathway {1}"}
	SupplementMissing   = Message{"VALUESET_SUPPLEMENT_MISSING", "error", "not-found", "not-found", "Required supplement not found: {0}"}
	SupplementsMissing  = Message{"VALUESET_SUPPLEMENT_MISSING", "error", "not-found", "not-found", "Required supplements not found: {0}"}
	FilterWithoutValue  = Message{"UNABLE_TO_HANDLE_SYSTEM_FILTER_WITH_NO_VALUE", "error", "invalid", "vs-invalid", "The system {0} filter with property = {1}, op = {2} has no value"}
	FilterNotUnderstood = Message{"FILTER_NOT_UNDERSTOOD", "error", "not-supported", "vs-invalid", "The filter \"{0} {1} {2}\" is not understood or supported"}
	InvalidConstraint   = Message{"INVALID_ECL", "error", "invalid", "vs-invalid", "Invalid ECL expression: '{0}': ({1})"}
	FilterCodeUnknown   = Message{"FILTER_CODE_UNKNOWN", "error", "not-found", "vs-invalid", "The filter \"{0} {1} {2}\" cannot be applied: the code '{2}' is not known in the CodeSystem '{3}'"}
	InvalidRegex        = Message{"INVALID_REGEX", "error", "invalid", "vs-invalid", "The regex '{0}' is not valid: {1}"}
	TooManyIssues       = Message{"", "error", "too-costly", "", "The answer has more than {0} issues. Check fewer codings at once, or against a value set that names fewer versions of a code system"}
	TooCostly           = Message{"VALUESET_TOO_COSTLY", "error", "too-costly", "", "The value set '{0}' expansion has too many codes to produce ({1})"}
)

// Say returns the text of a message with args.
func (m *Message) Say(args ...string) string {
	if len(args) == 0 {
		return m.Text
	}
	size := len(m.Text)
	for _, arg := range args {
		size += min(len(arg), maxText)
	}
	var b strings.Builder
	b.Grow(size)
	rest := m.Text
	for {
		at := strings.IndexByte(rest, '{')
		if at < 0 || at+2 >= len(rest) || rest[at+2] != '}' {
			b.WriteString(rest)
			return b.String()
		}
		b.WriteString(rest[:at])
		if n := int(rest[at+1] - '0'); n < len(args) {
			b.WriteString(shortened(args[n]))
		}
		rest = rest[at+3:]
	}
}

// Enumerate returns a list of names in words. last is the word before the last name if there are
// more than two.
func Enumerate(names []string, last string) string {
	switch n := len(names); n {
	case 0:
		return ""
	case 1:
		return names[0]
	case 2:
		return names[0] + " or " + names[1]
	default:
		return strings.Join(names[:n-1], ", ") + " " + last + " " + names[n-1]
	}
}

// maxText is the largest part of a client's text that a message repeats, in bytes.
const maxText = 1 << 10

// shortened returns text, cut if it is longer than maxText.
func shortened(text string) string {
	if len(text) <= maxText {
		return text
	}
	return strings.ToValidUTF8(text[:maxText-len("…")], "") + "…"
}
