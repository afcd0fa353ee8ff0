package platformtest

import (
	"fmt"
	"net/http"
	"time"
)

// tokenPaths are the paths that create, list and read personal tokens. A created token is accepted.
var tokenPaths = map[string]handler{
	"POST /api/apiToken": (*Platform).mint,
	"GET /api/apiToken":  func(p *Platform, r *request) answer { return p.query(r, "apiToken", p.collections["apiToken"].all()) },
}

func (p *Platform) mint(r *request) answer {
	token, ok := decode(r.body)
	switch kind := text(token, "type"); {
	case !ok:
		return malformed()
	case kind != "PERSONAL_ACCESS_TOKEN_V2" && kind != "PERSONAL_ACCESS_TOKEN_V1" && kind != "":
		return refuse(http.StatusConflict, "Unknown token type: "+kind)
	}
	c := p.collections["apiToken"]
	for _, other := range c.all() {
		if code := text(token, "code"); code != "" && other["code"] == code {
			return reported("apiToken", "", Object{"message": "Property `code` with value `" + code + "` already exists", "errorCode": "E5003", "errorProperty": "code", "mainKlass": klass("apiToken")})
		}
	}
	uid := p.uid(c)
	token["id"], token["type"], token["createdBy"] = uid, "PERSONAL_ACCESS_TOKEN_V2", Object{"id": r.user["id"]}
	if token["expire"] == nil {
		token["expire"] = time.Now().Add(30 * 24 * time.Hour).UnixMilli()
	}
	delete(token, "description") // V7: it keeps attributes, expiry and code only
	token["name"] = uid
	p.put("apiToken", token)
	key := fmt.Sprintf("d2pat_minted%s%018d", uid, p.made)
	p.tokens[key] = uid
	body := envelope(http.StatusCreated, "")
	body["response"] = Object{"responseType": "ApiTokenCreationResponse", "key": key, "uid": uid}
	return answer{status: http.StatusCreated, body: body}
}
