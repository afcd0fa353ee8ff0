package audit

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/roget-health/roget/adapters/platform"
)

const (
	usersPath     = "/api/users"
	twoFactorPath = "/api/users/twoFactor"
)

// maxSample is the number of user names in a finding about many accounts.
const maxSample = 10

// seedUsername is the account that a new installation has.
const seedUsername = "admin"

// A user is an account as the check of accounts judges it.
type user struct {
	id, username string
	disabled     bool
	email        string
	lastLogin    age
	password     age // when it was set
	super        bool
	privileged   bool
	secured      bool // has a second factor
	securedKnown bool
}

// An age is how long ago something happened.
type age struct {
	never bool // it never did
	days  int  // in whole days; 0 for a time that cannot be read or is to come
}

// ageOf returns the age of a time of the platform. One that cannot be read counts as recent.
func ageOf(text string, now time.Time) age {
	if text == "" {
		return age{never: true}
	}
	at, err := platform.ParseTime(text)
	if err != nil {
		return age{}
	}
	return age{days: max(0, int(now.Sub(at)/(24*time.Hour)))}
}

// over reports whether more days have passed than a threshold.
func (a age) over(days int) bool { return !a.never && a.days > days }

// hygieneInput is the input of the check of accounts.
type hygieneInput struct {
	users      []user // in the order of the platform
	stale      int    // days
	password   int    // days
	missing    int    // superusers without a second factor, as the summary of the platform says
	unsecured  []string
	unreadable string // why the platform does not say who has a second factor; "" if it does
	byUser     bool   // the users' own records say it
	note       string
}

func (s *Scanner) hygiene(ctx context.Context) (Result, error) {
	roles, err := readList[struct {
		ID          string   `json:"id"`
		Authorities []string `json:"authorities"`
	}](ctx, s, rolesPath, "userRoles", fields("id,authorities"))
	if err != nil {
		return Result{}, err
	}
	authorities := map[string][]string{}
	for _, role := range roles {
		if role.ID == "" || role.Authorities == nil {
			return Result{}, &readError{rolesPath, errForm}
		}
		authorities[role.ID] = role.Authorities
	}
	raw, err := readList[json.RawMessage](ctx, s, usersPath, "users", fields(s.features.HygieneUserFields))
	if err != nil {
		return Result{}, err
	}
	in := hygieneInput{stale: s.options.StaleDays, password: s.options.MaxPasswordAge, byUser: s.features.TwoFactor == platform.TwoFactorUserField}
	for _, text := range raw {
		u, err := s.user(text, authorities)
		if err != nil {
			return Result{}, err
		}
		in.users = append(in.users, u)
	}
	if !in.byUser {
		s.readTwoFactor(ctx, &in)
	}
	return reduceHygiene(in), nil
}

// user reads an account.
func (s *Scanner) user(raw json.RawMessage, authorities map[string][]string) (user, error) {
	var record struct {
		ID        string               `json:"id"`
		Username  string               `json:"username"`
		Disabled  bool                 `json:"disabled"`
		Email     string               `json:"email"`
		LastLogin platform.Timestamp   `json:"lastLogin"`
		Password  platform.Timestamp   `json:"passwordLastUpdated"`
		UserRoles []platform.Reference `json:"userRoles"`
		Nested    struct {
			Password platform.Timestamp `json:"passwordLastUpdated"`
		} `json:"userCredentials"`
	}
	if json.Unmarshal(raw, &record) != nil || record.ID == "" && record.Username == "" {
		return user{}, &readError{usersPath, errForm}
	}
	u := user{
		id: record.ID, username: record.Username, disabled: record.Disabled, email: strings.TrimSpace(record.Email),
		lastLogin: ageOf(record.LastLogin.String(), s.options.Now), password: ageOf(record.Password.String(), s.options.Now),
	}
	if record.Password.IsZero() {
		u.password = ageOf(record.Nested.Password.String(), s.options.Now)
	}
	for _, ref := range record.UserRoles {
		u.super = u.super || isSuper(authorities[ref.ID])
		u.privileged = u.privileged || privileged(authorities[ref.ID])
	}
	u.secured, u.securedKnown = s.features.Major.Codec().UserTwoFactor(raw)
	return u, nil
}

