package audit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/auth"
)

const mePath = "/api/me"

// seedPassword is the password that a new installation has, which its manual prints.
const seedPassword = "district"

// probeInput is the input of the check of default credentials.
type probeInput struct {
	refused string // why no login was tried; "" if one was
	status  int
	json    bool // the response was a JSON object
	lockout bool // the failed login counts towards locking the account
}

func (s *Scanner) credentialProbe(ctx context.Context) (Result, error) {
	if !s.options.CredentialProbe {
		return reduceProbe(probeInput{refused: "the probe is turned off"}), nil
	}
	var in probeInput
	if kept, err := s.readSettings(ctx, nil); err == nil {
		in.lockout, _ = kept.is("keyLockMultipleFailedLogins")
	}
	if err := errors.Join(ctx.Err(), s.guard.Err()); err != nil {
		return Result{}, err
	}
	if s.options.BeforeLogin != nil {
		if err := s.options.BeforeLogin(); err != nil {
			return reduceProbe(probeInput{refused: err.Error()}), nil //nolint:nilerr // the reason is in the result
		}
	}
	client, err := bare(s.guard, s.base, auth.NewBasic(seedUsername, auth.NewSecret(seedPassword)), s.bare)
	if err != nil {
		return Result{}, err
	}
	response, err := probe(ctx, client, mePath)
	if err != nil {
		return Result{}, &readError{mePath, err}
	}
	in.status, in.json = response.Status, isObject(response)
	return reduceProbe(in), nil
}

// isObject reports whether a response is a JSON object that says it is JSON.
func isObject(response *platform.Response) bool {
	body := bytes.TrimSpace(response.Body)
	return isJSON(response) && bytes.HasPrefix(body, []byte("{")) && json.Valid(body)
}

func reduceProbe(in probeInput) Result {
	const id = "credential-probe-default"
	r := newRecorder(CheckCredentialProbe)
	if in.refused != "" {
		r.result.Status = StatusSkipped
		r.note("No login was tried: %s.", in.refused)
		r.skip(in.refused, id)
		return r.done()
	}
	if in.lockout {
		r.note("The platform locks accounts after failed logins; the attempt counted as one failed login of %s.", seedUsername)
	}
	evidence := map[string]string{"status": fmt.Sprint(in.status)}
	switch {
	case in.status == http.StatusOK && in.json:
		r.flag(Finding{
			Control: id, Severity: Critical, Title: "The default login works", Subject: seedUsername, Evidence: evidence,
			Detail: "Anybody can log in with the user name and password that a new installation has.",
		})
	case in.status == http.StatusUnauthorized:
		r.evaluated(id)
	default:
		r.skip(fmt.Sprintf("the login was answered with %d, which says neither yes nor no", in.status), id)
		r.remark(Finding{
			Severity: Info, Title: "The test of the default login says nothing", Evidence: evidence,
			Detail: fmt.Sprintf("The login was answered with %d, neither accepted nor refused. Test it by hand.", in.status),
		})
	}
	return r.done()
}
