package auth_test

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"testing"
	"text/template"

	"github.com/BurntSushi/toml"

	"github.com/roget-health/roget/auth"
)

const plant = "Sw0rdfish/plaintext"

// holder has secrets in all places where fmt and encoders look.
type holder struct {
	Exported auth.Secret            `json:"exported,omitzero"`
	Pointer  *auth.Secret           `json:"pointer"`
	List     []auth.Secret          `json:"list"`
	Map      map[string]auth.Secret `json:"map"`
	Any      any                    `json:"any"`
	hidden   auth.Secret
	deep     *holder
	basic    *auth.Basic
	pat      auth.PAT
}

func planted() *holder {
	s := auth.NewSecret(plant)
	session, _ := auth.NewSessionCookie(s, s)
	token := &auth.OAuth2Token{AccessToken: s, RefreshToken: s}
	inner := &holder{hidden: s, Any: session}
	return &holder{s, &s, []auth.Secret{s}, map[string]auth.Secret{"k": s}, token, s, inner, auth.NewBasic("ada", s), *auth.NewPAT(s)}
}

// TestSecretIsNeverPrinted: section 1.4 of the platform toolkit.
// Rows of docs/platform.md: 2.2.5.
func TestSecretIsNeverPrinted(t *testing.T) {
	h := planted()
	shown := map[string]string{}
	for _, verb := range "vsqxXdboOtUeEfFgGcTp" {
		for _, flags := range []string{"", "+", "#", "-30", "030.3", " "} {
			format := "%" + flags + string(verb)
			for _, value := range []any{h, *h, h.Exported, h.Pointer, h.List, h.Map, h.Any, h.deep, h.deep.Any, h.basic, h.pat} {
				shown[format] += fmt.Sprintf(format, value)
			}
		}
	}
	shown["print"] = fmt.Sprint(h) + fmt.Sprintln(*h)
	shown["error"] = fmt.Errorf("with %v and %w", h, errors.New(fmt.Sprint(h.Exported))).Error()
	shown["panic"] = panicked(h)
	text, err := json.Marshal(h)
	shown["json"] = string(text)
	if err != nil {
		t.Error(err)
	}
	type element struct{ A, b auth.Secret }
	text, err = xml.Marshal(element{h.Exported, h.Exported})
	shown["xml"] = string(text)
	if err != nil {
		t.Error(err)
	}
	var out bytes.Buffer
	if err := toml.NewEncoder(&out).Encode(struct{ A auth.Secret }{h.Exported}); err != nil {
		t.Error(err)
	}
	for _, value := range []any{*h, h.Any, h.Exported} { // gob refuses the others
		_ = gob.NewEncoder(&out).Encode(value)
	}
	for _, handler := range []slog.Handler{slog.NewTextHandler(&out, nil), slog.NewJSONHandler(&out, nil)} {
		slog.New(handler).Info("text", "a", h, "b", h.Exported, "c", h.Any, "d", *h, "e", h.basic)
	}
	if err := template.Must(template.New("").Parse("{{.}} {{.Exported}} {{printf \"%#v\" .}}")).Execute(&out, h); err != nil {
		t.Error(err)
	}
	dump(&out, reflect.ValueOf(h), 0)
	shown["encoders"] = out.String()
	for how, text := range shown {
		for _, part := range []string{plant, "Sw0rd", "plaintext", fmt.Sprintf("%x", plant), fmt.Sprintf("%v", []byte(plant))} {
			if strings.Contains(text, part) {
				t.Errorf("%s shows %q: %s", how, part, text)
			}
		}
	}
	if !strings.Contains(shown["json"], `"exported":"**********"`) || !strings.Contains(shown["%v"], "**********") {
		t.Errorf("no mask: %s, %s", shown["json"], shown["%v"])
	}
}

func panicked(value any) (shown string) {
	defer func() { shown = fmt.Sprintf("%v %#v", recover(), value) }()
	panic(value)
}

// dump prints everything that reflection reaches, including unexported fields and pointers, like a
// debug printer.
func dump(out *bytes.Buffer, v reflect.Value, depth int) {
	if depth > 12 {
		return
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			dump(out, v.Elem(), depth+1)
		}
	case reflect.Struct:
		for _, field := range v.Fields() {
			dump(out, field, depth+1)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			dump(out, v.Index(i), depth+1)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			dump(out, v.MapIndex(key), depth+1)
		}
	default:
		fmt.Fprintln(out, v)
	}
}

// Rows of docs/platform.md: 2.2.5.
func TestSecret(t *testing.T) {
	s, empty := auth.NewSecret(plant), auth.NewSecret("")
	if s.Reveal() != plant || s.IsZero() || s.String() != "**********" {
		t.Error("a secret does not keep its value")
	}
	if empty.Reveal() != "" || !empty.IsZero() || fmt.Sprintf("%v%q%#v", empty, empty, empty) != "" {
		t.Error("the empty secret is not empty")
	}
	if text, err := json.Marshal(struct {
		A auth.Secret `json:"a,omitzero"`
	}{}); err != nil || string(text) != "{}" {
		t.Errorf("absent secret: %s, %v", text, err)
	}
	if !s.Equal(auth.NewSecret(plant)) || s.Equal(empty) || s.Equal(auth.NewSecret(plant+"x")) || !empty.Equal(auth.Secret{}) {
		t.Error("Equal is wrong")
	}
}

// Rows of docs/platform.md: 2.2.8.
func TestTokenText(t *testing.T) {
	token := &auth.OAuth2Token{AccessToken: auth.NewSecret("a"), RefreshToken: auth.NewSecret("r"), ExpiresAt: 1.5, BaseURL: "https://p.example", ClientID: "c"}
	text, err := auth.RevealToken(token)
	if err != nil {
		t.Fatal(err)
	}
	back, err := auth.ParseToken(text)
	if err != nil || !back.AccessToken.Equal(token.AccessToken) || !back.RefreshToken.Equal(token.RefreshToken) ||
		back.ExpiresAt != 1.5 || back.BaseURL != token.BaseURL || back.ClientID != "c" {
		t.Errorf("read back: %v, %v", back, err)
	}
	if _, err := auth.ParseToken([]byte(`{"access_token":"` + plant)); err == nil || strings.Contains(err.Error(), "Sw0rd") {
		t.Errorf("a damaged token: %v", err)
	}
}

func TestRedact(t *testing.T) {
	secret := `a<b/c"d e`
	for _, text := range []string{secret, `a&lt;b/c&#34;d e`, `a%3Cb%2Fc%22d+e`, `a%3Cb%2Fc%22d%20e`, `a\u003cb/c\"d e`, `a\u003cb\/c\"d e`} {
		if got := auth.Redact("it says "+text+".", "", secret); got != "it says **********." {
			t.Errorf("%s: %s", text, got)
		}
	}
}

func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"":                      "",
		" one\n\ttwo\x1b[0m ":   "one two[0m",
		"1234567890":            "1234567890",
		"12345678901":           "1234567890...",
		"123456789 1":           "123456789...",
		"12345678 1":            "12345678 1",
		"\x01 \x02 a":           "a",
		"123456789 " + "12 345": "123456789...",
	} {
		if got := auth.Printable(text, 10); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
	if got := auth.Printable(strings.Repeat("a ", 1000), 10); len(got) > 14 {
		t.Errorf("%q", got)
	}
}
