package platform

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"path/filepath"
)

// App is an installed app. What the platform did not say is nil or empty.
// Platform toolkit, section 2.8.
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

type appFields App

// UnmarshalJSON reads the record and keeps what it does not know.
func (a *App) UnmarshalJSON(data []byte) error {
	*a = App{}
	return decodeRecord(data, (*appFields)(a), &a.Extra)
}

// MarshalJSON writes the record with what it does not know.
func (a App) MarshalJSON() ([]byte, error) { return encodeRecord(appFields(a), a.Extra) }

// Apps lists, installs and removes apps.
type Apps struct{ client *Client }

const appsPath = "/api/apps"

// Apps gives the accessor.
func (c *Client) Apps() Apps { return Apps{c} }

// List gives the installed apps.
func (a Apps) List(ctx context.Context) ([]App, error) {
	list := []App{}
	if err := a.client.get(ctx, appsPath, nil, &list); err != nil {
		return nil, err
	}
	return list, nil
}

// MaxAppSize bounds the archive of an app, in bytes.
const MaxAppSize = 128 << 20

// Upload installs an app from its zip archive, of at most MaxAppSize bytes. The name is
// that of its file, for the platform. It gives the app where the platform describes it,
// else nil.
func (a Apps) Upload(ctx context.Context, name string, archive io.Reader) (*App, error) {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", filepath.Base(name))
	if err != nil {
		return nil, err
	}
	head := body.Len()
	size, err := io.Copy(part, io.LimitReader(archive, MaxAppSize+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", name, err)
	case size > MaxAppSize:
		return nil, fmt.Errorf("%s has more than %d MiB, which no app has", name, MaxAppSize>>20)
	case !bytes.HasPrefix(body.Bytes()[head:], []byte("PK\x03\x04")):
		return nil, fmt.Errorf("%s is not a zip archive; give the archive that the app was built to", name)
	}
	if err := form.Close(); err != nil {
		return nil, err
	}
	var answer json.RawMessage
	if err := a.client.upload(ctx, http.MethodPost, appsPath, form.FormDataContentType(), body.Bytes(), &answer); err != nil {
		return nil, err
	}
	app := &App{}
	if json.Unmarshal(answer, app) != nil || app.Key == "" {
		return nil, nil
	}
	return app, nil
}

// Delete removes an app by its key.
func (a Apps) Delete(ctx context.Context, key string) error {
	return a.client.send(ctx, http.MethodDelete, appsPath+"/"+segment(key), nil, nil)
}

// Reload has the platform read its apps again.
func (a Apps) Reload(ctx context.Context) error {
	return a.client.send(ctx, http.MethodPut, appsPath, nil, nil)
}
