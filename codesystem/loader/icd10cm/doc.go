// Package icd10cm reads the tabular list of ICD-10-CM as NCHS publishes it in XML
// (icd10cm_tabular_YYYY.xml), and the order file of CMS (icd10cm_order_YYYY.txt) with all valid
// codes.
//
// The two belong together: if both are in one folder, they are read together, whichever of them is
// named. The order file contains the codes, their long and short titles, and whether they may be
// reported (billable). The XML contains chapters, blocks, inclusion terms and notes. Without the
// order file, codes with a seventh character are inferred from the definitions of these
// characters, with the placeholder X, and Load warns how many codes these are: not all of them are
// official. Without the XML, there are no chapters, blocks, terms and notes.
//
//   - The hierarchy is chapter, block, category, subcategory, code. Chapters and blocks have
//     their range as code (A00-B99, B20-B20) and are notSelectable; a block is below the
//     narrowest block whose range contains its own.
//   - Placeholders are not a level: W55.01XA is below W55.01.
//   - Inclusion terms and short titles are designations with the uses inclusion and short of
//     loader.DesignationUse.
//   - includes, excludes1, excludes2, codeFirst, codeAlso, useAdditionalCode, note and
//     sevenChrNote are properties, one value for each note. kind is a property too: chapter,
//     block, category, subcategory or code.
//   - The introduction, the index of sections and the table of visual impairment are not read.
//
// Codes of the XML that the order file does not contain are left out.
package icd10cm
