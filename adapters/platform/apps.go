package platform

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"path/filepath"
)

// An App is an installed app. Members that the platform did not send are nil or empty. Platform
// toolkit, section 2.8.
type App struct {
	Key         string `json:"key,omitempty"`
	Name        string `json:"name,omitempty"`
	DisplayName string `json:"displayName,omitempty"`
	Version     string `json:"version,omitempty"`
	AppType     string `json:"appType,omitempty"`
	Bundled     bool   `json:"bundled,omitempty"`
	CoreApp     bool   `json:"core_app,omitempty"`
	AppHubID    string `json:"app_hub_id,omitempty"`
	FolderName  string `json:"folderName,omitempty"`
	Extra       Extra  `json:"-"`
}

// UnmarshalJSON puts unknown members into Extra.
func (a *App) UnmarshalJSON(data []byte) error { return decodeRecord(data, a) }

// MarshalJSON includes the members of Extra.
func (a App) MarshalJSON() ([]byte, error) { return encodeRecord(a) }

// Apps lists, installs and removes apps.
type Apps struct{ client *Client }

const appsPath = "/api/apps"

// Apps returns the accessor of apps.
func (c *Client) Apps() Apps { return Apps{c} }

// List returns the installed apps.
func (a Apps) List(ctx context.Context) ([]App, error) {
	list := []App{}
	if err := a.client.get(ctx, appsPath, nil, &list); err != nil {
		return nil, err
	}
	return list, nil
}

// MaxAppSize limits the archive of an app, in bytes.
const MaxAppSize = 128 << 20

// Upload installs an app from its zip archive of at most MaxAppSize bytes. name is the file name that
// the platform sees. Upload returns the app if the platform describes it, else nil.
func (a Apps) Upload(ctx context.Context, name string, archive io.Reader) (*App, error) {
	body, contentType, err := appForm(name, archive, MaxAppSize)
	if err != nil {
		return nil, err
	}
	var answer json.RawMessage
	if err := a.client.upload(ctx, http.MethodPost, appsPath, contentType, body, &answer); err != nil {
		return nil, err
	}
	app := &App{}
	if err := json.Unmarshal(answer, app); err == nil && app.Key != "" {
		return app, nil
	}
	return nil, nil
}

// appForm returns the multipart form with an archive of at most limit bytes.
func appForm(name string, archive io.Reader, limit int64) (body []byte, contentType string, err error) {
	fail := func(err error) ([]byte, string, error) { return nil, "", fmt.Errorf("%s: %w", name, err) }
	head := make([]byte, 4)
	if n, err := io.ReadFull(archive, head); err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return fail(err)
	} else if string(head[:n]) != "PK\x03\x04" {
		return fail(errors.New("it is not a zip archive; give the archive that the build of the app produced"))
	}
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part, err := w.CreateFormFile("file", filepath.Base(name))
	if err != nil {
		return fail(err)
	}
	size, err := io.Copy(part, io.LimitReader(io.MultiReader(bytes.NewReader(head), archive), limit+1))
	if err == nil && size > limit {
		err = fmt.Errorf("it is longer than %d bytes, the limit for apps", limit)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return fail(err)
	}
	return form.Bytes(), w.FormDataContentType(), nil
}

// Delete removes an app by its key.
func (a Apps) Delete(ctx context.Context, key string) error {
	return a.client.send(ctx, http.MethodDelete, appsPath+"/"+segment(key), nil, nil)
}

// Reload makes the platform read its apps again.
func (a Apps) Reload(ctx context.Context) error {
	return a.client.send(ctx, http.MethodPut, appsPath, nil, nil)
}
