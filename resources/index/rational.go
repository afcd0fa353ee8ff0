package index

import "math/big"

// NumberOf is the Number next to a rational one, of 34 digits.
func NumberOf(r *big.Rat) Number { return numberOf(r) }
