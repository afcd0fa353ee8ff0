package platform

import (
	"bytes"
	"context"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/textproto"
)

// Customize changes the platform's appearance. Platform toolkit, section 2.8.
type Customize struct{ client *Client }

// Customize returns the accessor of the platform's appearance.
func (c *Client) Customize() Customize { return Customize{c} }

// A Logo is a place for an image.
type Logo string

// The places for images: the login page, and the top of every page.
const (
	LogoFront  Logo = "logo_front"
	LogoBanner Logo = "logo_banner"
)

// setting returns the key of the setting that makes the platform use the image instead of its own.
func (l Logo) setting() (string, error) {
	switch l {
	case LogoFront:
		return "keyUseCustomLogoFront", nil
	case LogoBanner:
		return "keyUseCustomLogoBanner", nil
	}
	return "", fmt.Errorf("%q is not a place for an image; use one of %s and %s", string(l), LogoFront, LogoBanner)
}

// SetLogo uploads a PNG image and makes the platform use it.
func (z Customize) SetLogo(ctx context.Context, logo Logo, image []byte) error {
	setting, err := logo.setting()
	if err != nil {
		return err
	}
	if err := checkPNG(string(logo), image); err != nil {
		return err
	}
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {`form-data; name="file"; filename="` + string(logo) + `.png"`},
		"Content-Type":        {"image/png"},
	})
	if err == nil {
		_, err = part.Write(image)
	}
	if err == nil {
		err = form.Close()
	}
	if err != nil {
		return err
	}
	path := "/api/staticContent/" + string(logo)
	if err := z.client.upload(ctx, http.MethodPost, path, form.FormDataContentType(), body.Bytes(), nil); err != nil {
		return err
	}
	return z.client.System().SetSetting(ctx, setting, "true")
}

// SetStyle uploads a style sheet (CSS) and makes the platform use it.
func (z Customize) SetStyle(ctx context.Context, css []byte) error {
	if err := z.client.upload(ctx, http.MethodPost, "/api/files/style", "text/css", css, nil); err != nil {
		return err
	}
	return z.client.System().SetSetting(ctx, "keyStyle", "style")
}

// Show reads the configuration of the login page.
func (z Customize) Show(ctx context.Context) (LoginConfig, error) { return z.client.LoginConfig(ctx) }

func checkPNG(name string, image []byte) error {
	if !bytes.HasPrefix(image, []byte("\x89PNG\r\n\x1a\n")) {
		return fmt.Errorf("%s: it is not a PNG image; convert it to PNG", name)
	}
	return nil
}
