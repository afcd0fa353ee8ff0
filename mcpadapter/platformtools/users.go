package platformtools

import (
	"cmp"
	"context"
	"errors"

	"github.com/roget-health/roget/adapters/platform"
)

// Listing filters, orders and pages a collection.
type Listing struct {
	On
	Fields       string   `json:"fields,omitempty"`
	Filters      []string `json:"filters,omitempty"`
	RootJunction string   `json:"root_junction,omitempty"`
	Order        []string `json:"order,omitempty"`
	Page         int      `json:"page,omitempty"`
	PageSize     int      `json:"page_size,omitempty"`
}

// defaultPage is the size of a page.
const defaultPage = 50

// options returns the options of the request. A list is always paged, so that its answer has
// a size.
func (l Listing) options() (platform.ListOptions, error) {
	o := platform.ListOptions{
		Fields: l.Fields, Filters: l.Filters, RootJunction: l.RootJunction, Order: l.Order,
		Page: cmp.Or(l.Page, 1), PageSize: cmp.Or(l.PageSize, defaultPage),
	}
	if o.Page < 1 || o.PageSize < 1 {
		return o, errors.New("page and page_size are numbers from 1")
	}
	return o, o.Check()
}

// UserName names a user.
type UserName struct {
	On
	User string `json:"uid_or_username"`
}

// UID names an object.
type UID struct {
	On
	UID string `json:"uid"`
}

func addUsers(r *registry) {
	add(r, reads, "user_list", "List users", "Users, by page.",
		func(ctx context.Context, c *platform.Client, in Listing) (List, error) {
			o, err := in.options()
			if err != nil {
				return List{}, err
			}
			users, err := c.Users().List(ctx, o)
			if err != nil {
				return List{}, err
			}
			return listOf(users)
		})
	add(r, reads, "user_get", "Get a user", "One user.",
		func(ctx context.Context, c *platform.Client, in struct {
			UserName
			Fields string `json:"fields,omitempty"`
		},
		) (Object, error) {
			user, err := c.Users().Find(ctx, in.User, cmp.Or(in.Fields, platform.UserFields))
			if err != nil {
				return nil, err
			}
			return object(user)
		})
	add(r, changes, "user_invite", "Invite a user", "Sends an invitation to create an account.",
		func(ctx context.Context, c *platform.Client, in struct {
			On
			Email     string   `json:"email"`
			FirstName string   `json:"first_name"`
			Surname   string   `json:"surname"`
			Username  string   `json:"username,omitempty"`
			Roles     []string `json:"user_role_uids"`
			Units     []string `json:"org_unit_uids"`
		},
		) (Done, error) {
			uid, err := c.Users().Invite(ctx, platform.Invitation{
				Email: in.Email, FirstName: in.FirstName, Surname: in.Surname, Username: in.Username,
				UserRoles: references(in.Roles), OrganisationUnits: references(in.Units),
			})
			if err != nil {
				return Done{}, err
			}
			return Done{Done: "invited " + in.Email, UID: uid}, nil
		})
	add(r, changes, "user_reinvite", "Invite again", "Sends an invitation once more.",
		func(ctx context.Context, c *platform.Client, in UID) (Done, error) {
			return doneOr(c.Users().Reinvite(ctx, in.UID), "invited %s again", in.UID)
		})
	add(r, changes, "user_reset_password", "Reset a password", "Sends a user a message to set a new password.",
		func(ctx context.Context, c *platform.Client, in UID) (Done, error) {
			return doneOr(c.Users().ResetPassword(ctx, in.UID), "sent a message to %s", in.UID)
		})
}

// references returns uids as references.
func references(uids []string) []platform.Reference {
	list := []platform.Reference{}
	for _, uid := range uids {
		list = append(list, platform.Reference{ID: uid})
	}
	return list
}

// GroupUser is a user of a group.
type GroupUser struct {
	On
	Group string `json:"group_uid"`
	User  string `json:"user_uid"`
}

