package synth_test

import (
	"encoding/base64"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/synth"
)

var humanReadable = regexp.MustCompile(`^\(01\)(\d{14})\(11\)(\d{6})\(17\)(\d{6})\(10\)(\w{1,20})\(21\)(\w{1,20})$`)

// shortDate returns the date of a dateTime in the GS1 format.
func shortDate(t *testing.T, text string) string {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return at.Format("060102")
}

// The device identifier is a GTIN with a correct check digit, and the human-readable form
// consists of it and of the dates and numbers of the device.
func TestUDI(t *testing.T) {
	codes := 0
	each(t, "Device", synth.Options{Seed: 5}, 500, func(n int, body []byte) {
		root := parse(t, body)
		carrier := root.Get("udiCarrier").Index(0)
		parts := humanReadable.FindStringSubmatch(carrier.Get("carrierHRF").Text())
		if parts == nil {
			t.Fatalf("%d: %s", n, carrier.Get("carrierHRF").Text())
		}
		sum := 0
		for i, digit := range parts[1] {
			sum += int(digit-'0') * (3 - i%2*2) // weights 3, 1, 3, …, and 1 for the last of 14 digits
		}
		if sum%10 != 0 {
			t.Errorf("%d: the check digit of %s is wrong", n, parts[1])
		}
		want := []string{
			carrier.Get("deviceIdentifier").Text(), shortDate(t, root.Get("manufactureDate").Text()), shortDate(t, root.Get("expirationDate").Text()),
			root.Get("lotNumber").Text(), root.Get("serialNumber").Text(),
		}
		if got := parts[1:]; fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%d: %v is not made of %v", n, got, want)
		}
		if coded := carrier.Get("carrierAIDC"); coded.Kind() == document.String {
			raw, err := base64.StdEncoding.DecodeString(coded.Text())
			if want := fmt.Sprintf("01%s11%s17%s10%s\x1d21%s", parts[1], parts[2], parts[3], parts[4], parts[5]); err != nil || string(raw) != want {
				t.Errorf("%d: %q, not %q: %v", n, raw, want, err)
			}
			codes++
		}
		if made, ends := root.Get("manufactureDate").Text(), root.Get("expirationDate").Text(); strings.Compare(made, ends) >= 0 {
			t.Errorf("%d: made %s, good until %s", n, made, ends)
		}
	})
	if codes == 0 {
		t.Error("no carrierAIDC in 500 devices")
	}
}
