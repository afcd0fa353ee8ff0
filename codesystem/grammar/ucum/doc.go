// Package ucum reads units of measure in the Unified Code for Units of Measure.
//
//	u, err := ucum.Parse("mg/dL")
//	u.Canonical()   // "g.m-3"
//	u.Display()     // "(milligram) / (deciliter)"
//	ucum.Convert(value, u, other)
//
// Codes are case sensitive (the "c/s" column of UCUM) and follow the grammar of UCUM 2.2 with two
// additions that published lists of units need: an annotation may follow a number or a closing
// parenthesis, and may contain blanks. Factors are exact rationals.
//
// Arbitrary units ([iU], [CFU], …) have no measure: their canonical form is that of the rest of
// the unit, and they are only commensurable with themselves. Special units (Cel, [pH], B[SPL], …)
// are scales. Convert handles them when they stand alone, with or without a prefix, and refuses
// them in products, which UCUM leaves undefined.
//
// Units and prefixes come from ucum-essence.xml, which is embedded whole and unchanged, packed as
// by codesystem/packed/pack.Text:
//
//	Copyright 1999-2024 Regenstrief Institute, Inc. All rights reserved.
//	Licensed under the UCUM License, Version 1.1. A copy of it, with its disclaimer of
//	warranties, is LICENSE.md in this folder and https://unitsofmeasure.org/license.
//
// The table is read when the first unit is parsed; importing the package costs nothing.
//
// Source: https://ucum.org/ucum.
package ucum
