package audit

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

const settingsPath = "/api/systemSettings"

// settings are the system settings that the audit judges. A setting that is unset is absent.
type settings map[string]json.RawMessage

// judged are the keys of settings that are kept from a response. All others are dropped at once.
var judged = []string{
	"minPasswordLength", "keyLockMultipleFailedLogins", "credentialsExpires", "keySelfRegistrationNoRecaptcha",
	"keyCanGrantOwnUserAuthorityGroups", "enforceVerifiedEmail", "keyAccountRecovery", "keyEmailHostName", "keyEmailUsername",
	"keyCustomJs", "keyCustomCss",
}

// readSettings reads the system settings.
func (s *Scanner) readSettings(ctx context.Context, query url.Values) (settings, error) {
	var all map[string]json.RawMessage
	if err := s.read(ctx, settingsPath, query, &all); err != nil {
		return nil, err
	}
	kept := settings{}
	for _, key := range judged {
		if value, there := all[key]; there && string(value) != "null" {
			kept[key] = value
		}
	}
	return kept, nil
}

// text returns a setting as text, without quotes.
func (s settings) text(key string) string {
	var text string
	if json.Unmarshal(s[key], &text) == nil {
		return strings.TrimSpace(text)
	}
	return strings.TrimSpace(string(s[key]))
}

// is returns a setting that is true or false. known is false if it is unset or neither.
func (s settings) is(key string) (on, known bool) {
	on, err := strconv.ParseBool(strings.ToLower(s.text(key)))
	return on, err == nil
}

// number returns a setting that is a whole number. known is false if it is unset or none.
func (s settings) number(key string) (n int, known bool) {
	f, err := strconv.ParseFloat(s.text(key), 64)
	return int(f), err == nil && f >= 0 && f < 1e9
}

// settingsInput is the input of the check of settings.
type settingsInput struct {
	settings  settings
	whitelist []string
	unlisted  string // why there is no whitelist; "" if there is
}

func (s *Scanner) settings(ctx context.Context) (Result, error) {
	kept, err := s.readSettings(ctx, nil)
	if err != nil {
		return Result{}, err
	}
	in := settingsInput{settings: kept, whitelist: []string{}}
	if err := s.read(ctx, "/api/configuration/corsWhitelist", nil, &in.whitelist); err != nil {
		in.unlisted = why("CORS whitelist", err)
	}
	return reduceSettings(in), nil
}

func reduceSettings(in settingsInput) Result {
	r := newRecorder(CheckSettings)
	const unset = "the setting is unset"
	const length = "settings-weak-min-password-length"
	if n, known := in.settings.number("minPasswordLength"); !known {
		r.skip(unset, length)
	} else if r.evaluated(length); n < 8 {
		r.flag(Finding{
			Control: length, Severity: Medium, Title: "Short passwords are allowed", Detail: fmt.Sprintf("Passwords of %d characters are accepted.", n),
			Evidence: map[string]string{"minPasswordLength": strconv.Itoa(n)},
		})
	}
	for _, rule := range []struct {
		id, key       string
		bad           bool
		severity      Severity
		title, detail string
	}{
		{"settings-lockout-disabled", "keyLockMultipleFailedLogins", false, Medium, "Accounts are not locked after failed logins", "Passwords can be guessed without limit."},
		{"settings-self-registration-captcha-off", "keySelfRegistrationNoRecaptcha", true, Medium, "Self-registration needs no captcha", "Programs can register accounts."},
		{"settings-can-grant-own-authorities", "keyCanGrantOwnUserAuthorityGroups", true, High, "Users may grant the roles that they have", "Whoever may create users can pass on all of their own rights."},
		{"settings-email-verification-not-enforced", "enforceVerifiedEmail", false, Warn, "Email addresses are not verified", "An account may have an address that belongs to somebody else."},
	} {
		on, known := in.settings.is(rule.key)
		if !known {
			r.skip(unset, rule.id)
			continue
		}
		if r.evaluated(rule.id); on == rule.bad {
			r.flag(Finding{Control: rule.id, Severity: rule.severity, Title: rule.title, Detail: rule.detail, Evidence: map[string]string{rule.key: strconv.FormatBool(on)}})
		}
	}
	r.evaluated("settings-passwords-never-expire", "settings-email-feature-without-smtp")
	if months, known := in.settings.number("credentialsExpires"); !known || months == 0 {
		r.flag(Finding{Control: "settings-passwords-never-expire", Severity: Warn, Title: "Passwords never expire", Detail: "credentialsExpires is unset or 0."})
	}
	recovery, _ := in.settings.is("keyAccountRecovery")
	verified, _ := in.settings.is("enforceVerifiedEmail")
	if (recovery || verified) && (in.settings.text("keyEmailHostName") == "" || in.settings.text("keyEmailUsername") == "") {
		r.flag(Finding{
			Control: "settings-email-feature-without-smtp", Severity: Warn, Title: "Features that send mail have no mail server",
			Detail:   "Account recovery or email verification is on, but the host or the user of the mail server is blank.",
			Evidence: map[string]string{"keyAccountRecovery": strconv.FormatBool(recovery), "enforceVerifiedEmail": strconv.FormatBool(verified)},
		})
	}
	reduceWhitelist(r, in)
	r.remark(Finding{
		Severity: Info, Title: "No switch for second factors",
		Detail: "The platform has no setting that requires a second factor of everybody. Users enrol one by one; see the check of accounts.",
	})
	return r.done()
}

func reduceWhitelist(r *recorder, in settingsInput) {
	const wildcard, allowed = "settings-cors-wildcard", "settings-cors-allowlist"
	if in.unlisted != "" {
		r.skip("whitelist unreadable: "+in.unlisted, wildcard, allowed)
		return
	}
	r.evaluated(wildcard, allowed)
	list := strings.Join(in.whitelist, ", ")
	switch {
	case strings.Contains(list, "*"):
		r.flag(Finding{Control: wildcard, Severity: Medium, Title: "The CORS whitelist has a wildcard", Detail: "Sites that nobody has named may read responses.", Evidence: map[string]string{"whitelist": list}})
	case len(in.whitelist) > 0:
		r.flag(Finding{Control: allowed, Severity: Info, Title: "Other origins are on the CORS whitelist", Detail: fmt.Sprintf("%s may read responses.", list), Evidence: map[string]string{"whitelist": list}})
	}
}
