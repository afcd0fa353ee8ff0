package platform

import "slices"

// Features are the differences between majors that fit in a table. Platform toolkit, sections 7.2
// and 7.3.
type Features struct {
	Major Major

	OAuth2IDKey      string    // member with the id of an OAuth2 client
	OAuth2SecretKey  string    // member with its secret
	OAuth2GrantsKey  string    // member with its grant types
	OAuth2List       ListShape // encoding of its members with several values
	OAuth2ListFields string    // fields that show how clients log in
	RouteAuthTypes   []string  // kinds of authentication that a route may have, sorted

	HygieneUserFields string // fields of /api/users about passwords and second factors
	TwoFactor         TwoFactorSource
	PasswordDatePath  []string // path to the date on which a password was set

	AuthoritiesList         bool      // /api/authorities works; otherwise it answers 500
	SharingExternal         bool      // sharing objects have externalAccess
	CategoryComboRegenerate bool      // saving a category combo creates its option combos again
	Set                     []Feature // features that the major has
}

// A ListShape is the encoding of several values in one member.
type ListShape string

// Shapes: a JSON array, or a text with commas between the values.
const (
	ListArray ListShape = "array"
	ListCSV   ListShape = "csv"
)

// A TwoFactorSource is the place where the platform shows which users have a second factor.
type TwoFactorSource string

// Sources: a member of each user, or /api/users/twoFactor, which may be absent.
const (
	TwoFactorUserField TwoFactorSource = "userField"
	TwoFactorEndpoint  TwoFactorSource = "endpoint"
)

// A Feature is a capability that some majors lack.
type Feature string

// Features of the platform.
const (
	FeatureOAuth2Server    Feature = "oauth2-server"     // built in, with the configuration keys of section 1.6.8
	FeatureTwoFactorDetail Feature = "two-factor-detail" // /api/users/twoFactor returns names
	FeatureVerifiedEmail   Feature = "verified-email"    // setting enforceVerifiedEmail
	FeatureAppDisplayName  Feature = "app-display-name"  // documented member of apps; sent by earlier majors too
	FeatureImportEnums     Feature = "import-enums"      // in the OpenAPI document; earlier majors accept the values too
	FeatureCategoryAlias   Feature = "category-alias"    // category combos accept categorys
	FeatureStrictDataSet   Feature = "strict-data-set"   // data of an element in several data sets must name its data set
	FeatureProgramExtras   Feature = "program-extras"    // labels, change log, enrollment category combo
)

// Has reports whether the major has a feature.
func (t *Features) Has(feature Feature) bool { return slices.Contains(t.Set, feature) }

// Features returns a copy of the major's row, or nil if the major is not supported.
func (m Major) Features() *Features {
	if !m.Supported() {
		return nil
	}
	t := &Features{ // major 42
		Major:       m,
		OAuth2IDKey: "clientId", OAuth2SecretKey: "clientSecret", OAuth2GrantsKey: "authorizationGrantTypes", OAuth2List: ListCSV,
		OAuth2ListFields:  "clientId,displayName,authorizationGrantTypes,redirectUris",
		RouteAuthTypes:    []string{RouteAuthHeaders, RouteAuthQueryParams, RouteAuthToken, RouteAuthBasic, RouteAuthOAuth2},
		HygieneUserFields: "id,username,disabled,email,lastLogin,passwordLastUpdated,userRoles[id]",
		TwoFactor:         TwoFactorEndpoint,
		PasswordDatePath:  []string{"passwordLastUpdated"},
		AuthoritiesList:   true, SharingExternal: true, CategoryComboRegenerate: true,
		Set: []Feature{FeatureOAuth2Server, FeatureTwoFactorDetail, FeatureVerifiedEmail, FeatureAppDisplayName, FeatureImportEnums, FeatureCategoryAlias},
	}
	switch m {
	case 41:
		t.OAuth2IDKey, t.OAuth2SecretKey, t.OAuth2GrantsKey, t.OAuth2List = "cid", "secret", "grantTypes", ListArray
		t.OAuth2ListFields = "cid,displayName,grantTypes,redirectUris"
		t.RouteAuthTypes = t.RouteAuthTypes[:4]
		t.HygieneUserFields = "id,username,disabled,email,lastLogin,passwordLastUpdated,twoFactorEnabled,userCredentials[twoFA,passwordLastUpdated],userRoles[id]"
		t.TwoFactor, t.PasswordDatePath, t.AuthoritiesList = TwoFactorUserField, []string{"userCredentials", "passwordLastUpdated"}, false
		t.Set = []Feature{FeatureCategoryAlias}
	case 43:
		t.SharingExternal, t.CategoryComboRegenerate = false, false
		t.Set = append(t.Set[:5], FeatureStrictDataSet, FeatureProgramExtras)
	}
	return t
}
