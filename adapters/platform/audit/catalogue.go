package audit

import "slices"

// A Control is a question that a check answers.
type Control struct {
	Check      Key
	ID         string
	Title      string
	Severities []Severity // that its findings may have, worst first
	Remedy     string
}

// Controls returns the catalogue of controls, in the order of the checks. Platform toolkit, section 5.5.
func Controls() []Control { return slices.Clone(catalogue) }

// Remedy returns what to do about the findings of a control.
func Remedy(id string) string {
	if i := slices.IndexFunc(catalogue, func(c Control) bool { return c.ID == id }); i >= 0 {
		return catalogue[i].Remedy
	}
	return ""
}

var catalogue = []Control{
	{CheckVersion, "version-unparseable", "Server version readable", of(Info), "Let the audit account read the system information."},
	{CheckVersion, "version-eol-below-min-line", "Line within tool support", of(High), "Upgrade to a line from 2.41 on."},
	{CheckVersion, "version-eol-feed-unsupported", "Line still maintained", of(High), "Upgrade to a line that is maintained."},
	{CheckVersion, "version-newer-line-available", "Newer line exists", of(Info), "Plan an upgrade. Being on an older maintained line is not a fault."},
	{CheckVersion, "version-below-advisory-floor", "At or above the security floor", of(High), "Install the patch that fixes the advisories."},
	{CheckVersion, "version-patch-currency", "Latest patch installed", of(Warn), "Install the latest patch of the line."},

	{CheckTransport, "transport-no-tls", "HTTPS base URL", of(High), "Terminate TLS in front of the platform and use an https address."},
	{CheckTransport, "transport-no-hsts", "HSTS sent", of(Medium), "Send Strict-Transport-Security from the proxy."},
	{CheckTransport, "transport-weak-hsts", "HSTS long enough", of(Medium, Warn), "Set max-age to at least 31536000, which is a year."},
	{CheckTransport, "transport-no-csp", "CSP sent", of(Medium), "Enable a Content-Security-Policy."},
	{CheckTransport, "transport-weak-csp", "CSP strict", of(Medium), "Tighten the directives that are named."},
	{CheckTransport, "transport-no-anti-framing", "Framing blocked", of(Warn), "Send X-Frame-Options again, or frame-ancestors in the enforced policy."},
	{CheckTransport, "transport-no-nosniff", "MIME sniffing off", of(Warn), "Send X-Content-Type-Options: nosniff; stop the proxy from removing it."},
	{CheckTransport, "transport-cross-origin-isolation", "COOP/COEP/CORP set", of(Info), "Set the missing headers at the proxy."},
	{CheckTransport, "transport-cors-credentialed-any-origin", "No credentialed CORS for anyone", of(High), "Restrict the CORS whitelist to the origins that need it."},
	{CheckTransport, "transport-cors-any-origin", "No CORS for anyone", of(Warn), "Restrict the CORS whitelist unless the data are meant to be public."},
	{CheckTransport, "transport-cors-credentialed-specific-origin", "Credentialed origins reviewed", of(Warn), "Confirm that the origin is trusted."},
	{CheckTransport, "transport-server-version-disclosure", "Server header generic", of(Warn), "Remove versions from the Server header."},

	{CheckSettings, "settings-weak-min-password-length", "Minimum password length", of(Medium), "Raise minPasswordLength to 8 or more."},
	{CheckSettings, "settings-lockout-disabled", "Lockout on failed logins", of(Medium), "Turn on keyLockMultipleFailedLogins."},
	{CheckSettings, "settings-passwords-never-expire", "Passwords expire", of(Warn), "Set credentialsExpires to a number of months."},
	{CheckSettings, "settings-self-registration-captcha-off", "Captcha on self-registration", of(Medium), "Require a captcha for self-registration."},
	{CheckSettings, "settings-can-grant-own-authorities", "No self-granting", of(High), "Turn off keyCanGrantOwnUserAuthorityGroups."},
	{CheckSettings, "settings-email-verification-not-enforced", "Verified e-mail required", of(Warn), "Turn on enforceVerifiedEmail."},
	{CheckSettings, "settings-cors-wildcard", "No CORS wildcard", of(Medium), "List the origins instead of a wildcard."},
	{CheckSettings, "settings-cors-allowlist", "CORS list reviewed", of(Info), "Review each origin of the list."},
	{CheckSettings, "settings-email-feature-without-smtp", "Mail features have SMTP", of(Warn), "Configure the mail server, or turn the features off."},

	{CheckAuthorities, "authorities-audited-superuser", "Audit account not superuser", of(Info), "Audit with an account of less power, or accept this."},
	{CheckAuthorities, "authorities-audited-category", "Audit account free of risky rights", of(Info), "Audit with an account of less power, or accept this."},

	{CheckRoles, "roles-grants-all-in-use", "No role with ALL in use", of(Critical), "Reduce the members to a few people who are named."},
	{CheckRoles, "roles-grants-all-unused", "No idle role with ALL", of(High), "Delete the role."},
	{CheckRoles, "roles-dangerous-authorities", "No risky rights in other roles", of(High, Medium), "Split the role, so that few people have the risky rights."},

	{CheckHygiene, "hygiene-priv-disabled-holds-roles", "Disabled accounts stripped", of(Medium), "Remove the roles of the account."},
	{CheckHygiene, "hygiene-priv-never-logged-in", "Privileged accounts used", of(High), "Disable the account."},
	{CheckHygiene, "hygiene-priv-stale", "Privileged accounts current", of(Medium), "Disable the account."},
	{CheckHygiene, "hygiene-priv-no-email", "Privileged accounts reachable", of(Warn), "Add an email address."},
	{CheckHygiene, "hygiene-agg-never-logged-in", "Ordinary accounts used", of(Warn), "Disable accounts that nobody uses."},
	{CheckHygiene, "hygiene-agg-stale", "Ordinary accounts current", of(Warn), "Disable accounts that nobody uses any more."},
	{CheckHygiene, "hygiene-agg-stale-password", "Passwords rotated", of(Warn), "Make these users change their passwords."},
	{CheckHygiene, "hygiene-seed-admin-enabled", "Seed account gone", of(Medium), "Rename or disable the account admin."},
	{CheckHygiene, "hygiene-2fa-superuser", "Superusers have 2FA", of(Critical), "Have every superuser enrol a second factor."},
	{CheckHygiene, "hygiene-inventory", "Account inventory", of(Info), "None. The finding is for context."},

	{CheckCredentialProbe, "credential-probe-default", "Default login refused", of(Critical), "Change the password of admin now."},

	{CheckGuest, "guest-anonymous-readable-endpoint", "Login required", of(Critical, High), "Close the endpoint to requests without login."},
	{CheckGuest, "guest-self-registration-enabled", "Self-registration off", of(High), "Unset the role for self-registration."},
	{CheckGuest, "guest-account-recovery-enabled", "Recovery reviewed", of(Info), "Make sure that the way of the mail can be trusted."},

	{CheckApps, "apps-side-loaded", "Apps come from the hub", of(High), "Install the app from the app hub, or review its code."},
	{CheckApps, "apps-update-available", "Apps current", of(Medium), "Update the app."},
	{CheckApps, "apps-custom-js", "No injected script", of(High), "Remove keyCustomJs."},
	{CheckApps, "apps-custom-css", "No injected style", of(High), "Remove keyCustomCss."},

	{CheckSharing, "sharing-external", "Nothing anonymous", of(High), "Switch off external access."},
	{CheckSharing, "sharing-public-write-data", "No public write on data types", of(High), "Restrict public access, and share with groups."},
	{CheckSharing, "sharing-public-write-metadata", "No public write on metadata", of(Medium), "Restrict public access, and share with groups."},
	{CheckSharing, "sharing-public-sql-view", "SQL views not public", of(Medium), "Restrict public access to the SQL view."},
	{CheckSharing, "sharing-public-read-data", "Data not publicly readable", of(Medium), "Restrict public access, and share with groups."},

	{CheckAuthMethods, "auth-methods-oidc-provider", "External login reviewed", of(Info), "Confirm that each provider is meant to be there."},
	{CheckAuthMethods, "auth-methods-oauth2-broad-grant", "Narrow grants", of(Medium), "Remove the grant types that are named."},
	{CheckAuthMethods, "auth-methods-oauth2-loose-redirect", "Tight redirects", of(Medium), "Register exact https addresses."},
	{CheckAuthMethods, "auth-methods-oauth2-clean-client", "Clients inventoried", of(Info), "None. The finding is for context."},

	{CheckTokens, "tokens-inventory", "Token inventory", of(Info), "None. The finding is for context."},
	{CheckTokens, "tokens-non-expiring", "Tokens expire", of(High), "Replace the token with one that expires."},
	{CheckTokens, "tokens-expired-not-deleted", "Expired tokens removed", of(Warn), "Delete the token."},
	{CheckTokens, "tokens-no-ip-allowlist", "Tokens bound to addresses", of(High), "Add a list of allowed addresses."},

	{CheckRoutes, "routes-metadata-endpoint", "No cloud-metadata target", of(High), "Delete the route."},
	{CheckRoutes, "routes-private-address", "No internal target", of(High), "Point the route elsewhere, or require an authority that few people have."},
	{CheckRoutes, "routes-allows-subpaths", "Fixed paths", of(Medium), "Write the whole path into the route."},
	{CheckRoutes, "routes-carries-auth", "Stored upstream credentials", of(Info), "None. The finding is for context."},
	{CheckRoutes, "routes-no-required-authorities", "Run is gated", of(Medium), "Require an authority to run the route."},
	{CheckRoutes, "routes-inventory", "Route inventory", of(Info), "None. The finding is for context."},

	{CheckAuditConfig, "audit-config-system-disabled", "Auditing on", of(Medium), "Set system.audit.enabled = on."},
	{CheckAuditConfig, "audit-config-both-sinks-off", "A sink is on", of(Medium), "Turn on audit.logger or audit.database."},
	{CheckAuditConfig, "audit-config-narrow-scope", "Scopes complete", of(Medium), "Audit CREATE, UPDATE, DELETE and SECURITY in every scope."},
}

func of(list ...Severity) []Severity { return list }
