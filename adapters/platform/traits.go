package platform

import "slices"

// Traits is what differs between the majors and can be said in a table. Platform toolkit,
// sections 7.2 and 7.3.
type Traits struct {
	Major Major

	OAuth2IDKey      string    // member that has the id of an OAuth2 client
	OAuth2SecretKey  string    // and its secret
	OAuth2GrantsKey  string    // and its grant types
	OAuth2List       ListShape // how it has members of many values
	OAuth2ListFields string    // fields that tell how clients log in
	RouteAuthTypes   []string  // authentication that a route may have, sorted

	HygieneUserFields string // fields of /api/users that tell of passwords and second factors
	TwoFactor         TwoFactorSource
	PasswordDatePath  []string // members that lead to the date a password was set

	AuthoritiesList         bool // /api/authorities answers; 500 otherwise
	SharingExternal         bool // sharing objects have externalAccess
	CategoryComboRegenerate bool // saving a category combo makes its option combos anew
	Features                []Feature
}

// ListShape is how a record on the wire has many values in one member.
type ListShape string

// Shapes: a JSON array, or a text with commas between.
const (
	ListArray ListShape = "array"
	ListCSV   ListShape = "csv"
)

// TwoFactorSource is where the platform tells who has a second factor.
type TwoFactorSource string

// Sources: a member of each user, or /api/users/twoFactor, which may be absent.
const (
	TwoFactorUserField TwoFactorSource = "userField"
	TwoFactorEndpoint  TwoFactorSource = "endpoint"
)

// Feature is something that a major has or has not.
type Feature string

// Features of the platform.
const (
	FeatureOAuth2Server    Feature = "oauth2-server"     // built in, with the keys of section 1.6.8
	FeatureTwoFactorDetail Feature = "two-factor-detail" // /api/users/twoFactor tells names
	FeatureVerifiedEmail   Feature = "verified-email"    // setting enforceVerifiedEmail
	FeatureAppDisplayName  Feature = "app-display-name"  // documented member of apps; on the wire before
	FeatureImportEnums     Feature = "import-enums"      // in the OpenAPI document; the values are accepted before
	FeatureCategoryAlias   Feature = "category-alias"    // category combos accept categorys
	FeatureStrictDataSet   Feature = "strict-data-set"   // data of an element in several data sets needs its data set
	FeatureProgramExtras   Feature = "program-extras"    // labels, change log, enrollment category combo
)

// Has reports whether the major has a feature.
func (t *Traits) Has(feature Feature) bool { return slices.Contains(t.Features, feature) }

// Traits returns a copy of the major's row; nil for one that is not supported.
func (m Major) Traits() *Traits {
	if !m.Supported() {
		return nil
	}
	t := &Traits{ // of 42
		Major:       m,
		OAuth2IDKey: "clientId", OAuth2SecretKey: "clientSecret", OAuth2GrantsKey: "authorizationGrantTypes", OAuth2List: ListCSV,
		OAuth2ListFields:  "clientId,displayName,authorizationGrantTypes,redirectUris",
		RouteAuthTypes:    []string{RouteAuthHeaders, RouteAuthQueryParams, RouteAuthToken, RouteAuthBasic, RouteAuthOAuth2},
		HygieneUserFields: "id,username,disabled,email,lastLogin,passwordLastUpdated,userRoles[id]",
		TwoFactor:         TwoFactorEndpoint,
		PasswordDatePath:  []string{"passwordLastUpdated"},
		AuthoritiesList:   true, SharingExternal: true, CategoryComboRegenerate: true,
		Features: []Feature{FeatureOAuth2Server, FeatureTwoFactorDetail, FeatureVerifiedEmail, FeatureAppDisplayName, FeatureImportEnums, FeatureCategoryAlias},
	}
	switch m {
	case 41:
		t.OAuth2IDKey, t.OAuth2SecretKey, t.OAuth2GrantsKey, t.OAuth2List = "cid", "secret", "grantTypes", ListArray
		t.OAuth2ListFields = "cid,displayName,grantTypes,redirectUris"
		t.RouteAuthTypes = t.RouteAuthTypes[:4]
		t.HygieneUserFields = "id,username,disabled,email,lastLogin,passwordLastUpdated,twoFactorEnabled,userCredentials[twoFA,passwordLastUpdated],userRoles[id]"
		t.TwoFactor, t.PasswordDatePath, t.AuthoritiesList = TwoFactorUserField, []string{"userCredentials", "passwordLastUpdated"}, false
		t.Features = []Feature{FeatureCategoryAlias}
	case 43:
		t.SharingExternal, t.CategoryComboRegenerate = false, false
		t.Features = append(t.Features[:5], FeatureStrictDataSet, FeatureProgramExtras)
	}
	return t
}
