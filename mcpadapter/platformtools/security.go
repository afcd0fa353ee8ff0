package platformtools

import (
	"context"
	"slices"

	"github.com/roget-health/roget/adapters/platform"
)

// addSecurity adds the tools about security. Each takes one request. The audit itself is a
// command only.
func addSecurity(r *registry) {
	add(r, reads, "security_settings", "Security settings", "Settings about passwords, expiry, registration and lockout.",
		func(ctx context.Context, c *platform.Client, _ On) (*platform.SecuritySettings, error) {
			return c.System().SecuritySettings(ctx)
		})
	add(r, reads, "security_authorities", "Own authorities", "Authorities of the account, and which dangerous categories they are in.",
		func(ctx context.Context, c *platform.Client, _ On) (Account, error) {
			names, err := c.System().Authorization(ctx)
			if err != nil {
				return Account{}, err
			}
			return accountOf(names), nil
		})
	add(r, reads, "security_version", "Version posture", "Whether the version of the server is supported. No release feed is asked.",
		func(ctx context.Context, c *platform.Client, _ On) (platform.VersionPosture, error) {
			return c.System().VersionPosture(ctx)
		})
}

// Account is what an account may do.
type Account struct {
	Authorities []string   `json:"authorities"`
	IsSuperuser bool       `json:"is_superuser"`
	Categories  []Category `json:"categories"`
}

// Category is a group of authorities that are dangerous in the same way. Platform toolkit,
// section 5.3.
type Category struct {
	Key         string   `json:"key"`
	Label       string   `json:"label"`
	Description string   `json:"description"`
	Matched     []string `json:"matched"`
}

// accountOf sorts and classifies authorities, by their exact names.
func accountOf(names []string) Account {
	a := Account{Authorities: slices.Compact(slices.Sorted(slices.Values(names))), Categories: []Category{}}
	if a.Authorities == nil {
		a.Authorities = []string{}
	}
	a.IsSuperuser = slices.Contains(names, "ALL")
	for _, c := range dangerous() {
		c.Matched = slices.DeleteFunc(c.Matched, func(name string) bool { return !slices.Contains(names, name) })
		if len(c.Matched) > 0 {
			a.Categories = append(a.Categories, c)
		}
	}
	return a
}

// dangerous returns the categories with all of their authorities.
func dangerous() []Category {
	return []Category{
		{"superuser", "Superuser", "may do everything", []string{"ALL"}},
		{"user_management", "User management", "creates, changes and impersonates users, and grants roles and groups", []string{
			"F_USER_ADD", "F_USER_ADD_WITHIN_MANAGED_GROUP", "F_USER_DELETE", "F_USER_DELETE_WITHIN_MANAGED_GROUP", "F_USER_VIEW", "F_REPLICATE_USER",
			"F_IMPERSONATE_USER", "F_USERROLE_PUBLIC_ADD", "F_USERROLE_PRIVATE_ADD", "F_USERROLE_DELETE",
			"F_USERGROUP_PUBLIC_ADD", "F_USERGROUP_PRIVATE_ADD", "F_USERGROUP_DELETE",
		}},
		{"app_management", "App management", "installs apps and scripts that run in the browsers of others", []string{"M_dhis-web-app-management", "F_INSERT_CUSTOM_JS_CSS"}},
		{"sql_views", "SQL views", "runs SQL on the database", []string{"F_SQLVIEW_PUBLIC_ADD", "F_SQLVIEW_PRIVATE_ADD", "F_SQLVIEW_DELETE"}},
		{"route_management", "Route management", "makes the server call other servers", []string{"F_ROUTE_PUBLIC_ADD", "F_ROUTE_PRIVATE_ADD", "F_ROUTE_DELETE"}},
		{"metadata_io", "Import and export", "imports and exports in bulk", []string{"F_METADATA_IMPORT", "F_METADATA_EXPORT", "F_EXPORT_DATA", "F_SKIP_DATA_IMPORT_AUDIT"}},
		{"system_settings", "System settings", "changes settings and sees facts of the server", []string{"F_SYSTEM_SETTING", "F_VIEW_SERVER_INFO", "F_MOBILE_SETTINGS", "F_OAUTH2_CLIENT_MANAGE"}},
		{"tracker_admin", "Tracker administration", "searches tracked entities everywhere and merges them", []string{"F_TRACKED_ENTITY_INSTANCE_SEARCH_IN_ALL_ORGUNITS", "F_TRACKED_ENTITY_MERGE"}},
		{"data_admin", "Data administration", "runs maintenance, predictors and jobs", []string{"F_PERFORM_MAINTENANCE", "F_DATA_APPROVAL_LEVEL", "F_GENERATE_MIN_MAX_VALUES", "F_PREDICTOR_RUN", "F_SCHEDULING_ADMIN"}},
	}
}
