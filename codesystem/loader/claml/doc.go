// Package claml reads classifications in the Classification Markup Language, versions 2.0 and 3.0
// (EN ISO 13120): ICD-10 and its national modifications, ICF, ICPC and others.
//
//   - Each Class is a concept; SuperClass and SubClass are the hierarchy. Its kind and usage
//     (dagger, aster) are properties, as is each Meta, under its name. Classes of the kinds
//     chapter and block are notSelectable.
//   - The rubric preferred is the display in the language of the classification, and a
//     designation in other languages. definition is the definition. preferredLong, inclusion,
//     index, synonym and short are designations, with their kind as use (loader.UseCoding). All
//     other kinds (exclusion, note, coding-hint, text and so on) are properties with these
//     names, one value per label. Without preferred, preferredLong is the display.
//   - A modified class (ModifiedBy) has the codes of its modifier below it: E10 and .0 make
//     E10.0, with the display "… : …" without the first blank. A class passes its modifiers on
//     to subclasses without modifiers, unless they exclude the modifier (ExcludeModifier).
//     ValidModifierClass selects from a modifier. Each of several modifiers modifies the result
//     of the previous one. A code that the classification itself lists is not generated.
//   - The language is that of the labels (xml:lang), or else Meta lang.
//
// History, authors, variants and the order of use of modifiers (in Meta) are not read.
package claml
