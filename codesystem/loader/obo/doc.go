// Package obo reads ontologies of the Open Biomedical Ontologies: files of OBO 1.2 and
// 1.4 (.obo) and OBO graphs (.json). Each becomes one code system:
//
//   - Terms, or nodes of the kind CLASS, are concepts with their identifiers as codes:
//     HP:0000118. IRIs below http://purl.obolibrary.org/obo/ are written so, others stay
//     as they are. Anonymous terms, and nodes of which nothing is said, are none.
//   - is_a is the hierarchy. A parent that the file does not describe becomes a value of
//     the property is_a. An is_a or relationship that holds only in a context
//     (gci_relation) is left out.
//   - Relationships are properties with codes as values, under the name of their type.
//   - Synonyms are designations. Their use is their scope (hasExactSynonym and so on, of
//     http://www.geneontology.org/formats/oboInOwl), or their type where they have one
//     (layperson, of the ontology's url); a scope besides a type, other than exact, is in
//     the extension that stands for R5's additionalUse. The type uk_spelling is the
//     language en-GB. Formulas and the like (FORMULA, SMILES, InChI, InChIKey) become
//     properties.
//   - Obsolete terms are inactive, with replacedBy and consider; alternate identifiers
//     are values of alternateCode. Definitions, comments, cross-references, subsets,
//     namespaces, creation and annotations (property_value) are kept; the sources of
//     definitions and synonyms are not.
//   - Logical definitions (intersection_of, union_of, equivalent_to, disjoint_from),
//     instances, imports and rules of the header are not read: in released files the
//     hierarchy has what follows from them.
//
// The file is read twice, first for what it defines, so that nothing but identifiers is
// held besides the index.
package obo
