package platform

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
)

// Users reads accounts, invites people and resets passwords. Platform toolkit, section 2.8.
type Users struct{ client *Client }

const usersPath = "/api/users"

// Users returns the accessor of accounts.
func (c *Client) Users() Users { return Users{c} }

// List returns the accounts that the options select, and all of those unless they name a page.
func (u Users) List(ctx context.Context, o ListOptions) ([]User, error) {
	var list []User
	err := u.client.list(ctx, usersPath, o, "users", &list)
	for i := range list {
		u.client.complete(&list[i])
	}
	return list, err
}

// Get returns an account by its uid. If fields is empty, the platform chooses them.
func (u Users) Get(ctx context.Context, uid, fields string) (*User, error) {
	return u.client.user(ctx, usersPath+"/"+segment(uid), fieldsOf(fields))
}

// ByUsername returns an account by its username. It finds the uid with a filter, because the platform
// refuses a username in the path. An unknown name is a LookupError of kind ErrUserNotFound.
func (u Users) ByUsername(ctx context.Context, username, fields string) (*User, error) {
	found, err := u.List(ctx, ListOptions{Fields: "id", Filters: []string{"username:eq:" + username}, PageSize: 1})
	if err != nil {
		return nil, err
	}
	if len(found) == 0 || found[0].ID == "" {
		return nil, &LookupError{Kind: ErrUserNotFound, Name: username}
	}
	return u.Get(ctx, found[0].ID, fields)
}

// Find returns an account by its uid or its username. A name that looks like a uid is tried as a uid
// first.
func (u Users) Find(ctx context.Context, name, fields string) (*User, error) {
	if IsUID(name) {
		user, err := u.Get(ctx, name, fields)
		if statusOf(err) != http.StatusNotFound {
			return user, err
		}
	}
	return u.ByUsername(ctx, name, fields)
}

// An Invitation invites a person to create an account. If Username is empty, the person chooses it.
type Invitation struct {
	Email             string      `json:"email"`
	FirstName         string      `json:"firstName"`
	Surname           string      `json:"surname"`
	Username          string      `json:"username,omitempty"`
	UserRoles         []Reference `json:"userRoles"`
	OrganisationUnits []Reference `json:"organisationUnits"`
}

// Invite creates an account and makes the platform send the invitation. It returns the uid, or "" if the
// platform does not report it.
func (u Users) Invite(ctx context.Context, who Invitation) (string, error) {
	if who.Email == "" {
		return "", errors.New("an invitation needs an email address")
	}
	var answer json.RawMessage
	if err := u.client.send(ctx, http.MethodPost, usersPath+"/invite", who, &answer); err != nil {
		return "", err
	}
	if message, err := ParseWebMessage(answer); err == nil {
		return message.UID, nil
	}
	return "", nil
}

// Reinvite makes the platform send the invitation of an account again.
func (u Users) Reinvite(ctx context.Context, uid string) error { return u.act(ctx, uid, "invite") }

// ResetPassword makes the platform send a message with which the user sets a new password.
func (u Users) ResetPassword(ctx context.Context, uid string) error { return u.act(ctx, uid, "reset") }

func (u Users) act(ctx context.Context, uid, what string) error {
	return u.client.send(ctx, http.MethodPost, usersPath+"/"+segment(uid)+"/"+what, nil, nil)
}
