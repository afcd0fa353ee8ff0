package platformtools

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/roget-health/roget/adapters/platform"
)

// OneObject names an object of metadata.
type OneObject struct {
	On
	Resource string `json:"resource" jsonschema:"plural of the type, such as dataElements"`
	UID      string `json:"uid"`
}

// Found is an object that a search found.
type Found struct {
	Resource string `json:"resource"`
	ID       string `json:"id"`
	Code     string `json:"code,omitempty"`
	Name     string `json:"name,omitempty"`
}

// Count is how many objects there are.
type Count struct {
	Count int `json:"count"`
}

func addMetadata(r *registry) {
	add(r, reads, "metadata_type_list", "List types", "Plurals of the types of metadata.",
		func(ctx context.Context, c *platform.Client, _ On) (Names, error) {
			names, err := c.Metadata().TypeNames(ctx)
			if err != nil {
				return Names{}, err
			}
			return namesOf(names), nil
		})
	add(r, reads, "metadata_list", "List objects", "Objects of a type, by page.",
		func(ctx context.Context, c *platform.Client, in struct {
			Listing
			Resource string `json:"resource"`
		},
		) (List, error) {
			o, err := in.options()
			if err == nil {
				err = checkResource(in.Resource)
			}
			if err != nil {
				return List{}, err
			}
			objects, err := c.Metadata().List(ctx, in.Resource, o)
			if err != nil {
				return List{}, err
			}
			return listOf(objects)
		})
	add(r, reads, "metadata_count", "Count objects", "How many objects of a type there are.",
		func(ctx context.Context, c *platform.Client, in struct {
			On
			Resource     string   `json:"resource"`
			Filters      []string `json:"filters,omitempty"`
			RootJunction string   `json:"root_junction,omitempty"`
		},
		) (Count, error) {
			if err := checkResource(in.Resource); err != nil {
				return Count{}, err
			}
			n, err := c.Metadata().Count(ctx, in.Resource, platform.ListOptions{Filters: in.Filters, RootJunction: in.RootJunction})
			return Count{n}, err
		})
	add(r, reads, "metadata_get", "Get an object", "One object.",
		func(ctx context.Context, c *platform.Client, in struct {
			OneObject
			Fields string `json:"fields,omitempty"`
		},
		) (Object, error) {
			if err := checkResource(in.Resource); err != nil {
				return nil, err
			}
			found, err := c.Metadata().Get(ctx, in.Resource, in.UID, in.Fields)
			if err != nil {
				return nil, err
			}
			return object(found)
		})
	add(r, reads, "metadata_search", "Search objects", "Finds objects of the common types, or of resources, by a text in name or code, or by uid.", searchObjects)
	add(r, destroys, "metadata_patch", "Patch an object", "Changes an object by JSON Patch.",
		func(ctx context.Context, c *platform.Client, in struct {
			OneObject
			Patch []Object `json:"patch"`
		},
		) (Done, error) {
			patch, err := patchOf(in.Patch)
			if err == nil {
				err = checkResource(in.Resource)
			}
			if err == nil && !platform.IsUID(in.UID) {
				err = errors.New("uid is not of the form of a uid: 11 letters and digits, the first a letter")
			}
			if err != nil {
				return Done{}, err
			}
			body, err := json.Marshal(patch)
			if err != nil {
				return Done{}, err
			}
			_, err = c.Do(ctx, platform.Request{
				Method: http.MethodPatch, Path: "/api/" + url.PathEscape(in.Resource) + "/" + in.UID,
				Body: body, ContentType: "application/json-patch+json",
			})
			return doneOr(err, "patched %s of %s", in.UID, in.Resource)
		})
}

// errSecretType is returned for types whose objects hold credentials.
var errSecretType = errors.New("objects of this type hold credentials: tools neither read nor change them")

// checkResource refuses what is no name of a type, and types that hold credentials.
func checkResource(name string) error {
	if name == "" || strings.ContainsFunc(name, func(r rune) bool { return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') }) {
		return errors.New("resource is not the plural of a type, such as dataElements; metadata_type_list has them")
	}
	if slices.ContainsFunc([]string{"apiToken", "apiTokens", "oAuth2Clients", "oAuth2Client"}, func(s string) bool { return strings.EqualFold(s, name) }) {
		return errSecretType
	}
	return nil
}

// common are the types that a search without types looks at.
func common() []string {
	return strings.Fields("dataElements indicators dataSets programs trackedEntityAttributes organisationUnits optionSets categories dashboards visualizations userGroups")
}

const (
	// maxTypes bounds the types of a search, perType the objects of each.
	maxTypes, perType = 15, 10
)

// SearchInput is what metadata_search is asked.
type SearchInput struct {
	On
	Query     string   `json:"query"`
	Resources []string `json:"resources,omitempty"`
}

func searchObjects(ctx context.Context, c *platform.Client, in SearchInput) (List, error) {
	query := strings.TrimSpace(in.Query)
	types := in.Resources
	if len(types) == 0 {
		types = common()
	}
	switch {
	case query == "" || len(query) > 200:
		return List{}, errors.New("query is empty or has more than 200 bytes: give a part of a name, a code or a uid")
	case len(types) > maxTypes:
		return List{}, errors.New("resources has more than 15 types: search in fewer")
	}
	found := []Found{}
	for _, typ := range types {
		if err := checkResource(typ); err != nil {
			return List{}, err
		}
		filters := []string{"name:ilike:" + query, "code:ilike:" + query}
		if platform.IsUID(query) {
			filters = []string{"id:eq:" + query}
		}
		objects, err := c.Metadata().List(ctx, typ, platform.ListOptions{Fields: "id,code,name,displayName", Filters: filters, RootJunction: "OR", Page: 1, PageSize: perType})
		if err != nil {
			if len(in.Resources) == 0 && errors.Is(err, platform.ErrUnknownResource) {
				continue // this server does not have the type
			}
			return List{}, err
		}
		for _, doc := range objects {
			var o struct{ ID, Code, Name, DisplayName string }
			if json.Unmarshal(doc, &o) == nil {
				found = append(found, Found{Resource: typ, ID: o.ID, Code: o.Code, Name: o.Name})
			}
		}
	}
	return listOf(found)
}
