package audit

import (
	"slices"
)

// A Category is a group of authorities that are dangerous in the same way. Platform toolkit, section 5.3.
type Category struct {
	Key         string   `json:"key"`
	Label       string   `json:"label"`
	Description string   `json:"description"`
	Authorities []string `json:"-"`
	Severity    Severity `json:"-"` // of a role that grants one; of superuser, if the role has no members
}

const superuser = "superuser"

// Categories returns the taxonomy of dangerous authorities.
func Categories() []Category {
	return []Category{
		{superuser, "Superuser", "every right there is", []string{"ALL"}, High},
		{"user_management", "User management", "create, change, replicate and impersonate users, or grant roles and groups", []string{
			"F_USER_ADD", "F_USER_ADD_WITHIN_MANAGED_GROUP", "F_USER_DELETE", "F_USER_DELETE_WITHIN_MANAGED_GROUP", "F_USER_VIEW", "F_REPLICATE_USER",
			"F_IMPERSONATE_USER", "F_USERROLE_PUBLIC_ADD", "F_USERROLE_PRIVATE_ADD", "F_USERROLE_DELETE", "F_USERGROUP_PUBLIC_ADD",
			"F_USERGROUP_PRIVATE_ADD", "F_USERGROUP_DELETE",
		}, High},
		{"app_management", "App management", "install apps and inject scripts, which run in the browsers of all users", []string{"M_dhis-web-app-management", "F_INSERT_CUSTOM_JS_CSS"}, High},
		{"sql_views", "SQL views", "run SQL on the database of the platform", []string{"F_SQLVIEW_PUBLIC_ADD", "F_SQLVIEW_PRIVATE_ADD", "F_SQLVIEW_DELETE"}, High},
		{"route_management", "Route management", "make the server send requests to other servers", []string{"F_ROUTE_PUBLIC_ADD", "F_ROUTE_PRIVATE_ADD", "F_ROUTE_DELETE"}, High},
		{"metadata_io", "Import and export", "import and export metadata and data in bulk", []string{"F_METADATA_IMPORT", "F_METADATA_EXPORT", "F_EXPORT_DATA", "F_SKIP_DATA_IMPORT_AUDIT"}, High},
		{"system_settings", "System settings", "change settings of the system and see facts of the server", []string{"F_SYSTEM_SETTING", "F_VIEW_SERVER_INFO", "F_MOBILE_SETTINGS", "F_OAUTH2_CLIENT_MANAGE"}, Medium},
		{"tracker_admin", "Tracker administration", "search tracked entities everywhere, or merge them", []string{"F_TRACKED_ENTITY_INSTANCE_SEARCH_IN_ALL_ORGUNITS", "F_TRACKED_ENTITY_MERGE"}, Medium},
		{"data_admin", "Data administration", "run maintenance, predictors and jobs, and manage approval levels", []string{"F_PERFORM_MAINTENANCE", "F_DATA_APPROVAL_LEVEL", "F_GENERATE_MIN_MAX_VALUES", "F_PREDICTOR_RUN", "F_SCHEDULING_ADMIN"}, Medium},
	}
}

// A Match is a category with the authorities of an account or role that are in it.
type Match struct {
	Category
	Matched []string `json:"matched"`
}

// Classify returns the categories that authorities belong to, by exact names.
func Classify(authorities []string) []Match {
	matches := []Match{}
	for _, category := range Categories() {
		var matched []string
		for _, name := range category.Authorities {
			if slices.Contains(authorities, name) {
				matched = append(matched, name)
			}
		}
		if matched != nil {
			matches = append(matches, Match{category, matched})
		}
	}
	return matches
}

// An Account is the view of an account's authorities.
type Account struct {
	Authorities []string `json:"authorities"` // sorted
	IsSuperuser bool     `json:"is_superuser"`
	Categories  []Match  `json:"categories"`
}

// NewAccount returns the view of authorities.
func NewAccount(authorities []string) Account {
	sorted := slices.Compact(slices.Sorted(slices.Values(authorities)))
	if sorted == nil {
		sorted = []string{}
	}
	return Account{Authorities: sorted, IsSuperuser: isSuper(sorted), Categories: Classify(sorted)}
}

func isSuper(authorities []string) bool { return slices.Contains(authorities, "ALL") }

// privileged reports whether authorities hold ALL or any category.
func privileged(authorities []string) bool { return len(Classify(authorities)) > 0 }
