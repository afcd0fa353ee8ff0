package platformtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"
)

// file is an uploaded logo or style sheet.
type file struct {
	contentType string
	content     []byte
}

// filePaths are the paths of logos and the style sheet.
var filePaths = map[string]handler{
	"GET /api/staticContent/{key}":  (*Platform).logo,
	"POST /api/staticContent/{key}": (*Platform).setLogo,
	"GET /api/files/style":          (*Platform).style,
	"POST /api/files/style":         (*Platform).setStyle,
	"DELETE /api/files/style":       (*Platform).dropStyle,
}

// File returns the uploaded file "logo_front", "logo_banner" or "style", or nil.
func (p *Platform) File(name string) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.files[name].content
}

// logos are the images with the settings that enable them.
var logos = map[string]string{"logo_front": "keyUseCustomLogoFront", "logo_banner": "keyUseCustomLogoBanner"}

// logo responds with the uploaded image if its setting is on, or else with the platform's default.
func (p *Platform) logo(r *request) answer {
	key := r.PathValue("key")
	image := p.files[key]
	switch {
	case logos[key] == "":
		return refuse(http.StatusNotFound, "Key does not exist: "+key)
	case image.content == nil || fmt.Sprint(p.settings[logos[key]]) != "true":
		image = file{"image/png", []byte("\x89PNG the image of the platform")}
	}
	return answer{status: http.StatusOK, body: image.content, header: http.Header{"Content-Type": {image.contentType}}}
}

func (p *Platform) setLogo(r *request) answer {
	key := r.PathValue("key")
	content, refused := r.part("file")
	switch {
	case !p.may(r.user, "F_SYSTEM_SETTING"):
		return forbidden("F_SYSTEM_SETTING")
	case logos[key] == "":
		return refuse(http.StatusBadRequest, "This key is not supported: "+key)
	case refused.status != 0:
		return refused
	}
	p.files[key] = file{http.DetectContentType(content), content}
	return answer{status: http.StatusNoContent}
}

// part reads a part of a multipart body.
func (r *request) part(name string) ([]byte, answer) {
	kind, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" {
		return nil, refuse(http.StatusUnsupportedMediaType, "Content-Type '"+r.Header.Get("Content-Type")+"' is not supported")
	}
	parts := multipart.NewReader(bytes.NewReader(r.body), parameters["boundary"])
	for {
		part, err := parts.NextPart()
		if err != nil {
			return nil, refuse(http.StatusBadRequest, "Required part '"+name+"' is not present.")
		}
		if part.FormName() == name {
			content, err := io.ReadAll(part)
			if err != nil || part.FileName() == "" {
				return nil, refuse(http.StatusBadRequest, "Required part '"+name+"' is no file.")
			}
			return content, answer{}
		}
	}
}

func (p *Platform) style(*request) answer {
	return answer{status: http.StatusOK, body: append([]byte{}, p.files["style"].content...), header: http.Header{"Content-Type": {"text/css;charset=UTF-8"}}}
}

func (p *Platform) setStyle(r *request) answer {
	switch {
	case !p.may(r.user, "F_SYSTEM_SETTING"):
		return forbidden("F_SYSTEM_SETTING")
	case !strings.HasPrefix(r.Header.Get("Content-Type"), "text/css"):
		return refuse(http.StatusUnsupportedMediaType, "Content-Type '"+r.Header.Get("Content-Type")+"' is not supported")
	}
	p.files["style"] = file{"text/css", r.body}
	return answer{status: http.StatusNoContent}
}

func (p *Platform) dropStyle(r *request) answer {
	if !p.may(r.user, "F_SYSTEM_SETTING") {
		return forbidden("F_SYSTEM_SETTING")
	}
	delete(p.files, "style")
	return answer{status: http.StatusNoContent}
}

// rewritten returns an object as the bytes of a body.
func rewritten(o Object) []byte {
	raw, err := json.Marshal(o)
	if err != nil {
		panic(err) // it was read from JSON
	}
	return raw
}
