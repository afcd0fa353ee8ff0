package platform

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// TestWebMessage: both shapes of conflicts as rows. Platform toolkit, section 2.5.
// Rows of docs/platform.md: 7.14.
func TestWebMessage(t *testing.T) {
	for _, test := range []struct {
		name, body string
		want       *WebMessage
	}{
		{
			"created", `{"httpStatus":"Created","httpStatusCode":201,"status":"OK","response":{"responseType":"ObjectReport","uid":"Rte00000001","klass":"org.hisp.dhis.route.Route","errorReports":[]}}`,
			&WebMessage{HTTPStatus: "Created", HTTPStatusCode: 201, Status: "OK", UID: "Rte00000001"},
		},
		{
			"a token", `{"status":"OK","response":{"key":"d2pat_EXAMPLE","uid":"Tok00000001"}}`,
			&WebMessage{Status: "OK", UID: "Tok00000001"},
		},
		{
			"counts and conflicts of data", `{"status":"WARNING","response":{"importCount":{"imported":1,"updated":2,"ignored":3,"deleted":4},"conflicts":[
			{"object":"Dat00000001","property":"value","value":"not a number","errorCode":"E7619","indexes":[0,2]},{"object":"dataSet","value":"none"}]}}`,
			&WebMessage{Status: "WARNING", Counts: &ImportCounts{1, 2, 3, 4}, Conflicts: []Conflict{
				{UID: "Dat00000001", Property: "value", Value: "not a number", ErrorCode: "E7619", Indexes: []int{0, 2}}, {Resource: "dataSet", Value: "none"},
			}},
		},
		{
			"counts without a member of their own", `{"status":"OK","response":{"imported":1,"deleted":2}}`,
			&WebMessage{Status: "OK", Counts: &ImportCounts{Imported: 1, Deleted: 2}},
		},
		{
			"conflicts of metadata", `{"status":"ERROR","message":"m","response":{"typeReports":[{"klass":"org.hisp.dhis.dataset.DataSet","objectReports":[
			{"uid":"Set00000001","errorReports":[{"errorCode":"E5002","errorProperty":"id","message":"z","errorProperties":["a","b"]},{"errorCode":"E4000","message":"y","value":7}]}]},
			{"klass":"org.hisp.dhis.dataelement.DataElement","objectReports":[{"klass":"Own","uid":"Dat00000001","errorReports":[{"errorCode":"E1","message":"x"}]},{"errorReports":[{"mainId":"Dat00000002"}]}]}]}}`,
			&WebMessage{Status: "ERROR", Message: "m", Conflicts: []Conflict{
				{Resource: "DataElement", UID: "Dat00000002"},
				{Resource: "DataSet", UID: "Set00000001", Value: "7", ErrorCode: "E4000", Message: "y"},
				{Resource: "DataSet", UID: "Set00000001", Property: "id", Value: "a", ErrorCode: "E5002", Message: "z"},
				{Resource: "Own", UID: "Dat00000001", ErrorCode: "E1", Message: "x"},
			}},
		},
		{
			"a job", `{"status":"OK","response":{"jobType":"ANALYTICS_TABLE","id":"Job00000001"}}`,
			&WebMessage{Status: "OK", Job: &Job{"ANALYTICS_TABLE", "Job00000001"}},
		},
		{
			"an import summary alone", `{"status":"SUCCESS","importCount":{"imported":5},"conflicts":[{"value":"v"}]}`,
			&WebMessage{Status: "SUCCESS", Counts: &ImportCounts{Imported: 5}, Conflicts: []Conflict{{Value: "v"}}},
		},
		{
			"members that do not fit", `{"status":"ERROR","httpStatusCode":"409","message":["a"],"response":{"uid":5,"importCount":[],"conflicts":[{"indexes":"no","value":{"a":1}}]}}`,
			&WebMessage{Status: "ERROR", Message: `["a"]`, UID: "5", Counts: &ImportCounts{}, Conflicts: []Conflict{{Value: `{"a":1}`}}},
		},
		{"no envelope", `{"id":"x"}`, nil},
		{"no object", `["a"]`, nil},
		{"no JSON", `<html>`, nil},
	} {
		got := (&APIError{Body: []byte(test.body)}).WebMessage()
		if !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s:\ngot  %+v\nwant %+v", test.name, got, test.want)
		}
	}
}

// TestBodies: what an error keeps and shows of bodies that are not web messages.
// Rows of docs/platform.md: 7.14.
func TestBodies(t *testing.T) {
	long := strings.Repeat("text ", maxText)
	e := newAPIError(Request{}, 502, []byte(long))
	if len(e.Body) != maxText || len(e.Detail()) > maxDetail+len("...") || !strings.HasPrefix(e.Detail(), "text text") {
		t.Errorf("%d bytes are kept and %d said", len(e.Body), len(e.Detail()))
	}
	valid := fmt.Sprintf(`{"message":%q}`, long)
	if e := newAPIError(Request{}, 409, []byte(valid)); len(e.Body) != len(valid) || len(e.Detail()) > maxDetail+len("...") {
		t.Error("an envelope is cut")
	}
	for body, want := range map[string]string{
		"": "", `{"a":1}`: "", "one\x1b[31m\ntwo": "one[31m two", "<TITLE>a&b</TITLE>": "a&b", "<title>": "<title>",
	} {
		if got := (&APIError{Body: []byte(body)}).Detail(); got != want {
			t.Errorf("%q: %q", body, got)
		}
	}
	if e := newAPIError(Request{}, 599, nil); e.Error() != "API error (599): Unknown status" {
		t.Error(e)
	}
}
