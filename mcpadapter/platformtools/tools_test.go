package platformtools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/roget-health/roget/adapters/platform/platformtest"
	"github.com/roget-health/roget/auth"
	"github.com/roget-health/roget/auth/profile"
	"github.com/roget-health/roget/mcpadapter"
	"github.com/roget-health/roget/mcpadapter/platformtools"
)

// A world is a double of the platform, profiles that lead to it, and a client of the SDK.
type world struct {
	*platformtest.Platform
	t       *testing.T
	home    string
	env     map[string]string
	session *mcp.ClientSession
	schemas map[string]*jsonschema.Resolved
	tools   []*mcp.Tool
	over    string // how the client reaches the server: "" in memory, "http", "stdio"
}

// transport starts a server and returns how a client reaches it.
func (w *world) transport(server *mcpadapter.Server) mcp.Transport {
	w.t.Helper()
	switch w.over {
	case "http":
		listener, err := new(net.ListenConfig).Listen(w.t.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			w.t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(w.t.Context())
		w.t.Cleanup(cancel)
		go func() { _ = server.Serve(ctx, listener, mcpadapter.HTTPOptions{}) }()
		return &mcp.StreamableClientTransport{Endpoint: "http://" + listener.Addr().String() + mcpadapter.Path}
	case "stdio":
		in, toServer := io.Pipe()
		fromServer, out := io.Pipe()
		go func() { _ = server.Stdio(w.t.Context(), in, out) }()
		return &mcp.IOTransport{Reader: fromServer, Writer: toServer}
	}
	here, there := mcp.NewInMemoryTransports()
	if _, err := server.MCP().Connect(w.t.Context(), there, nil); err != nil {
		w.t.Fatal(err)
	}
	return here
}

// newWorld connects a client to the tools. Its default profile is prod.
func newWorld(t *testing.T, o platformtest.Options, change ...func(w *world, c *platformtools.Config)) *world {
	t.Helper()
	w := &world{Platform: platformtest.New(t, o), t: t, home: t.TempDir(), env: map[string]string{}, schemas: map[string]*jsonschema.Resolved{}}
	w.add("prod", profile.Profile{BaseURL: w.URL, Auth: profile.PAT, Token: auth.NewSecret(platformtest.PAT)})
	config := platformtools.Config{
		Getenv: func(name string) string { return w.env[name] }, Folder: w.home + "/work", Home: w.home, Version: "v1.2.3",
	}
	for _, apply := range change {
		apply(w, &config)
	}
	server, err := mcpadapter.New(mcpadapter.Config{Toolsets: []mcpadapter.Toolset{platformtools.New(config)}})
	if err != nil {
		t.Fatal(err)
	}
	if w.session, err = mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), w.transport(server), nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.session.Close() })
	for tool, err := range w.session.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		doc, _ := json.Marshal(tool.OutputSchema)
		var schema jsonschema.Schema
		if err := json.Unmarshal(doc, &schema); err != nil {
			t.Fatal(err)
		}
		if w.schemas[tool.Name], err = schema.Resolve(nil); err != nil {
			t.Fatal(err)
		}
		w.tools = append(w.tools, tool)
	}
	return w
}

