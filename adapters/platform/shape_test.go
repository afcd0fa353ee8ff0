package platform

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// TestShapes: answers of another shape are errors that say so in the words of JSON, and
// never lists without items. Platform toolkit, sections 2.3 and 2.5.
func TestShapes(t *testing.T) {
	list := func(c *Client) error {
		var into []string
		return c.get(t.Context(), "/api/x", nil, &into)
	}
	object := func(c *Client) error {
		var into struct {
			Text    string `json:"text"`
			Number  int    `json:"number"`
			Boolean bool   `json:"boolean"`
		}
		return c.get(t.Context(), "/api/x", nil, &into)
	}
	group := func(c *Client) error {
		_, err := c.UserGroups().Get(t.Context(), "x", "")
		return err
	}
	for _, test := range []struct {
		read   func(*Client) error
		answer string
		want   string // the end of the error; "" for none
	}{
		{list, `["a"]`, ""},
		{list, `null`, "it is null"},
		{list, `{}`, "it is an object, not an array"},
		{list, `"a"`, "it is a string, not an array"},
		{list, `[1]`, "it is a number, not a string"},
		{object, ` null `, "it is null"},
		{object, `[]`, "it is an array, not an object"},
		{object, `{"text":{}}`, "member text: it is an object, not a string"},
		{object, `{"number":"1"}`, "member number: it is a string, not a number"},
		{object, `{"number":1.5}`, "member number: it is not an integer, or out of range"},
		{object, `{"boolean":[]}`, "member boolean: it is an array, not a boolean"},
		{group, `{"id":"x"}`, ""},
		{group, `[]`, "it is an array, not an object"},
		{group, `{"id":7}`, "member id: it is a number, not a string"},
		{func(c *Client) error { _, err := c.Metadata().TypeNames(t.Context()); return err }, `{}`, `the response has no member called "schemas"`},
		{func(c *Client) error { _, err := c.Metadata().Get(t.Context(), "users", "x", ""); return err }, `null`, "it is null, not an object"},
		{func(c *Client) error { _, err := c.Routes().List(t.Context(), ListOptions{}); return err }, `{}`, `the response has no member called "routes"`},
		{func(c *Client) error { _, err := c.OAuth2Clients().List(t.Context()); return err }, `{}`, `the response has no member called "oAuth2Clients"`},
		{func(c *Client) error { _, err := c.Apps().List(t.Context()); return err }, `null`, "it is null"},
		{func(c *Client) error { _, err := c.Datastore().Namespaces(t.Context()); return err }, `null`, "it is null"},
	} {
		c := serve(t, Options{Pin: 42}, answer(http.StatusOK, test.answer))
		err := test.read(c)
		if test.want == "" && err == nil {
			continue
		}
		if err == nil || test.want == "" || !strings.HasSuffix(err.Error(), test.want) || strings.Contains(err.Error(), "Go ") {
			t.Errorf("%s: %v, want %s", test.answer, err, test.want)
		}
	}
	var records []UserGroup
	if err := unmarshal(json.RawMessage(`[{"users":"x"}]`), &records); err == nil || err.Error() != "member users: it is a string, not an array" {
		t.Error(err)
	}
}
