package platformtest

import (
	"math"
	"net/http"
)

// userPaths are the paths that only users have.
var userPaths = map[string]handler{
	"POST /api/users/invite":           (*Platform).invite,
	"POST /api/users/{id}/invite":      (*Platform).mailed,
	"POST /api/users/{id}/reset":       (*Platform).mailed,
	"GET /api/users/twoFactor":         (*Platform).twoFactor,
	"GET /api/users/twoFactor/summary": (*Platform).twoFactorSummary,
}

// invite creates a user without a password. The default user name comes from the email address.
func (p *Platform) invite(r *request) answer {
	user, ok := decode(r.body)
	switch {
	case !ok:
		return malformed()
	case !p.may(r.user, "F_USER_ADD"):
		return forbidden("F_USER_ADD")
	case text(user, "email") == "":
		return refuse(http.StatusConflict, "Cannot send invitation, email is not specified")
	}
	user["username"] = either(text(user, "username"), "invite-"+text(user, "email"))
	if p.userNamed(text(user, "username")) != nil {
		return refuse(http.StatusConflict, "Username already taken: "+text(user, "username"))
	}
	for member, uids := range map[string][]string{"userRoles": references(user["userRoles"]), "organisationUnits": references(user["organisationUnits"])} {
		for _, uid := range uids {
			if p.collections[member].get(uid) == nil {
				return reported("users", "", Object{"message": "Invalid reference [" + uid + "] on object for association `" + member + "`", "errorCode": "E5002", "errorProperty": member, "mainKlass": klass("users")})
			}
		}
		if user[member] == nil {
			user[member] = list()
		}
	}
	user["id"], user["invitation"], user["disabled"], user["userGroups"] = p.uid(p.collections["users"]), true, false, list()
	return p.store(http.StatusCreated, "users", user)
}

// mailed responds to a request to mail a user.
func (p *Platform) mailed(r *request) answer {
	user, refused := p.one(r, "users")
	switch {
	case user == nil:
		return refused
	case !p.may(r.user, "F_USER_ADD"):
		return forbidden("F_USER_ADD")
	case text(user, "email") == "":
		return refuse(http.StatusConflict, "Cannot send mail, the user has no email")
	}
	return answer{status: http.StatusNoContent}
}

// secured reports whether a user has a second factor.
func secured(user Object) bool {
	return either(text(user, "twoFactorType"), "NOT_ENABLED") != "NOT_ENABLED"
}

// twoFactor lists users with a second factor, or with status=DISABLED those without.
func (p *Platform) twoFactor(r *request) answer {
	if refused := p.noTwoFactor(r); refused.status != 0 {
		return refused
	}
	users := []any{}
	for _, user := range p.collections["users"].all() {
		status := "DISABLED"
		if secured(user) {
			status = "ENABLED"
		}
		if asked := r.URL.Query().Get("status"); asked == "" || asked == status {
			users = append(users, Object{"id": user["id"], "username": user["username"], "status": status})
		}
	}
	return found(Object{"users": users})
}

// noTwoFactor refuses: some releases have no such path (V8), and others allow it only to users with ALL.
func (p *Platform) noTwoFactor(r *request) answer {
	switch {
	case !p.Rules().TwoFactor:
		return p.nowhere(r)
	case !p.may(r.user, "ALL"):
		return forbidden("ALL")
	}
	return answer{}
}

func (p *Platform) twoFactorSummary(r *request) answer {
	if refused := p.noTwoFactor(r); refused.status != 0 {
		return refused
	}
	total, enabled, powerful, open := 0, 0, 0, 0
	for _, user := range p.collections["users"].all() {
		total++
		if secured(user) {
			enabled++
		}
		if p.may(user, "ALL") {
			powerful++
			if !secured(user) {
				open++
			}
		}
	}
	return found(Object{
		"totalUsers": total, "enabled": enabled, "disabled": total - enabled, "coveragePercent": math.Round(1000*float64(enabled)/float64(total)) / 10,
		"privileged": Object{"withAllAuthority": powerful, "withAllAuthorityMissing2FA": open},
	})
}