// add adds a profile; the first becomes the default.
func (w *world) add(name string, p profile.Profile) {
	w.t.Helper()
	registry, err := profile.Open(profile.Options{Getenv: func(name string) string { return w.env[name] }, Folder: w.home + "/work", Home: w.home})
	if err == nil {
		_, err = registry.Add(w.t.Context(), profile.Global, name, p, false)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// call calls a tool and returns its value, or the text of its error. The value validates
// against the schema of the tool, the answer is small, and has no credential.
func (w *world) call(tool string, arguments map[string]any) (text string, failed bool) {
	w.t.Helper()
	result, err := w.session.CallTool(w.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		w.t.Fatalf("%s: %v", tool, err)
	}
	whole, err := json.Marshal(result)
	if err != nil {
		w.t.Fatal(err)
	}
	if len(whole) >= platformtools.MaxAnswer {
		w.t.Errorf("%s: %d bytes", tool, len(whole))
	}
	for _, secret := range []string{platformtest.PAT, platformtest.Password, "upstream-pass-4711"} {
		if strings.Contains(string(whole), secret) {
			w.t.Errorf("%s shows a secret: %s", tool, whole)
		}
	}
	if result.IsError {
		return result.Content[0].(*mcp.TextContent).Text, true
	}
	if err := w.schemas[tool].Validate(result.StructuredContent); err != nil {
		w.t.Errorf("%s: the answer does not validate: %v: %s", tool, err, whole)
	}
	doc, _ := json.Marshal(result.StructuredContent)
	return string(doc), false
}

type args = map[string]any

// toolCall is a call, and a part of its answer.
type toolCall struct {
	tool      string
	arguments args
	want      string
}

// steps call every tool, those that change something with their effect.
func steps(t *testing.T, major int) []toolCall {
	t.Helper()
	folder := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	png := "\x89PNG\r\n\x1a\n"
	front := file("logo_front.png", png)
	file("style.css", "b{}")
	file("preset.json", `{"applicationTitle":"Preset"}`)
	widget := file("widget.zip", string(platformtest.AppArchive("Uploaded", "1.0")))
	version := map[int]string{41: "v41", 42: "v42", 43: "v43"}[major]
	list := []toolCall{
		{"security_settings", nil, `"minPasswordLength":8`},
		{"security_authorities", nil, `"is_superuser":true`},
		{"security_authorities", nil, `"key":"superuser"`},
		{"security_version", nil, `"posture"`},
		{"profile_list", nil, `"name":"prod"`},
		{"profile_show", args{"name": "prod"}, `"token":"***"`},
		{"profile_verify", args{"name": "prod"}, `"username":"admin"`},
		{"profile_verify_all", nil, `"ok":true`},
		{"system_server_info", nil, `"bound":"` + version + `"`},
		{"system_info", nil, `"version":"2.` + version[1:]},
		{"system_whoami", nil, `"username":"admin"`},
		{"system_settings_get", args{"key": "applicationTitle"}, `"value":"Test"`},
		{"system_settings_list", nil, `"keyEmailUsername":"mail"`},
		{"system_settings_set", args{"key": "applicationTitle", "value": "New"}, "set applicationTitle"},
		{"system_settings_get", args{"key": "applicationTitle"}, `"value":"New"`},
		{"system_settings_set_many", args{"settings": args{"minPasswordLength": 12, "applicationTitle": "Many"}}, "set 2 settings"},
		{"system_settings_get", args{"key": "minPasswordLength"}, `"value":"12"`},
		{"system_calendar_set", args{"calendar": "ethiopian"}, "set keyCalendar"},
		{"system_calendar_get", nil, `"value":"ethiopian"`},
		{"datastore_list_namespaces", nil, `"ns1"`},
		{"datastore_list_namespaces", args{"user": true}, `"mine"`},
		{"datastore_list_keys", args{"namespace": "ns1"}, `"k1"`},
		{"datastore_get", args{"namespace": "ns1", "key": "k1"}, `"value":{"a":1}`},
		{"datastore_set", args{"namespace": "ns2", "key": "x", "value": []any{1, "two"}}, "set x of ns2"},
		{"datastore_get", args{"namespace": "ns2", "key": "x"}, `"value":[1,"two"]`},
		{"datastore_delete", args{"namespace": "ns2", "key": "x"}, "deleted x of ns2"},
		{"apps_list", nil, `"key":"side"`},
		{"apps_get", args{"key": "side"}, `"version":"0.1.0"`},
		{"apps_hub_list", args{"query": "widget"}, `"id":"app-1"`},
		{"apps_hub_versions", args{"app_id": "app-1"}, `"ver-3"`},
		{"apps_hub_url_set", args{"url": "https://apps.example.org"}, "set keyAppHubUrl"},
		{"apps_hub_url_get", nil, `"https://apps.example.org"`},
		{"apps_install_from_hub", args{"app_or_version_id": "ver-1"}, "installed Widget 1.9.5"},
		{"apps_snapshot", nil, `"app_hub_id":"app-1"`},
		{"apps_update", args{"key": "widget", "dry_run": true}, `"action":"would install"`},
		{"apps_update", args{"key": "widget"}, `"to":"10.1.0"`},
		{"apps_update", args{"key": "widget"}, `"action":"current"`},
		{"apps_update_all", nil, `"reason":"the app is not from the hub"`},
		{"apps_restore", args{"snapshot": []any{args{"key": "widget", "version": "2.0.0", "app_hub_id": "app-1"}}, "dry_run": true}, `"action":"would install"`},
		{"apps_restore", args{"snapshot": []any{args{"key": "widget", "version": "2.0.0", "app_hub_id": "app-1"}}}, `"action":"installed"`},
		{"apps_get", args{"key": "widget"}, `"version":"2.0.0"`},
		{"apps_install_from_file", args{"path": widget}, "installed Uploaded 1.0"},
		{"apps_uninstall", args{"key": "widget"}, "removed widget"},
		{"apps_reload", nil, "reloaded"},
		{"route_list", nil, `"code":"lab"`},
		{"route_get", args{"route": "lab"}, `"id":"Rte00000001"`},
		{"route_get", args{"route": "lab", "fields": []any{"url"}}, `{"url":"https://lab.example/api/**"}`},
		{"route_create", args{"payload": args{"code": "new", "name": "New", "url": "https://new.example/x", "auth": args{"type": "http-basic", "username": "u", "password": "p"}}}, `"uid":"`},
		{"route_update", args{"route": "new", "payload": args{"code": "new", "name": "Newer", "url": "https://new.example/y"}}, "updated"},
		{"route_patch", args{"route": "new", "patch": []any{args{"op": "replace", "path": "/disabled", "value": true}}}, "patched"},
		{"route_get", args{"route": "new"}, `"disabled":true`},
		{"route_run", args{"route": "lab", "sub_path": "x"}, `"status":`},
		{"route_delete", args{"route": "new"}, "deleted"},
		{"user_list", args{"fields": "id,username", "filters": []any{"username:eq:nurse"}}, `"total":1`},
		{"user_get", args{"uid_or_username": "nurse"}, `"id":"Usr00000002"`},
		{"user_invite", args{"email": "x@y.example", "first_name": "X", "surname": "Y", "user_role_uids": []any{"Rol00000002"}, "org_unit_uids": []any{"Org00000002"}}, "invited x@y.example"},
		{"user_reinvite", args{"uid": "Usr00000001"}, "invited Usr00000001 again"},
		{"user_reset_password", args{"uid": "Usr00000001"}, "sent a message"},
		{"user_group_list", nil, `"displayName":"Laboratory"`},
		{"user_group_get", args{"uid": "Grp00000001"}, `"nurse"`},
		{"user_group_add_member", args{"group_uid": "Grp00000001", "user_uid": "Usr00000001"}, "added"},
		{"user_group_get", args{"uid": "Grp00000001"}, `"admin"`},
		{"user_group_remove_member", args{"group_uid": "Grp00000001", "user_uid": "Usr00000001"}, "removed"},
		{"user_group_sharing_get", args{"uid": "Grp00000001"}, `r-------`},
		{"user_role_list", args{"page": 1, "page_size": 2, "order": []any{"name:asc"}}, `"total":2`},
		{"user_role_get", args{"uid": "Rol00000002"}, `"Clerk"`},
		{"user_role_authority_list", args{"uid": "Rol00000001"}, `"F_USER_ADD"`},
		{"user_role_add_user", args{"role_uid": "Rol00000009", "user_uid": "Usr00000002"}, "granted"},
		{"user_role_remove_user", args{"role_uid": "Rol00000009", "user_uid": "Usr00000002"}, "revoked"},
		{"customize_logo_front", args{"path": front}, "applied logo_front.png"},
		{"customize_logo_banner", args{"path": front}, "applied logo_front.png"},
		{"customize_style", args{"path": filepath.Join(folder, "style.css")}, "applied style.css"},
		{"customize_apply", args{"directory": folder}, "applied"},
		{"customize_show", nil, `"applicationTitle":"Preset"`},
		{"metadata_type_list", nil, `"dataElements"`},
		{"metadata_list", args{"resource": "dataElements", "fields": "id,name", "page_size": 2}, `"total":2`},
		{"metadata_count", args{"resource": "dataElements"}, `"count":3`},
		{"metadata_count", args{"resource": "dataElements", "filters": []any{"name:ilike:malaria"}}, `"count":2`},
		{"metadata_get", args{"resource": "dataElements", "uid": "Del00000001", "fields": "id,code"}, `"MAL_CASES"`},
		{"metadata_search", args{"query": "malaria"}, `"id":"Del00000002"`},
		{"metadata_search", args{"query": "Prg00000001"}, `"Case investigation"`},
		{"metadata_patch", args{"resource": "dataElements", "uid": "Del00000001", "patch": []any{args{"op": "replace", "path": "/name", "value": "Cases"}}}, "patched"},
		{"metadata_get", args{"resource": "dataElements", "uid": "Del00000001"}, `"name":"Cases"`},
	}
	if major > 41 {
		list = append(list, toolCall{"user_role_authority_list", nil, `"ALL"`})
	}
	return list
}

// TestPlatformTools calls every tool against servers of each major: each answers what is
// there, changes what it says, and a tool with the read-only mark sends nothing but GET.
// Rows of docs/platform.md: T6.1, T6.2.
func TestPlatformTools(t *testing.T) {
	for major, over := range map[int]string{41: "http", 42: "", 43: "stdio"} {
		t.Run(fmt.Sprintf("v%d", major), func(t *testing.T) {
			upstream := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				_, _ = w.Write([]byte("from the laboratory"))
			})
			w := newWorld(t, platformtest.Options{Major: major, Upstream: upstream}, func(w *world, _ *platformtools.Config) { w.over = over })
			readOnly, called := map[string]bool{}, map[string]bool{}
			for _, tool := range w.tools {
				readOnly[tool.Name] = tool.Annotations.ReadOnlyHint
			}
			for _, s := range steps(t, major) {
				called[s.tool] = true
				w.Forget()
				said, failed := w.call(s.tool, s.arguments)
				if failed || !strings.Contains(said, s.want) {
					t.Errorf("%s %v lacks %s: %s", s.tool, s.arguments, s.want, said)
				}
				for _, r := range w.Requests() {
					if readOnly[s.tool] && r.Method != http.MethodGet {
						t.Errorf("%s, which only reads, sends %s %s", s.tool, r.Method, r.Path)
					}
				}
			}
			for name := range readOnly {
				if !called[name] {
					t.Errorf("%s is not called", name)
				}
			}
		})
	}
}

