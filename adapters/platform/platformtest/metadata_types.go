package platformtest

import "strings"

// kind is a metadata type that /api/schemas describes.
type kind struct {
	singular, plural, pack string
	shareable              bool
	fields                 []property
}

func (k kind) name() string  { return strings.ToUpper(k.singular[:1]) + k.singular[1:] }
func (k kind) klass() string { return "org.hisp.dhis." + k.pack + "." + k.name() }

// property is a member of a type. of is the class of the value, or of the items of a collection. values are
// the values of an enumeration.
type property struct {
	name, propertyType string
	required           bool
	of                 string
	values             []string
	description        string
}

var (
	id          = property{name: "id", propertyType: "IDENTIFIER", description: "The unique identifier of this object."}
	code        = property{name: "code", propertyType: "IDENTIFIER", description: "The unique code of this object."}
	name        = property{name: "name", propertyType: "TEXT", required: true, description: "The name of this object. Required and unique."}
	shortName   = property{name: "shortName", propertyType: "TEXT", required: true}
	description = property{name: "description", propertyType: "TEXT"}
	created     = property{name: "created", propertyType: "DATE", description: "The date this object was created."}
	lastUpdated = property{name: "lastUpdated", propertyType: "DATE", description: "The date this object was last updated."}
	createdBy   = property{name: "createdBy", propertyType: "REFERENCE", of: "org.hisp.dhis.user.User"}
	sharing     = property{name: "sharing", propertyType: "COMPLEX", of: "org.hisp.dhis.user.sharing.Sharing"}
	common      = []property{id, code, created, lastUpdated, createdBy, sharing}
)

func with(fields ...property) []property { return append(common[:len(common):len(common)], fields...) }

func collectionOf(name, klass string) property {
	return property{name: name, propertyType: "COLLECTION", of: "org.hisp.dhis." + klass}
}

// types are the metadata types, sorted by name.
var types = []kind{
	{"interpretation", "interpretations", "interpretation", true, with(name, collectionOf("comments", "interpretation.InterpretationComment"))},
	{"category", "categories", "category", true, with(name, shortName, collectionOf("categoryOptions", "category.CategoryOption"))},
	{"dashboard", "dashboards", "dashboard", true, with(name, description)},
	{"dataElement", "dataElements", "dataelement", true, with(name, shortName, description,
		property{name: "valueType", propertyType: "CONSTANT", required: true, of: "org.hisp.dhis.common.ValueType", values: []string{"NUMBER", "INTEGER", "TEXT", "BOOLEAN", "DATE"}, description: "The data type of values."},
		property{name: "aggregationType", propertyType: "CONSTANT", of: "org.hisp.dhis.analytics.AggregationType", values: []string{"SUM", "AVERAGE", "COUNT", "NONE"}},
		property{name: "domainType", propertyType: "CONSTANT", of: "org.hisp.dhis.dataelement.DataElementDomain", values: []string{"AGGREGATE", "TRACKER"}},
		property{name: "zeroIsSignificant", propertyType: "BOOLEAN"},
		property{name: "optionSet", propertyType: "REFERENCE", of: "org.hisp.dhis.option.OptionSet"})},
	{"dataSet", "dataSets", "dataset", true, with(name, shortName,
		property{name: "periodType", propertyType: "TEXT", required: true},
		property{name: "openFuturePeriods", propertyType: "INTEGER"},
		collectionOf("organisationUnits", "organisationunit.OrganisationUnit"))},
	{"indicator", "indicators", "indicator", true, with(name, shortName,
		property{name: "numerator", propertyType: "TEXT", required: true}, property{name: "denominator", propertyType: "TEXT", required: true})},
	{"optionSet", "optionSets", "option", true, with(name, collectionOf("options", "option.Option"))},
	{"organisationUnit", "organisationUnits", "organisationunit", false, with(name, shortName,
		property{name: "openingDate", propertyType: "DATE", required: true}, property{name: "level", propertyType: "INTEGER"},
		property{name: "parent", propertyType: "REFERENCE", of: "org.hisp.dhis.organisationunit.OrganisationUnit"})},
	{"program", "programs", "program", true, with(name, shortName,
		property{name: "programType", propertyType: "CONSTANT", required: true, of: "org.hisp.dhis.program.ProgramType", values: []string{"WITH_REGISTRATION", "WITHOUT_REGISTRATION"}})},
	{"route", "routes", "route", true, with(name, property{name: "url", propertyType: "URL", required: true}, property{name: "disabled", propertyType: "BOOLEAN"},
		property{name: "responseTimeoutSeconds", propertyType: "INTEGER"})},
	{"user", "users", "user", false, with(property{name: "username", propertyType: "TEXT", required: true}, property{name: "firstName", propertyType: "TEXT", required: true},
		property{name: "surname", propertyType: "TEXT", required: true}, property{name: "email", propertyType: "EMAIL"}, property{name: "disabled", propertyType: "BOOLEAN"},
		collectionOf("userRoles", "user.UserRole"), collectionOf("userGroups", "user.UserGroup"))},
	{"userGroup", "userGroups", "user", true, with(name, collectionOf("users", "user.User"))},
	{"userRole", "userRoles", "user", true, with(name, description, property{name: "authoritys", propertyType: "COLLECTION"}, collectionOf("users", "user.User"))},
	{"visualization", "visualizations", "visualization", true, with(name,
		property{name: "type", propertyType: "CONSTANT", required: true, of: "org.hisp.dhis.visualization.VisualizationType", values: []string{"COLUMN", "LINE", "PIE"}},
		property{name: "baseLineValue", propertyType: "NUMBER"})},
}

func fieldsOf(plural string) []property {
	for _, t := range types {
		if t.plural == plural {
			return t.fields
		}
	}
	return nil
}