func reduceHygiene(in hygieneInput) Result {
	r := newRecorder(CheckHygiene)
	r.evaluated(
		"hygiene-priv-disabled-holds-roles", "hygiene-priv-never-logged-in", "hygiene-priv-stale", "hygiene-priv-no-email", "hygiene-agg-never-logged-in",
		"hygiene-agg-stale", "hygiene-agg-stale-password", "hygiene-seed-admin-enabled", "hygiene-inventory",
	)
	if in.note != "" {
		r.note("%s", in.note)
	}
	var never, stale, oldPassword []string
	active, disabled, powerful := 0, 0, 0
	for _, u := range in.users {
		if u.privileged {
			powerful++
		}
		if u.disabled {
			disabled++
		} else {
			active++
		}
		switch {
		case u.privileged:
			reducePrivileged(r, u, in.stale)
		case u.disabled:
		case u.lastLogin.never:
			never = append(never, u.username)
		case u.lastLogin.over(in.stale):
			stale = append(stale, u.username)
		}
		if !u.disabled && (u.password.never || u.password.over(in.password)) {
			oldPassword = append(oldPassword, u.username)
		}
		if u.username == seedUsername && !u.disabled {
			r.flag(Finding{
				Control: "hygiene-seed-admin-enabled", Severity: Medium, Title: "The account admin is enabled", Subject: u.username,
				Detail: "Everybody knows this name, so attackers try it first.",
			})
		}
	}
	aggregate(r, "hygiene-agg-never-logged-in", "active-never-logged-in", "Accounts that nobody has used", "Active accounts that have never logged in", never)
	aggregate(r, "hygiene-agg-stale", "active-stale", "Accounts that nobody uses", fmt.Sprintf("Active accounts that have not logged in for more than %d days", in.stale), stale)
	aggregate(r, "hygiene-agg-stale-password", "stale-password", "Old passwords", fmt.Sprintf("Active accounts whose password is older than %d days, or was never set", in.password), oldPassword)
	reduceTwoFactor(r, in)
	if len(in.users) > 0 {
		r.flag(Finding{
			Control: "hygiene-inventory", Severity: Info, Title: "Accounts",
			Detail:   fmt.Sprintf("Accounts: %d, of which active: %d, disabled: %d, privileged: %d.", len(in.users), active, disabled, powerful),
			Evidence: map[string]string{"total": strconv.Itoa(len(in.users)), "active": strconv.Itoa(active), "disabled": strconv.Itoa(disabled), "privileged": strconv.Itoa(powerful)},
		})
	}
	return r.done()
}

// reducePrivileged judges one privileged account.
func reducePrivileged(r *recorder, u user, stale int) {
	flag := func(id, group string, severity Severity, title, detail string) {
		r.flag(Finding{Control: id, GroupKey: group, Severity: severity, Title: title, Detail: detail, Subject: u.username, Evidence: map[string]string{"id": u.id}})
	}
	if u.disabled {
		flag("hygiene-priv-disabled-holds-roles", "disabled-privileged", Medium, "A disabled account holds privileged roles", "If somebody enables the account, it has all of its power at once.")
		return
	}
	switch {
	case u.lastLogin.never:
		flag("hygiene-priv-never-logged-in", "never-logged-in", High, "A privileged account was never used", "Nobody has ever logged in, so it may still have its first password.")
	case u.lastLogin.over(stale):
		flag("hygiene-priv-stale", "stale", Medium, "A privileged account is not used", fmt.Sprintf("The last login was %d days ago.", u.lastLogin.days))
	}
	if u.email == "" {
		flag("hygiene-priv-no-email", "no-email", Warn, "A privileged account has no email address", "Nobody can be notified about the account.")
	}
}

// aggregate records one finding about many accounts.
func aggregate(r *recorder, id, group, title, what string, usernames []string) {
	if len(usernames) == 0 {
		return
	}
	sample := strings.Join(usernames[:min(maxSample, len(usernames))], ", ")
	text := sample
	if more := len(usernames) - maxSample; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	r.flag(Finding{
		Control: id, GroupKey: group, Severity: Warn, Title: title, Detail: fmt.Sprintf("%s: %d, which are %s", what, len(usernames), text),
		Evidence: map[string]string{"count": strconv.Itoa(len(usernames)), "sample": sample},
	})
}
