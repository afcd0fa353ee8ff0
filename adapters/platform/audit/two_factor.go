package audit

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
)

// readTwoFactor reads how many superusers have no second factor, and who they are if that is asked for.
// The endpoints do not exist on every server. Platform versions, V8.
func (s *Scanner) readTwoFactor(ctx context.Context, in *hygieneInput) {
	var summary struct {
		Privileged struct {
			Missing *int `json:"withAllAuthorityMissing2FA"`
		} `json:"privileged"`
	}
	err := s.read(ctx, twoFactorPath+"/summary", nil, &summary)
	switch {
	case statusOf(err) == http.StatusNotFound:
		in.unreadable = "this server has no " + twoFactorPath + "/summary (404), which exists from 2.43.1 and after 2.42.5.2 only"
	case statusOf(err) == http.StatusForbidden:
		in.unreadable = "only superusers may read " + twoFactorPath + "/summary (403)"
	case err != nil:
		in.unreadable = err.Error()
	case summary.Privileged.Missing == nil || *summary.Privileged.Missing < 0:
		in.unreadable = twoFactorPath + "/summary does not have the expected form"
	default:
		in.missing = *summary.Privileged.Missing
	}
	if in.unreadable != "" || in.missing == 0 || !s.options.TwoFactorDetail {
		return
	}
	disabled, err := s.withoutTwoFactor(ctx)
	if err != nil {
		in.note = "The names of superusers without a second factor could not be read: " + err.Error() + "."
		return
	}
	for _, u := range in.users {
		if u.super && slices.Contains(disabled, u.username) {
			in.unsecured = append(in.unsecured, u.username)
		}
	}
}

// withoutTwoFactor returns the names of the users without a second factor.
func (s *Scanner) withoutTwoFactor(ctx context.Context) (names []string, err error) {
	seen := map[string]bool{}
	for page := 1; page <= maxPages; page++ {
		var answer struct {
			Users []struct {
				Username string `json:"username"`
			} `json:"users"`
			Pager struct{ PageCount, Total int } `json:"pager"`
		}
		query := url.Values{"status": {"DISABLED"}, "page": {strconv.Itoa(page)}, "pageSize": {strconv.Itoa(pageSize)}}
		if err := s.read(ctx, twoFactorPath, query, &answer); err != nil {
			return nil, err
		}
		if answer.Users == nil {
			return nil, &readError{twoFactorPath, errForm}
		}
		fresh := false
		for _, u := range answer.Users {
			if !seen[u.Username] {
				seen[u.Username], fresh = true, true
				names = append(names, u.Username)
			}
		}
		switch pager := answer.Pager; {
		case !fresh, pager.PageCount > 0 && page >= pager.PageCount, pager.Total > 0 && len(names) >= pager.Total,
			pager.PageCount == 0 && pager.Total == 0 && len(answer.Users) < pageSize:
			return names, nil
		}
	}
	return names, nil
}

func reduceTwoFactor(r *recorder, in hygieneInput) {
	const id, group, one = "hygiene-2fa-superuser", "superuser-no-2fa", "A superuser has no second factor"
	flag := func(username string) {
		r.flag(Finding{Control: id, GroupKey: group, Severity: Critical, Title: one, Subject: username, Detail: "The password alone opens everything."})
	}
	if in.byUser {
		unknown := 0
		r.evaluated(id)
		for _, u := range in.users {
			switch {
			case !u.super || u.disabled:
			case !u.securedKnown:
				unknown++
			case !u.secured:
				flag(u.username)
			}
		}
		if unknown > 0 {
			r.note("The records of %d superusers do not show whether they have a second factor.", unknown)
			r.skip("the records of some superusers do not show whether they have a second factor", id)
		}
		return
	}
	if in.unreadable != "" {
		r.skip(in.unreadable, id)
		return
	}
	r.evaluated(id)
	for _, username := range in.unsecured {
		flag(username)
	}
	if in.unsecured != nil && len(in.unsecured) < in.missing {
		r.note("The platform counts %d superusers without a second factor; only %d of them are visible.", in.missing, len(in.unsecured))
	}
	if in.missing > 0 && in.unsecured == nil {
		r.flag(Finding{
			Control: id, GroupKey: group, Severity: Critical, Title: "Superusers have no second factor", Evidence: map[string]string{"count": strconv.Itoa(in.missing)},
			Detail: fmt.Sprintf("Accounts with ALL and without a second factor: %d. Their passwords alone open everything.", in.missing),
		})
	}
}
