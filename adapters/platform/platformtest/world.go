package platformtest

import (
	"maps"
	"slices"
)

// now is the time of all writes.
const now = "2026-01-02T03:04:05.000"

// Uids of the initial objects.
const (
	UserID      = "Usr00000001" // of Username
	PlainUserID = "Usr00000002" // of PlainUsername
	RoleID      = "Rol00000001" // Superuser, which has ALL
	PlainRoleID = "Rol00000002" // Clerk
	GroupID     = "Grp00000001" // Laboratory
	RouteID     = "Rte00000001" // of code lab
	OrgUnitID   = "Org00000001"
)

// list returns a list that is never nil, so that its JSON is [], not null.
func list(values ...any) []any { return append([]any{}, values...) }

func refs(uids ...string) []any {
	all := []any{}
	for _, uid := range uids {
		all = append(all, Object{"id": uid})
	}
	return all
}

// populate creates the initial objects and those of the options.
func (p *Platform) populate() {
	p.collections = map[string]*collection{}
	for _, t := range types {
		p.collections[t.plural] = &collection{prefix: t.name()[:3], objects: map[string]Object{}}
	}
	for plural, prefix := range map[string]string{"apiToken": "Tok", "oAuth2Clients": "Clt"} {
		p.collections[plural] = &collection{prefix: prefix, objects: map[string]Object{}}
	}
	p.put("userRoles",
		Object{"id": RoleID, "name": "Superuser", "authorities": list("ALL", "F_USER_ADD"), "users": refs(UserID)},
		Object{"id": PlainRoleID, "name": "Clerk", "description": "Enters data", "authorities": list("F_DATAVALUE_ADD"), "users": refs(PlainUserID)},
		Object{"id": "Rol00000009", "name": "Guest", "authorities": list(), "users": list()})
	p.put("userGroups", Object{"id": GroupID, "name": "Laboratory", "code": "LAB", "users": refs(PlainUserID), "sharing": Object{
		"owner": UserID, "external": false, "public": "r-------", "users": Object{}, "userGroups": Object{},
	}})
	p.passwords = map[string]string{Username: Password, PlainUsername: PlainPassword}
	p.tokens = map[string]string{PAT: "user:" + Username, PlainPAT: "user:" + PlainUsername}
	p.put("users",
		Object{
			"id": UserID, "username": Username, "firstName": "Ada", "surname": "Admin", "email": "ada@platform.example", "openId": Username,
			"disabled": false, "externalAuth": false, "twoFactorType": "NOT_ENABLED", "passwordLastUpdated": "2024-01-01T00:00:00.000", "lastLogin": "2026-01-01T00:00:00.000",
			"userRoles": refs(RoleID), "userGroups": list(), "organisationUnits": refs(OrgUnitID), "dataViewOrganisationUnits": refs(OrgUnitID), "teiSearchOrganisationUnits": list(),
		},
		Object{
			"id": PlainUserID, "username": PlainUsername, "firstName": "Nora", "surname": "Nurse",
			"disabled": false, "externalAuth": false, "twoFactorType": "TOTP_ENABLED", "passwordLastUpdated": "2025-06-01T00:00:00.000",
			"userRoles": refs(PlainRoleID), "userGroups": refs(GroupID), "organisationUnits": refs("Org00000002"), "dataViewOrganisationUnits": list(), "teiSearchOrganisationUnits": list(),
		})
	p.secrets = map[string]Object{RouteID: {"password": "upstream-pass-4711"}}
	p.put("routes", Object{
		"id": RouteID, "code": "lab", "name": "Lab", "url": "https://lab.example/api/**", "disabled": false, "authorities": list("F_LAB"),
		"headers": Object{"Content-Type": "application/json"}, "auth": Object{"type": "http-basic", "username": "u"}, "responseTimeoutSeconds": 5,
	})
	p.metadata()
	p.settings = map[string]any{
		"applicationTitle": "Test", "minPasswordLength": 8, "maxPasswordLength": 72, "credentialsExpires": 0, "credentialsExpiresReminderInDays": 28,
		"credentialsExpiryAlert": false, "keyLockMultipleFailedLogins": false, "keyAccountRecovery": true, "keySelfRegistrationNoRecaptcha": false,
		"keyCanGrantOwnUserAuthorityGroups": false, "keyAnalysisDisplayProperty": "name", "keyEmailHostName": "smtp.platform.example", "keyEmailUsername": "mail",
	}
	if p.options.Major > 41 {
		p.settings["enforceVerifiedEmail"] = false
	}
	p.datastore = map[string]map[string]map[string][]byte{
		"":       {"ns1": {"k1": []byte(`{"a":1}`)}},
		Username: {"mine": {"note": []byte(`"text"`)}},
	}
	p.know()
	p.apps = p.installed()
	p.hub = catalogue()
	p.files = map[string]file{}
	p.schemas = describe()
	p.adopt()
}

