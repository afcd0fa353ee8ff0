package openapi

// Version is the version of the OpenAPI Specification that documents follow.
const Version = "3.1.0"

// The elements of a document, with the fields that this project uses
// (https://spec.openapis.org/oas/v3.1.0). A field that is empty is left out.
type (
	// A Document is a whole document. Its head is apart, as it differs between addresses.
	Document struct {
		Head
		Body
	}

	// A Head is the beginning of a document.
	Head struct {
		OpenAPI      string        `json:"openapi"`
		Info         Info          `json:"info"`
		ExternalDocs *ExternalDocs `json:"externalDocs,omitempty"`
		Servers      []Server      `json:"servers"`
	}

	// A Body is the rest of a document.
	Body struct {
		Security   []Requirement `json:"security"` // empty: no authentication
		Tags       []Tag         `json:"tags"`
		Paths      Map[*Path]    `json:"paths"`
		Components Components    `json:"components"`
	}

	// Info says what is described.
	Info struct {
		Title       string `json:"title"`
		Summary     string `json:"summary,omitempty"`
		Description string `json:"description,omitempty"`
		Version     string `json:"version"`
	}

	// A Server is a URL that paths are below of.
	Server struct {
		URL         string `json:"url"`
		Description string `json:"description,omitempty"`
	}

	// A Tag is a group of operations.
	Tag struct {
		Name         string        `json:"name"`
		Description  string        `json:"description,omitempty"`
		ExternalDocs *ExternalDocs `json:"externalDocs,omitempty"`
	}

	// ExternalDocs is a link to more about something.
	ExternalDocs struct {
		URL         string `json:"url"`
		Description string `json:"description,omitempty"`
	}

	// A Requirement names the security schemes that a request needs together.
	Requirement map[string][]string

	// A Path has the operations of a path by method.
	Path struct {
		Servers    []Server     `json:"servers,omitempty"`
		Parameters []*Parameter `json:"parameters,omitempty"`
		Get        *Operation   `json:"get,omitempty"`
		Put        *Operation   `json:"put,omitempty"`
		Post       *Operation   `json:"post,omitempty"`
		Patch      *Operation   `json:"patch,omitempty"`
		Delete     *Operation   `json:"delete,omitempty"`
	}

	// An Operation is a method of a path.
	Operation struct {
		Tags         []string       `json:"tags,omitempty"`
		ID           string         `json:"operationId"`
		Summary      string         `json:"summary,omitempty"`
		Description  string         `json:"description,omitempty"`
		ExternalDocs *ExternalDocs  `json:"externalDocs,omitempty"`
		Parameters   []*Parameter   `json:"parameters,omitempty"`
		RequestBody  *RequestBody   `json:"requestBody,omitempty"`
		Responses    Map[*Response] `json:"responses"`          // by status, or "default"
		Security     *[]Requirement `json:"security,omitempty"` // nil: that of the document
	}

	// A Parameter is a parameter in the path, in the query or in a header.
	Parameter struct {
		Ref         string       `json:"$ref,omitempty"`
		Name        string       `json:"name,omitempty"`
		In          string       `json:"in,omitempty"` // path, query or header
		Description string       `json:"description,omitempty"`
		Required    bool         `json:"required,omitempty"`
		Style       string       `json:"style,omitempty"`
		Explode     bool         `json:"explode,omitempty"`
		Schema      *Schema      `json:"schema,omitempty"`
		Example     any          `json:"example,omitempty"`
		Examples    Map[Example] `json:"examples,omitempty"`
	}

	// A RequestBody has the bodies of requests by media type.
	RequestBody struct {
		Ref         string     `json:"$ref,omitempty"`
		Description string     `json:"description,omitempty"`
		Content     Map[Media] `json:"content,omitempty"`
		Required    bool       `json:"required,omitempty"`
	}

	// A Response is the response with a status.
	Response struct {
		Ref         string       `json:"$ref,omitempty"`
		Description string       `json:"description,omitempty"`
		Headers     Map[*Header] `json:"headers,omitempty"`
		Content     Map[Media]   `json:"content,omitempty"`
	}

	// A Media is the body of a media type.
	Media struct {
		Schema   *Schema      `json:"schema,omitempty"`
		Examples Map[Example] `json:"examples,omitempty"`
	}

	// An Example is an example of a value.
	Example struct {
		Summary string `json:"summary,omitempty"`
		Value   any    `json:"value"`
	}

	// A Header is a header of a response.
	Header struct {
		Ref         string  `json:"$ref,omitempty"`
		Description string  `json:"description,omitempty"`
		Required    bool    `json:"required,omitempty"`
		Schema      *Schema `json:"schema,omitempty"`
	}

	// Components are what the rest of a document refers to.
	Components struct {
		Schemas         Map[*Schema]         `json:"schemas,omitempty"`
		Responses       Map[*Response]       `json:"responses,omitempty"`
		Parameters      Map[*Parameter]      `json:"parameters,omitempty"`
		RequestBodies   Map[*RequestBody]    `json:"requestBodies,omitempty"`
		Headers         Map[*Header]         `json:"headers,omitempty"`
		SecuritySchemes Map[*SecurityScheme] `json:"securitySchemes,omitempty"`
	}

	// A SecurityScheme is a kind of authentication.
	SecurityScheme struct {
		Type         string     `json:"type"` // http, oauth2 or mutualTLS
		Description  string     `json:"description,omitempty"`
		Scheme       string     `json:"scheme,omitempty"`
		BearerFormat string     `json:"bearerFormat,omitempty"`
		Flows        Map[*Flow] `json:"flows,omitempty"`
	}

	// A Flow is a flow of OAuth 2.0.
	Flow struct {
		AuthorizationURL string      `json:"authorizationUrl,omitempty"`
		TokenURL         string      `json:"tokenUrl,omitempty"`
		Scopes           Map[string] `json:"scopes"`
	}
)

// Operations returns the operations of a path by method.
func (p *Path) Operations() map[string]*Operation {
	all := map[string]*Operation{"GET": p.Get, "PUT": p.Put, "POST": p.Post, "PATCH": p.Patch, "DELETE": p.Delete}
	for method, op := range all {
		if op == nil {
			delete(all, method)
		}
	}
	return all
}
