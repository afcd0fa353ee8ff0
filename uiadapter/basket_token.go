package uiadapter

import "net/url"

// token returns a code as a value of a form, from which parseToken reads it.
func token(system, code string) string {
	return url.Values{"system": {system}, "code": {code}}.Encode()
}

// parseToken returns the code of a value of a form.
func parseToken(text string) (system, code string, ok bool) {
	v, err := url.ParseQuery(text)
	if err != nil {
		return "", "", false
	}
	system, code = v.Get("system"), v.Get("code")
	return system, code, code != ""
}