// metadata creates objects of some types.
func (p *Platform) metadata() {
	p.put("organisationUnits",
		Object{"id": OrgUnitID, "code": "ROOT", "name": "Country", "shortName": "Country", "openingDate": "1990-01-01T00:00:00.000", "level": 1},
		Object{"id": "Org00000002", "name": "North", "shortName": "North", "openingDate": "1990-01-01T00:00:00.000", "level": 2, "parent": Object{"id": OrgUnitID}},
		Object{"id": "Org00000003", "name": "South", "shortName": "South", "openingDate": "1995-01-01T00:00:00.000", "level": 2, "parent": Object{"id": OrgUnitID}})
	p.put("optionSets", Object{"id": "Ops00000001", "name": "Results", "options": list()})
	p.put("dataElements",
		Object{"id": "Del00000001", "code": "MAL_CASES", "name": "Malaria cases", "shortName": "Malaria", "valueType": "INTEGER", "aggregationType": "SUM", "domainType": "AGGREGATE", "zeroIsSignificant": false, "translations": list(Object{"locale": "fr", "property": "NAME", "value": "Cas de paludisme"})},
		Object{"id": "Del00000002", "name": "Malaria deaths", "shortName": "Deaths", "valueType": "INTEGER", "aggregationType": "SUM", "domainType": "AGGREGATE", "zeroIsSignificant": true},
		Object{"id": "Del00000003", "code": "LAB_RESULT", "name": "Laboratory result", "shortName": "Result", "valueType": "TEXT", "aggregationType": "NONE", "domainType": "TRACKER", "optionSet": Object{"id": "Ops00000001"}})
	p.put("dataSets", Object{"id": "Dat00000001", "name": "Monthly report", "shortName": "Monthly", "periodType": "Monthly", "openFuturePeriods": 0, "organisationUnits": refs("Org00000002", "Org00000003")})
	p.put("indicators", Object{"id": "Ind00000001", "name": "Case fatality", "shortName": "CFR", "numerator": "#{Del00000002}", "denominator": "#{Del00000001}"})
	p.put("programs", Object{"id": "Prg00000001", "name": "Case investigation", "shortName": "Cases", "programType": "WITH_REGISTRATION"})
	p.put("dashboards", Object{"id": "Dsh00000001", "name": "D", "sharing": Object{
		"owner": UserID, "external": false, "public": "rw------", "users": Object{}, "userGroups": Object{GroupID: Object{"id": GroupID, "access": "r-------"}},
	}})
}

// adopt adds the users, objects and settings of the options.
func (p *Platform) adopt() {
	p.settle()
	for i, user := range p.options.Users {
		o := Object{
			"id": p.uid(p.collections["users"]), "username": user.Username, "firstName": either(user.FirstName, user.Username), "surname": either(user.Surname, "User"), "disabled": user.Disabled,
			"externalAuth": false, "twoFactorType": "NOT_ENABLED", "userRoles": refs(user.Roles...), "userGroups": list(), "organisationUnits": list(),
			"dataViewOrganisationUnits": list(), "teiSearchOrganisationUnits": list(),
		}
		if user.Email != "" {
			o["email"] = user.Email
		}
		p.put("users", o)
		p.passwords[user.Username] = p.options.Users[i].Password
		if user.PAT != "" {
			p.tokens[user.PAT] = "user:" + user.Username
		}
	}
	for _, plural := range slices.Sorted(maps.Keys(p.options.Objects)) {
		p.put(plural, p.options.Objects[plural]...)
	}
	maps.Copy(p.settings, p.options.Settings)
	for key, value := range p.options.Settings {
		if value == nil {
			delete(p.settings, key)
		}
	}
}