func addGroups(r *registry) {
	add(r, reads, "user_group_list", "List user groups", "User groups, by page.",
		func(ctx context.Context, c *platform.Client, in Listing) (List, error) {
			o, err := in.options()
			if err != nil {
				return List{}, err
			}
			groups, err := c.UserGroups().List(ctx, o)
			if err != nil {
				return List{}, err
			}
			return listOf(groups)
		})
	add(r, reads, "user_group_get", "Get a user group", "One user group with its users.",
		func(ctx context.Context, c *platform.Client, in UID) (Object, error) {
			group, err := c.UserGroups().Get(ctx, in.UID, "*,users[id,username,displayName]")
			if err != nil {
				return nil, err
			}
			return object(group)
		})
	add(r, changes, "user_group_add_member", "Add to a group", "Adds a user to a group.",
		func(ctx context.Context, c *platform.Client, in GroupUser) (Done, error) {
			return doneOr(c.UserGroups().AddMember(ctx, in.Group, in.User), "added %s to %s", in.User, in.Group)
		})
	add(r, destroys, "user_group_remove_member", "Remove from a group", "Removes a user from a group.",
		func(ctx context.Context, c *platform.Client, in GroupUser) (Done, error) {
			return doneOr(c.UserGroups().RemoveMember(ctx, in.Group, in.User), "removed %s from %s", in.User, in.Group)
		})
	add(r, reads, "user_group_sharing_get", "Get sharing of a group", "Who may see and change a user group.",
		func(ctx context.Context, c *platform.Client, in UID) (Object, error) {
			sharing, err := c.UserGroups().Sharing(ctx, in.UID)
			if err != nil {
				return nil, err
			}
			return object(sharing)
		})
}

// RoleUser is a user with a role.
type RoleUser struct {
	On
	Role string `json:"role_uid"`
	User string `json:"user_uid"`
}

func addRoles(r *registry) {
	add(r, reads, "user_role_list", "List user roles", "User roles, by page.",
		func(ctx context.Context, c *platform.Client, in Listing) (List, error) {
			o, err := in.options()
			if err != nil {
				return List{}, err
			}
			roles, err := c.UserRoles().List(ctx, o)
			if err != nil {
				return List{}, err
			}
			return listOf(roles)
		})
	add(r, reads, "user_role_get", "Get a user role", "One user role.",
		func(ctx context.Context, c *platform.Client, in UID) (Object, error) {
			role, err := c.UserRoles().Get(ctx, in.UID, "*")
			if err != nil {
				return nil, err
			}
			return object(role)
		})
	add(r, reads, "user_role_authority_list", "List authorities", "Authorities of a role; without uid, all that the server knows. Servers of v41 refuse the latter.",
		func(ctx context.Context, c *platform.Client, in struct {
			On
			UID string `json:"uid,omitempty"`
		},
		) (Names, error) {
			if in.UID != "" {
				names, err := c.UserRoles().Authorities(ctx, in.UID)
				if err != nil {
					return Names{}, err
				}
				return namesOf(names), nil
			}
			all, err := c.Authorities().List(ctx)
			if err != nil {
				return Names{}, err
			}
			names := make([]string, len(all))
			for i := range all {
				names[i] = all[i].ID
			}
			return namesOf(names), nil
		})
	add(r, changes, "user_role_add_user", "Grant a role", "Gives a user a role.",
		func(ctx context.Context, c *platform.Client, in RoleUser) (Done, error) {
			return doneOr(c.UserRoles().AddUser(ctx, in.Role, in.User), "granted %s to %s", in.Role, in.User)
		})
	add(r, destroys, "user_role_remove_user", "Revoke a role", "Takes a role from a user.",
		func(ctx context.Context, c *platform.Client, in RoleUser) (Done, error) {
			return doneOr(c.UserRoles().RemoveUser(ctx, in.Role, in.User), "revoked %s of %s", in.Role, in.User)
		})
}
