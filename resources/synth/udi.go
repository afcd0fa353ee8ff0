package synth

import "encoding/base64"

// A udi is the unique device identifier in the GS1 format: the article number and the production
// data.
type udi struct {
	company, article int // of the article number, four and five digits; prefix 952 is reserved for demonstrations
	made, expires    day
	lot, serial      int // five and eight digits
}

// appendDI appends the article number, a GTIN of 14 digits. The last one is the check digit.
func (u *udi) appendDI(dst []byte) []byte {
	begun := len(dst)
	dst = append(dst, "0952"...)
	dst = appendDigits(dst, u.company, 4)
	dst = appendDigits(dst, u.article, 5)
	return append(dst, checkDigit(dst[begun:]))
}

// checkDigit returns the GS1 check digit. The weights are 3 and 1 from the right.
func checkDigit(digits []byte) byte {
	sum, weight := 0, 3
	for i := len(digits) - 1; i >= 0; i-- {
		sum += int(digits[i]-'0') * weight
		weight = 4 - weight
	}
	return byte('0' + (10-sum%10)%10)
}

func (u *udi) appendLot(dst []byte) []byte { return appendDigits(append(dst, 'L'), u.lot, 5) }

func (u *udi) appendSerial(dst []byte) []byte { return appendDigits(append(dst, 'S'), u.serial, 8) }

// append appends the whole identifier, in human-readable form with brackets, or in
// machine-readable form, in which fields of variable length end with a separator.
func (u *udi) append(dst []byte, brackets bool) []byte {
	field := func(dst []byte, id string) []byte {
		if brackets {
			return append(append(append(dst, '('), id...), ')')
		}
		return append(dst, id...)
	}
	dst = u.appendDI(field(dst, "01"))
	dst = appendShortDate(field(dst, "11"), u.made)
	dst = appendShortDate(field(dst, "17"), u.expires)
	dst = u.appendLot(field(dst, "10"))
	if !brackets {
		dst = append(dst, 0x1d)
	}
	return u.appendSerial(field(dst, "21"))
}

// appendShortDate appends a date in the GS1 format YYMMDD.
func appendShortDate(dst []byte, d day) []byte {
	year, month, dayOfMonth := d.civil()
	return appendDigits(dst, year%100*10_000+month*100+dayOfMonth, 6)
}

// udiCarrier writes the member udiCarrier of a Device.
func (d *draft) udiCarrier(u *udi) {
	d.list("udiCarrier")
	d.object("")
	d.member("deviceIdentifier")
	d.buf = append(u.appendDI(append(d.buf, '"')), '"')
	d.text("issuer", "http://hl7.org/fhir/NamingSystem/gs1-di")
	d.text("jurisdiction", "http://hl7.org/fhir/NamingSystem/fda-udi")
	if d.percent(25) {
		var raw [64]byte
		d.member("carrierAIDC")
		d.buf = base64.StdEncoding.AppendEncode(append(d.buf, '"'), u.append(raw[:0], false))
		d.buf = append(d.buf, '"')
	}
	d.member("carrierHRF")
	d.buf = append(u.append(append(d.buf, '"'), true), '"')
	d.text("entryType", d.code(&deviceEntry))
	d.ends(2)
}
