package audit

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

const rolesPath = "/api/userRoles"

// A role is a user role with the number of its members.
type role struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Authorities []string `json:"authorities"`
	Members     members  `json:"users"`
}

// members is a number of members: users~size, or a list.
type members int

// UnmarshalJSON reads a number or the length of a list.
func (m *members) UnmarshalJSON(data []byte) error {
	var list []json.RawMessage
	if json.Unmarshal(data, &list) == nil && list != nil {
		*m = members(len(list))
		return nil
	}
	var n *int
	if err := json.Unmarshal(data, &n); err != nil || n == nil {
		return errForm
	}
	*m = members(*n)
	return nil
}

func (s *Scanner) roles(ctx context.Context) (Result, error) {
	raw, err := readList[json.RawMessage](ctx, s, rolesPath, "userRoles", fields("id,name,authorities,users~size"))
	if err != nil {
		return Result{}, err
	}
	roles := make([]role, len(raw))
	for i, text := range raw {
		roles[i].Members = -1
		if json.Unmarshal(text, &roles[i]) != nil || roles[i].Members < 0 || roles[i].Authorities == nil {
			return Result{}, &readError{rolesPath, errForm}
		}
	}
	return reduceRoles(roles), nil
}

func reduceRoles(roles []role) Result {
	r := newRecorder(CheckRoles)
	r.evaluated("roles-grants-all-in-use", "roles-grants-all-unused", "roles-dangerous-authorities")
	for _, role := range roles {
		evidence := map[string]string{"id": role.ID, "members": strconv.Itoa(int(role.Members))}
		matches := Classify(role.Authorities)
		switch {
		case isSuper(role.Authorities) && role.Members > 0:
			r.flag(Finding{
				Control: "roles-grants-all-in-use", Severity: Critical, Title: "A role in use grants ALL", Subject: role.Name, Evidence: evidence,
				GroupKey: "role-all-in-use", Detail: fmt.Sprintf("Members, who have every right there is: %d.", role.Members),
			})
		case isSuper(role.Authorities):
			r.flag(Finding{
				Control: "roles-grants-all-unused", Severity: High, Title: "A role without members grants ALL", Subject: role.Name, Evidence: evidence,
				GroupKey: "role-all-unused", Detail: "Nobody needs it, but it can be given to anybody.",
			})
		case len(matches) > 0:
			severity := Medium
			var labels, keys, matched []string
			for _, m := range matches {
				if m.Severity == High {
					severity = High
				}
				labels, keys, matched = append(labels, m.Label), append(keys, m.Key), append(matched, m.Matched...)
			}
			evidence["categories"], evidence["authorities"] = strings.Join(keys, ", "), strings.Join(matched, ", ")
			r.flag(Finding{
				Control: "roles-dangerous-authorities", Severity: severity, Title: "A role grants risky rights", Subject: role.Name, Evidence: evidence,
				GroupKey: "role-risky", Detail: fmt.Sprintf("It grants rights of these kinds: %s.", strings.Join(labels, ", ")),
			})
		}
	}
	return r.done()
}
