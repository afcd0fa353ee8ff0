package platform

// IsUID tells whether a text is an identifier of the platform: 11 letters and digits, the
// first a letter.
func IsUID(text string) bool {
	if len(text) != 11 {
		return false
	}
	for i := range len(text) {
		c := text[i]
		if letter := c|0x20 >= 'a' && c|0x20 <= 'z'; !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return true
}
