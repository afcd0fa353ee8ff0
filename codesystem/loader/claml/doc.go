// Package claml reads classifications in the Classification Markup Language, versions 2.0
// and 3.0 (EN ISO 13120): ICD-10 and its national modifications, ICF, ICPC and others.
//
//   - Each Class is a concept; SuperClass and SubClass are the hierarchy. Its kind and
//     usage (dagger, aster) are properties, as is each Meta, under its name. Classes of
//     the kinds chapter and block are notSelectable.
//   - Of the rubrics, preferred gives the display in the language of the classification,
//     and a designation in others; definition the definition; preferredLong, inclusion,
//     index, synonym and short are designations, with their kind as use (loader.UseCoding). All other kinds (exclusion, note, coding-hint, text and so on)
//     are properties of these names, one value a label. A kind preferredLong is the
//     display of a class without preferred.
//   - A class that is modified (ModifiedBy) has the codes of its modifier below it: E10
//     and .0 make E10.0, with the display "… : …" without the first blank. A class with
//     subclasses gives its modifiers on to those below it that have none, unless they
//     exclude the modifier (ExcludeModifier). ValidModifierClass selects from a modifier.
//     Of several modifiers, each modifies what the one before it made. A code that the
//     classification lists itself is not made.
//   - The language is that of the labels (xml:lang), or else Meta lang.
//
// History, authors, variants and the order of use of modifiers (in Meta) are not read.
package claml
