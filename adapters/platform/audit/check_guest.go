package audit

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/roget-health/roget/adapters/platform"
)

// An exposure is a response to a request without login.
type exposure struct {
	path    string
	status  int
	json    bool
	login   bool   // a redirect to a login page
	problem string // why there is no response
}

// guestInput is the input of the check of access without login.
type guestInput struct {
	exposures []exposure
	roleName  string // for self-registration; "" if there is none
	noRole    string // why that is not known; "" if it is
	recovery  bool
	noSetting string
}

// guestPaths are the paths that must not be open, with the severity if they are.
var guestPaths = []struct {
	path     string
	severity Severity
}{{usersPath, Critical}, {rolesPath, High}, {mePath, High}}

func (s *Scanner) guest(ctx context.Context) (Result, error) {
	client, err := bare(s.guard, s.base, anonymous{}, s.bare)
	if err != nil {
		return Result{}, err
	}
	var in guestInput
	for _, each := range guestPaths {
		e := exposure{path: each.path}
		response, err := probe(ctx, client, each.path)
		if err != nil {
			e.problem = err.Error()
		} else {
			e.status, e.json = response.Status, isJSON(response)
			e.login = response.Status >= 300 && response.Status < 400 && platform.IsLogin(response.Header.Get("Location"))
		}
		in.exposures = append(in.exposures, e)
	}
	in.roleName, in.noRole = s.registrationRole(ctx)
	kept, err := s.readSettings(ctx, nil)
	if err != nil {
		in.noSetting = why("system settings", err)
	} else if recovery, known := kept.is("keyAccountRecovery"); known {
		in.recovery = recovery
	} else {
		in.noSetting = "the setting is unset"
	}
	return reduceGuest(in), nil
}

// registrationRole reads the role for self-registration. The platform answers with an object, or with
// nothing if there is none.
func (s *Scanner) registrationRole(ctx context.Context) (name, unknown string) {
	const path = "/api/configuration/selfRegistrationRole"
	response, err := s.client.Do(ctx, platform.Request{Path: path, Header: ajax()})
	if err != nil {
		return "", why("role for self-registration", err)
	}
	body := bytes.TrimSpace(response.Body)
	if len(body) == 0 || string(body) == "null" {
		return "", ""
	}
	var role map[string]json.RawMessage
	if json.Unmarshal(body, &role) != nil {
		return "", "role for self-registration unreadable: " + errForm.Error()
	}
	for _, member := range []string{"name", "displayName", "id"} {
		if json.Unmarshal(role[member], &name) == nil && name != "" {
			return name, ""
		}
	}
	return "", ""
}

func reduceGuest(in guestInput) Result {
	const readable, registration, recovery = "guest-anonymous-readable-endpoint", "guest-self-registration-enabled", "guest-account-recovery-enabled"
	r := newRecorder(CheckGuest)
	r.evaluated(readable)
	for i, e := range in.exposures {
		switch {
		case e.problem != "":
			r.skip(fmt.Sprintf("%s without login got no answer: %s", e.path, e.problem), readable)
		case e.status == http.StatusOK && e.json:
			r.flag(Finding{
				Control: readable, Severity: guestPaths[i].severity, Title: "Data can be read without login", Subject: e.path,
				Detail: fmt.Sprintf("%s answers requests without login.", e.path), Evidence: map[string]string{"path": e.path, "status": fmt.Sprint(e.status)},
			})
		case e.status == http.StatusUnauthorized, e.status == http.StatusForbidden, e.login:
		default:
			r.skip(fmt.Sprintf("%s without login was answered with %d, which says neither yes nor no", e.path, e.status), readable)
		}
	}
	switch {
	case in.noRole != "":
		r.skip(in.noRole, registration)
	case in.roleName != "":
		r.flag(Finding{
			Control: registration, Severity: High, Title: "Anybody can register an account", Subject: in.roleName,
			Detail: "Self-registration is on. New accounts get the role that is named.", Evidence: map[string]string{"role": in.roleName},
		})
	default:
		r.evaluated(registration)
	}
	switch {
	case in.noSetting != "":
		r.skip(in.noSetting, recovery)
	case in.recovery:
		r.flag(Finding{Control: recovery, Severity: Info, Title: "Accounts can be recovered by mail", Detail: "Whoever can read the mail of a user can take over the account."})
	default:
		r.evaluated(recovery)
	}
	return r.done()
}