// TestSecurityTools: the three tools that the founding document names read, and take one
// request each once there is a connection.
// Rows of docs/platform.md: T6.2.
func TestSecurityTools(t *testing.T) {
	w := newWorld(t, platformtest.Options{})
	w.call("system_info", nil)
	for tool, path := range map[string]string{
		"security_settings": "/api/systemSettings", "security_authorities": "/api/me/authorization", "security_version": "",
	} {
		w.Forget()
		if said, failed := w.call(tool, nil); failed {
			t.Errorf("%s: %s", tool, said)
		}
		requests := w.Requests()
		if len(requests) > 1 || path != "" && (len(requests) != 1 || requests[0].Path != path || requests[0].Method != http.MethodGet) {
			t.Errorf("%s sends %v", tool, requests)
		}
	}
}

// TestPlatformList: the list of tools is small, grouped by name, and each says all that a
// client shows. No tool changes a credential.
// Rows of docs/platform.md: T6.1.
func TestPlatformList(t *testing.T) {
	w := newWorld(t, platformtest.Options{})
	list, err := w.session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	doc, _ := json.Marshal(list)
	if len(doc) >= 48_000 || list.NextCursor != "" {
		t.Errorf("the list has %d bytes", len(doc))
	}
	t.Logf("%d tools, %d bytes", len(list.Tools), len(doc))
	if len(list.Tools) < 65 {
		t.Errorf("%d tools only", len(list.Tools))
	}
	groups := strings.Fields("security profile system datastore apps route user customize metadata")
	for _, tool := range list.Tools {
		group, _, _ := strings.Cut(tool.Name, "_")
		if !slices.Contains(groups, group) || tool.Title == "" || tool.Description == "" || tool.OutputSchema == nil {
			t.Errorf("%s: title %q, description %q", tool.Name, tool.Title, tool.Description)
		}
		if doc, _ := json.Marshal(tool.InputSchema); !strings.Contains(string(doc), `"profile":{"type":"string"}`) {
			t.Errorf("%s does not take a profile: %s", tool.Name, doc)
		}
		if group == "profile" && !tool.Annotations.ReadOnlyHint {
			t.Errorf("%s changes profiles", tool.Name)
		}
		for _, word := range []string{"login", "token", "pat", "oauth2", "secret"} {
			if slices.Contains(strings.Split(tool.Name, "_"), word) {
				t.Errorf("%s is about credentials", tool.Name)
			}
		}
	}
}

