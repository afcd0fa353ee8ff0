package platformtest_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/roget-health/roget/adapters/platform/platformtest"
)

func TestLists(t *testing.T) {
	a := ask(t, platformtest.Options{})
	id := func(uids ...string) string {
		b, _ := json.Marshal(uids)
		return string(b)
	}
	for _, test := range []struct{ query, want string }{
		{"filter=name:eq:Malaria deaths", id("Del00000002")},
		{"filter=name:!eq:Malaria deaths", id("Del00000001", "Del00000003")},
		{"filter=name:ieq:MALARIA DEATHS", id("Del00000002")},
		{"filter=name:like:alaria d", id("Del00000002")},
		{"filter=name:ilike:MALARIA", id("Del00000001", "Del00000002")},
		{"filter=name:$ilike:lab", id("Del00000003")},
		{"filter=name:ilike$:RESULT", id("Del00000003")},
		{"filter=name:token:res lab", id("Del00000003")},
		{"filter=name:gt:Malaria cases", id("Del00000002")},
		{"filter=name:ge:Malaria cases", id("Del00000001", "Del00000002")},
		{"filter=name:lt:Malaria cases", id("Del00000003")},
		{"filter=name:le:Malaria cases", id("Del00000001", "Del00000003")},
		{"filter=id:in:[Del00000003,Del00000001]", id("Del00000001", "Del00000003")},
		{"filter=id:!in:[Del00000003,Del00000001]", id("Del00000002")},
		{"filter=code:null", id("Del00000002")},
		{"filter=code:!null", id("Del00000001", "Del00000003")},
		{"filter=code:empty", id("Del00000002")},
		{"filter=optionSet.name:eq:Results", id("Del00000003")},
		{"filter=code:null&filter=valueType:eq:TEXT", id()},
		{"filter=code:null&filter=valueType:eq:TEXT&rootJunction=OR", id("Del00000002", "Del00000003")},
		{"order=name:desc", id("Del00000002", "Del00000001", "Del00000003")},
		{"order=valueType:asc&order=name:desc", id("Del00000002", "Del00000001", "Del00000003")},
	} {
		status, body, _ := a.do("GET", "/api/dataElements?paging=false&fields=id&"+strings.ReplaceAll(test.query, " ", "%20"), "")
		var list struct{ DataElements []struct{ ID string } }
		err := json.Unmarshal([]byte(body), &list)
		var uids []string
		for _, each := range list.DataElements {
			uids = append(uids, each.ID)
		}
		if got := id(uids...); err != nil || status != 200 || got != test.want && (uids != nil || test.want != "null") {
			t.Errorf("%s: %d %s, want %s", test.query, status, body, test.want)
		}
	}
	a.get("/api/dataElements?page=2&pageSize=2", `{"dataElements":[{"displayName":"Laboratory result","id":"Del00000003"}],"pager":{"page":2,"pageCount":2,"pageSize":2,"total":3}}`)
	a.get("/api/userRoles?paging=false&fields=name,users~size&filter=id:eq:Rol00000001", `{"userRoles":[{"name":"Superuser","users":1}]}`)
	a.get("/api/users/Usr00000001?fields=userGroups,teiSearchOrganisationUnits", `{"teiSearchOrganisationUnits":[],"userGroups":[]}`)
	a.get("/api/userRoles/Rol00000009?fields=authorities,users", `{"authorities":[],"users":[]}`)
	a.get("/api/users/Usr00000002?fields=username,userRoles[id,displayName],userGroups", `{"userGroups":[{"id":"Grp00000001"}],"userRoles":[{"displayName":"Clerk","id":"Rol00000002"}],"username":"nurse"}`)
	a.get("/api/indicators?paging=false&fields=:identifiable,!created,!lastUpdated,shortName~rename(short)", `{"indicators":[{"displayName":"Case fatality","id":"Ind00000001","name":"Case fatality","short":"CFR"}]}`)
	a.get("/api/dataElements?paging=false&locale=fr&fields=displayName&filter=id:eq:Del00000001", `{"dataElements":[{"displayName":"Cas de paludisme"}]}`)
	a.get("/api/dataElements?filter=name", "400 invalid filter")
	a.get("/api/dataElements?filter=name:near:x", "400 invalid filter")
	a.get("/api/dataElements?fields=a[b", "400 missing ]")
	a.get("/api/dataElements?order=name:up", "400 invalid order")
	a.get("/api/nothings", "404 No such path")
	a.get("/api/users/admin", "405 not supported")
	a.get("/api/dataElements/Del00000009", `404 "message":"DataElement with id Del00000009 could not be found."`)
}

// TestFields: presets, numbers, members of lists, and what cannot be read.
func TestFields(t *testing.T) {
	a := ask(t, platformtest.Options{Objects: map[string][]platformtest.Object{"sqlViews": {{"id": "Sql00000001", "name": "View", "count": 9}, {"id": "Sql00000002", "name": "Other", "count": 10}}}})
	for path, want := range map[string]string{
		"sqlViews?paging=false&filter=count:gt:9":                                                 `{"sqlViews":[{"displayName":"Other","id":"Sql00000002"}]}`,
		"sqlViews?paging=false&filter=count:lt:10&fields=count":                                   `{"sqlViews":[{"count":9}]}`,
		"users?paging=false&filter=userRoles.id:eq:Rol00000002&fields=username":                   `{"users":[{"username":"nurse"}]}`,
		"users?paging=false&filter=userRoles.name:in:[Superuser,Guest]&fields=username":           `{"users":[{"username":"admin"}]}`,
		"users?paging=false&query=NORA&fields=username":                                           `{"users":[{"username":"nurse"}]}`,
		"organisationUnits?paging=false&filter=level:eq:1&fields=:nameable,!created,!lastUpdated": `{"organisationUnits":[{"code":"ROOT","displayName":"Country","id":"Org00000001","name":"Country","shortName":"Country"}]}`,
		"organisationUnits/Org00000002?fields=:owner,!created,!lastUpdated":                       `{"id":"Org00000002","level":2,"name":"North","openingDate":"1990-01-01T00:00:00.000","parent":{"id":"Org00000001"},"shortName":"North"}`,
		"organisationUnits/Org00000002?fields=parent[name,parent],name~rename(n)":                 `{"n":"North","parent":{"name":"Country"}}`,
		"userGroups/Grp00000001?fields=:simple,!created,!lastUpdated":                             `{"code":"LAB","displayName":"Laboratory","id":"Grp00000001","name":"Laboratory"}`,
		"userGroups/Grp00000001?fields=users~isEmpty,users~size~rename(count)":                    `{"count":1,"users":false}`,
		"schemas?fields=name,metadata,properties[name]&paging=false":                              `200 {"metadata":false,"name":"sharing","properties":[]}]}`,
		"schemas/dataElement":                             `200 "constants":["NUMBER","INTEGER","TEXT","BOOLEAN","DATE"]`,
		"schemas/nothing":                                 "404 nothing",
		"dataElements?fields=a]":                          "400 unexpected ]",
		"dataElements?fields=a~near":                      "400 unknown transformer",
		"dataElements?fields=" + strings.Repeat("a[", 20): "400 too deeply",
		"me?fields=a[":                                    "400 missing ]",
		"schemas?fields=a[":                               "400 missing ]",
		"dataElements/Del00000001?fields=a[":              "400 missing ]",
	} {
		a.get("/api/"+path, want)
	}
}
