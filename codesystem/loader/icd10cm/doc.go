// Package icd10cm reads the tabular list of ICD-10-CM as NCHS publishes it in XML
// (icd10cm_tabular_YYYY.xml), and the order file of CMS (icd10cm_order_YYYY.txt) with all
// valid codes.
//
// The two belong together: one that lies in the folder of the other is read with it, and
// which of them is named does not matter. The order file tells the codes, their titles,
// long and short, and which may be reported (billable); the XML tells chapters, blocks,
// inclusion terms and notes. Without the order file, codes with a seventh character are
// made from the definitions of these characters, with the placeholder X; without the XML,
// there are no chapters, blocks, terms and notes.
//
//   - The hierarchy is chapter, block, category, subcategory, code. Chapters and blocks
//     have their range as code (A00-B99, B20-B20) and are notSelectable; a block lies in
//     the narrowest block whose range has it.
//   - Placeholders are no level: W55.01XA is below W55.01.
//   - Inclusion terms and short titles are designations with the uses inclusion and short of
//     loader.DesignationUse.
//   - includes, excludes1, excludes2, codeFirst, codeAlso, useAdditionalCode, note and
//     sevenChrNote are properties, one value for each note. Kind is a property too:
//     chapter, block, category, subcategory or code.
//   - Introduction, the index of sections and the table of visual impairment are not read.
//
// Codes of the XML that the order file does not have are left out.
package icd10cm