// TestReadOnly: with the switch there are only tools that read.
// Rows of docs/platform.md: T6.1.
func TestReadOnly(t *testing.T) {
	w := newWorld(t, platformtest.Options{}, func(_ *world, c *platformtools.Config) { c.ReadOnly = true })
	if len(w.tools) < 30 {
		t.Errorf("%d tools only", len(w.tools))
	}
	for _, tool := range w.tools {
		if !tool.Annotations.ReadOnlyHint {
			t.Errorf("%s changes something", tool.Name)
		}
	}
	for _, name := range []string{"route_run", "datastore_set", "user_invite", "apps_update"} {
		if _, err := w.session.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: args{}}); err == nil {
			t.Errorf("%s is there", name)
		}
	}
}

// TestBinding: the process is bound to the version of its default profile, of PLATFORM_VERSION,
// or of the first server; a profile of another version is refused with the remedy.
// Rows of docs/platform.md: T6.1.
func TestBinding(t *testing.T) {
	pinned := func(w *world, _ *platformtools.Config) {
		w.add("old", profile.Profile{BaseURL: w.URL, Auth: profile.PAT, Token: auth.NewSecret(platformtest.PAT), Version: "v41"})
	}
	w := newWorld(t, platformtest.Options{Major: 42}, pinned)
	if said, failed := w.call("system_info", args{"profile": "old"}); failed {
		t.Errorf("before anything is bound: %s", said)
	}
	w = newWorld(t, platformtest.Options{Major: 42}, pinned)
	w.call("system_info", nil)
	if said, failed := w.call("system_info", args{"profile": "old"}); !failed || !strings.Contains(said, "restart it with PLATFORM_VERSION=v41") {
		t.Errorf("another version: %s", said)
	}
	w = newWorld(t, platformtest.Options{Major: 42}, func(w *world, _ *platformtools.Config) { w.env["PLATFORM_VERSION"] = "41" }, pinned)
	if said, _ := w.call("system_server_info", nil); !strings.Contains(said, `"bound":"v41"`) {
		t.Errorf("bound by PLATFORM_VERSION: %s", said)
	}
	other := platformtest.New(t, platformtest.Options{Major: 43})
	w = newWorld(t, platformtest.Options{Major: 42}, func(w *world, _ *platformtools.Config) {
		w.add("other", profile.Profile{BaseURL: other.URL, Auth: profile.PAT, Token: auth.NewSecret(platformtest.PAT)})
	})
	w.call("system_info", nil)
	if said, failed := w.call("system_info", args{"profile": "other"}); !failed || !strings.Contains(said, "PLATFORM_VERSION=v43") {
		t.Errorf("a server of another version: %s", said)
	}
}

