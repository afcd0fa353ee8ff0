package audit

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/roget-health/roget/adapters/platform"
)

// A token is a personal access token without its value.
type token struct {
	ID         string              `json:"id"`
	Name       string              `json:"name"`
	Type       string              `json:"type"`
	Expire     json.RawMessage     `json:"expire"`
	CreatedBy  *platform.Reference `json:"createdBy"`
	Attributes []struct {
		Type       string   `json:"type"`
		AllowedIPs []string `json:"allowedIps"`
	} `json:"attributes"`
}

// expiry returns when a token expires. known is false if that cannot be read.
func (t token) expiry() (at time.Time, has, known bool) {
	text := strings.Trim(string(t.Expire), `"`)
	if text == "" || text == "null" || text == "0" {
		return at, false, true
	}
	if ms, err := strconv.ParseFloat(text, 64); err == nil {
		return time.UnixMilli(int64(ms)), true, ms > 0 && ms < 1e15
	}
	at, err := platform.ParseTime(text)
	return at, true, err == nil
}

func (t token) bound() bool {
	for _, a := range t.Attributes {
		if strings.EqualFold(a.Type, "IpAllowedList") && len(a.AllowedIPs) > 0 {
			return true
		}
	}
	return false
}

// tokensInput is the input of the check of tokens.
type tokensInput struct {
	tokens  []token
	super   bool // the account holds ALL, so it sees all tokens
	unknown string
	now     time.Time
}

func (s *Scanner) tokens(ctx context.Context) (Result, error) {
	in := tokensInput{now: s.options.Now}
	held, err := s.readAuthorities(ctx)
	if err != nil {
		in.unknown = err.Error()
	}
	in.super = isSuper(held)
	in.tokens, err = readList[token](ctx, s, "/api/apiToken", "apiToken",
		fields("id,name,type,expire,created,createdBy[id],attributes[type,allowedIps,allowedMethods,allowedReferrers]"))
	if err != nil {
		return Result{}, err
	}
	return reduceTokens(in), nil
}

func reduceTokens(in tokensInput) Result {
	const inventory, forever, expired, anywhere = "tokens-inventory", "tokens-non-expiring", "tokens-expired-not-deleted", "tokens-no-ip-allowlist"
	r := newRecorder(CheckTokens)
	r.evaluated(inventory, forever, expired, anywhere)
	if in.unknown != "" {
		r.note("Whether the list has the tokens of all users is not known: %s.", in.unknown)
	}
	unreadable := 0
	for _, t := range in.tokens {
		name := cmp.Or(t.Name, t.ID, "without a name")
		evidence := func() map[string]string {
			e := map[string]string{"id": t.ID, "type": t.Type}
			if t.CreatedBy != nil {
				e["created_by"] = t.CreatedBy.ID
			}
			return e
		}
		at, has, known := t.expiry()
		switch {
		case !known:
			unreadable++
		case !has:
			r.flag(Finding{
				Control: forever, Severity: High, Title: "A token never expires", Subject: name, GroupKey: "token-non-expiring", Evidence: evidence(),
				Detail: "Whoever gets hold of it may use it for ever.",
			})
		case at.Before(in.now):
			e := evidence()
			e["expired"] = at.UTC().Format(time.DateOnly)
			r.flag(Finding{
				Control: expired, Severity: Warn, Title: "An expired token was not deleted", Subject: name, GroupKey: "token-expired", Evidence: e,
				Detail: "It cannot be used any more and only hides the others.",
			})
		}
		if !t.bound() {
			detail := "It works from every address."
			if known && !has {
				detail = "It works from every address and for ever, which is the worst case: a copy of it is enough."
			}
			r.flag(Finding{Control: anywhere, Severity: High, Title: "A token works from every address", Subject: name, GroupKey: "token-any-address", Evidence: evidence(), Detail: detail})
		}
	}
	if unreadable > 0 {
		r.note("Tokens whose expiry cannot be read: %d.", unreadable)
		r.skip(fmt.Sprintf("the expiry cannot be read of some tokens: %d", unreadable), forever, expired)
	}
	if len(in.tokens) > 0 {
		r.flag(Finding{
			Control: inventory, Severity: Info, Title: "Personal access tokens", Evidence: map[string]string{"count": strconv.Itoa(len(in.tokens))},
			Detail: fmt.Sprintf("Tokens that the audit account can see: %d.", len(in.tokens)),
		})
	}
	if !in.super && in.unknown == "" {
		r.remark(Finding{
			Severity: Info, Title: "Only the account's own tokens are visible",
			Detail: "The audit account does not hold ALL, so the tokens of other users were not judged.",
		})
	}
	return r.done()
}
