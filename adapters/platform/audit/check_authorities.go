package audit

import (
	"context"
	"fmt"
	"strings"
)

const authorizationPath = "/api/me/authorization"

// readAuthorities reads the authorities of the audit account.
func (s *Scanner) readAuthorities(ctx context.Context) ([]string, error) {
	var list []string
	err := s.read(ctx, authorizationPath, nil, &list)
	return list, err
}

func (s *Scanner) authorities(ctx context.Context) (Result, error) {
	list, err := s.readAuthorities(ctx)
	if err != nil {
		return Result{}, err
	}
	return reduceAuthorities(list), nil
}

func reduceAuthorities(list []string) Result {
	r := newRecorder(CheckAuthorities)
	r.evaluated("authorities-audited-superuser", "authorities-audited-category")
	account := NewAccount(list)
	if account.IsSuperuser {
		r.flag(Finding{
			Control: "authorities-audited-superuser", Severity: Info, Title: "The audit account is a superuser",
			Detail: "The account holds ALL. Whoever gets hold of its credentials owns the platform.",
		})
	}
	for _, match := range account.Categories {
		if match.Key == superuser {
			continue
		}
		r.flag(Finding{
			Control: "authorities-audited-category", Severity: Info, Title: "The audit account has risky rights: " + match.Label, Subject: match.Key,
			Detail: fmt.Sprintf("It may %s.", match.Description), Evidence: map[string]string{"authorities": strings.Join(match.Matched, ", ")},
		})
	}
	return r.done()
}