// TestConnectionIsKept: a second call of a profile connects no more; credentials that changed
// are used.
func TestConnectionIsKept(t *testing.T) {
	w := newWorld(t, platformtest.Options{})
	w.call("system_whoami", nil)
	w.Forget()
	w.call("datastore_list_namespaces", nil)
	if n := len(w.Requests()); n != 1 {
		t.Errorf("%d requests", n)
	}
	w.add("prod", profile.Profile{BaseURL: w.URL, Auth: profile.PAT, Token: auth.NewSecret("d2pat_wrong")})
	if said, failed := w.call("system_whoami", nil); !failed || strings.Contains(said, "d2pat_wrong") {
		t.Errorf("a wrong token: %s", said)
	}
	w.add("prod", profile.Profile{BaseURL: w.URL, Auth: profile.PAT, Token: auth.NewSecret(platformtest.PlainPAT)})
	if said, _ := w.call("system_whoami", nil); !strings.Contains(said, platformtest.PlainUsername) {
		t.Errorf("another account: %s", said)
	}
}

// TestErrors: an error is the text of the commands, with conflicts and a hint.
// Rows of docs/platform.md: T6.1.
func TestErrors(t *testing.T) {
	w := newWorld(t, platformtest.Options{Major: 41})
	for _, s := range []toolCall{
		{"system_info", args{"profile": "nowhere"}, "prod"},
		{"system_settings_get", args{"key": "no such"}, "unset"},
		{"system_settings_set_many", args{"settings": args{}}, "empty"},
		{"system_settings_set_many", args{"settings": args{"a": nil}}, "nothing was set"},
		{"datastore_get", args{"namespace": "none", "key": "none"}, "404"},
		{"apps_get", args{"key": "none"}, "apps_list"},
		{"apps_install_from_hub", args{"app_or_version_id": "none"}, "none"},
		{"apps_install_from_file", args{"path": "/no/such/file"}, "no such file"},
		{"apps_install_from_file", args{"path": "/dev/zero"}, "not a file"},
		{"apps_restore", args{"snapshot": []any{}}, "apps_snapshot"},
		{"apps_hub_url_set", args{"url": "javascript:x"}, "address"},
		{"route_get", args{"route": "none"}, "none"},
		{"route_run", args{"route": "lab"}, "sub_path"},
		{"route_run", args{"route": "lab", "sub_path": "x", "body": args{"a": 1}}, "method"},
		{"route_create", args{"payload": args{"code": "x"}}, "lacks"},
		{"route_patch", args{"route": "lab", "patch": []any{}}, "empty"},
		{"user_list", args{"page": -1}, "from 1"},
		{"user_list", args{"filters": []any{"nonsense"}}, "nonsense"},
		{"user_get", args{"uid_or_username": "nobody"}, "nobody"},
		{"user_role_authority_list", nil, "500"},
		{"customize_apply", args{"directory": "/no/such/folder"}, "no such folder"},
		{"metadata_list", args{"resource": "../users"}, "metadata_type_list"},
		{"metadata_get", args{"resource": "apiToken", "uid": "x"}, "credentials"},
		{"metadata_list", args{"resource": "oAuth2Clients"}, "credentials"},
		{"metadata_patch", args{"resource": "dataElements", "uid": "../x", "patch": []any{args{"op": "remove", "path": "/name"}}}, "uid"},
		{"metadata_search", args{"query": " "}, "empty"},
		{"profile_show", args{"name": "nowhere"}, "prod"},
		{"user_list", args{"bogus": 1}, "bogus"},
	} {
		if said, failed := w.call(s.tool, s.arguments); !failed || !strings.Contains(said, s.want) {
			t.Errorf("%s %v lacks %q: %s", s.tool, s.arguments, s.want, said)
		}
	}
	w.Fault("/api/dataElements/Del00000001", platformtest.MetadataConflicts(30))
	said, failed := w.call("metadata_patch", args{"resource": "dataElements", "uid": "Del00000001", "patch": []any{args{"op": "remove", "path": "/name"}}})
	if !failed || !strings.Contains(said, "+20 more") {
		t.Errorf("conflicts: %s", said)
	}
	empty := newWorld(t, platformtest.Options{}, func(w *world, c *platformtools.Config) { c.Home = w.t.TempDir() })
	if said, failed := empty.call("system_info", nil); !failed || !strings.Contains(said, "hint: ") {
		t.Errorf("without a profile: %s", said)
	}
}

