package synth

import "encoding/base64"

// A udi is the unique identifier of a device as GS1 has it: number of the article, and of
// the piece made.
type udi struct {
	company, article int // of the number, four and five digits; 952 is for demonstrations
	made, expires    day
	lot, serial      int // five and eight digits
}

// appendDI appends the number of the article, a GTIN of 14 digits of which the last checks
// the others.
func (u *udi) appendDI(dst []byte) []byte {
	begun := len(dst)
	dst = append(dst, "0952"...)
	dst = appendDigits(dst, u.company, 4)
	dst = appendDigits(dst, u.article, 5)
	return append(dst, checkDigit(dst[begun:]))
}

// checkDigit returns the digit that GS1 has after others: weights 3 and 1 from the right.
func checkDigit(digits []byte) byte {
	sum, weight := 0, 3
	for i := len(digits) - 1; i >= 0; i-- {
		sum += int(digits[i]-'0') * weight
		weight = 4 - weight
	}
	return byte('0' + (10-sum%10)%10)
}

// appendLot and appendSerial append what is written of the piece.
func (u *udi) appendLot(dst []byte) []byte { return appendDigits(append(dst, 'L'), u.lot, 5) }

func (u *udi) appendSerial(dst []byte) []byte { return appendDigits(append(dst, 'S'), u.serial, 8) }

// append appends the whole: with brackets as people read it, without as machines do, where
// what has no fixed length ends with a separator.
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

// appendShortDate appends a date as GS1 has it: YYMMDD.
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
