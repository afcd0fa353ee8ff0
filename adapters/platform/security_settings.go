package platform

import (
	"context"
	"encoding/json"
	"fmt"
)

// SecuritySettings are the system settings about security: password policy, expiry of credentials,
// registration, lockout. A setting that is absent is nil. Platform client, section 2.4.
type SecuritySettings struct {
	MinPasswordLength                 *int    `json:"minPasswordLength,omitempty"`
	MaxPasswordLength                 *int    `json:"maxPasswordLength,omitempty"`
	CredentialsExpires                *int    `json:"credentialsExpires,omitempty"` // months; 0 means never
	CredentialsExpiresReminderInDays  *int    `json:"credentialsExpiresReminderInDays,omitempty"`
	CredentialsExpiryAlert            *bool   `json:"credentialsExpiryAlert,omitempty"`
	KeyAccountRecovery                *bool   `json:"keyAccountRecovery,omitempty"`
	KeySelfRegistrationNoRecaptcha    *bool   `json:"keySelfRegistrationNoRecaptcha,omitempty"`
	KeyLockMultipleFailedLogins       *bool   `json:"keyLockMultipleFailedLogins,omitempty"`
	KeyCanGrantOwnUserAuthorityGroups *bool   `json:"keyCanGrantOwnUserAuthorityGroups,omitempty"`
	EnforceVerifiedEmail              *bool   `json:"enforceVerifiedEmail,omitempty"` // from major 42 on
	KeyEmailHostName                  *string `json:"keyEmailHostName,omitempty"`
	KeyEmailUsername                  *string `json:"keyEmailUsername,omitempty"`
}

// SecuritySettings reads all settings with one request and returns those about security.
func (s System) SecuritySettings(ctx context.Context) (*SecuritySettings, error) {
	all, err := s.Settings(ctx)
	if err != nil {
		return nil, err
	}
	return all.Security()
}

// securityField is the key of a setting and a pointer to its field.
type securityField struct {
	key  string
	into any
}

func (s *SecuritySettings) fields() []securityField {
	return []securityField{
		{"minPasswordLength", &s.MinPasswordLength},
		{"maxPasswordLength", &s.MaxPasswordLength},
		{"credentialsExpires", &s.CredentialsExpires},
		{"credentialsExpiresReminderInDays", &s.CredentialsExpiresReminderInDays},
		{"credentialsExpiryAlert", &s.CredentialsExpiryAlert},
		{"keyAccountRecovery", &s.KeyAccountRecovery},
		{"keySelfRegistrationNoRecaptcha", &s.KeySelfRegistrationNoRecaptcha},
		{"keyLockMultipleFailedLogins", &s.KeyLockMultipleFailedLogins},
		{"keyCanGrantOwnUserAuthorityGroups", &s.KeyCanGrantOwnUserAuthorityGroups},
		{"enforceVerifiedEmail", &s.EnforceVerifiedEmail},
		{"keyEmailHostName", &s.KeyEmailHostName},
		{"keyEmailUsername", &s.KeyEmailUsername},
	}
}

// SecurityKeys returns the keys of SecuritySettings in the order of its fields.
func SecurityKeys() []string {
	var keys []string
	for _, field := range new(SecuritySettings).fields() {
		keys = append(keys, field.key)
	}
	return keys
}

// Security returns the settings about security. It accepts numbers and booleans that were sent as texts.
// Other kinds of values are errors.
func (s Settings) Security() (*SecuritySettings, error) {
	out := &SecuritySettings{}
	for _, field := range out.fields() {
		value, ok := s.Get(field.key)
		if !ok {
			continue
		}
		err := json.Unmarshal(value, field.into)
		if err != nil { // a number or boolean in quotes
			err = json.Unmarshal([]byte(SettingText(value)), field.into)
		}
		if err != nil {
			return nil, fmt.Errorf("the system setting %s has a value of the wrong kind: %s", field.key, SettingText(value))
		}
	}
	return out, nil
}