// TestPlatformSizes: lists and answers of large servers stay below the limit, and say that they
// are not whole.
// Rows of docs/platform.md: T6.1.
func TestPlatformSizes(t *testing.T) {
	objects := make([]platformtest.Object, 400)
	for i := range objects {
		objects[i] = platformtest.Object{"id": fmt.Sprintf("Big%08d", i), "name": strings.Repeat("a long name with \"quotes\" \x1b[31m\u202e ", 40), "code": fmt.Sprint(i)}
	}
	body := strings.Repeat("x\u202e", 100_000)
	w := newWorld(t, platformtest.Options{
		Objects:  map[string][]platformtest.Object{"dataElements": objects, "userRoles": objects[:0]},
		Settings: map[string]any{"keyLong": strings.Repeat("y", 60_000)},
		Upstream: http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { _, _ = rw.Write([]byte(body)) }),
	})
	said, failed := w.call("metadata_list", args{"resource": "dataElements", "fields": "id,name,code", "page_size": 400})
	if failed || !strings.Contains(said, "smaller page") || strings.ContainsAny(said, "\x1b\u202e") || strings.Contains(said, `\u001b`) {
		t.Errorf("%.300s", said)
	}
	if said, failed := w.call("system_settings_list", nil); !failed || !strings.Contains(said, "too large") {
		t.Errorf("%.300s", said)
	}
	if said, failed := w.call("route_run", args{"route": "lab", "sub_path": "x"}); failed || !strings.Contains(said, `"truncated":true`) || strings.Contains(said, "\u202e") {
		t.Errorf("%.300s", said)
	}
}

// TestPlatformCancelled: a call that its client cancels ends its request.
// Rows of docs/platform.md: T6.2.
func TestPlatformCancelled(t *testing.T) {
	begun, ended := make(chan bool, 1), make(chan bool, 1)
	w := newWorld(t, platformtest.Options{Upstream: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		begun <- true
		<-r.Context().Done()
		ended <- true
	})})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		_, _ = w.session.CallTool(ctx, &mcp.CallToolParams{Name: "route_run", Arguments: args{"route": "lab", "sub_path": "x"}})
	}()
	<-begun
	cancel()
	<-ended
}
