package valueset

import (
	"strings"

	"github.com/roget-health/roget/resources/r4"
)

// versionsMatch is the parameter of a compose that makes codes of different versions of a system
// equal.
const versionsMatch = "versionsMatch"

// Parameters returns the expansion parameters in a compose: those of the extension
// valueset-expansion-parameter, and those of the R6 element property, as property.
func Parameters(compose *r4.Compose) []r4.Parameter {
	if compose == nil {
		return nil
	}
	var list []r4.Parameter
	for i := range compose.Extension {
		x := &compose.Extension[i]
		if !strings.HasSuffix(x.URL, "/StructureDefinition/valueset-expansion-parameter") {
			continue
		}
		name, value := x.Extension.Text("name"), x.Extension.Find("value")
		if name != "" && value != nil {
			list = append(list, r4.Parameter{Name: name, Value: value.Value})
		}
	}
	for _, code := range compose.Properties() {
		list = append(list, r4.Parameter{Name: "property", Value: r4.Code(code)})
	}
	return list
}

// VersionsMatch returns the extension that sets the parameter versionsMatch of a compose.
func VersionsMatch(yes bool) r4.Extension {
	return r4.Extension{
		URL: "http://hl7.org/fhir/StructureDefinition/valueset-expansion-parameter",
		Extension: r4.Extensions{
			{URL: "name", Value: r4.Code(versionsMatch)},
			{URL: "value", Value: r4.Boolean(yes)},
		},
	}
}
