package definitions_test

import (
	"strings"
	"testing"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/r4"
)

// TestRead reads the tables of an invented version of FHIR.
func TestRead(t *testing.T) {
	text := strings.Join([]string{
		"Tc\tElement", "id\tstring\t?", "extension\tExtension\t*",
		"TC\tExtension\tElement", "url\tstring\t1", "value[x]\tstring,boolean\t?",
		"TP\tboolean\tElement", "TP\tstring\tElement", "TP\tid\tstring",
		"Tr\tResource", "id\tid\t?s",
		"TR\tTree\tResource", "node\t@Element\t+s",
		"TB\tTree.node\tElement", "name\tstring\t1sm", "open[x]\t*\t?", "node\t#Tree.node\t*", "",
	}, "\n")
	tables, err := definitions.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	tree, node := tables.Type("Tree"), tables.Type("Tree.node")
	if !tables.IsResource("Tree") || tables.IsResource("Resource") || tables.Type("Patient") != nil || len(tables.Resources()) != 1 {
		t.Errorf("resources %v", tables.Resources())
	}
	switch of := tree.Element("node"); {
	case of.Type != node || !of.Repeats() || of.Min != 1 || of.Order != 1 || of.Attribute:
		t.Errorf("Tree.node: %+v", of)
	case tree.Element("id").Attribute || !node.Element("id").Attribute || !tables.Type("Extension").Element("url").Attribute:
		t.Error("attributes")
	case node.Element("node").Type != node || node.Element("openBoolean").Type.Value != r4.KindBoolean:
		t.Errorf("Tree.node.node: %+v", node.Element("node"))
	}
	for i, e := range node.Elements {
		if e.Order != i {
			t.Errorf("%s: order %d, index %d", e.Path, e.Order, i)
		}
	}
	for _, text := range []string{
		"TR\tA\nx\tMissing\t?\n", "TR\tA\nx\t#Missing\t?\n", "TR\tA\nx\t@Element\t?\n", "TR\tA\nx\t,\t?\n", "TR\tA\nx\t(\n",
	} {
		if tables, err := definitions.Read(text); err == nil || !strings.Contains(err.Error(), "A.x") {
			t.Errorf("%q: %v, %v", text, tables, err)
		}
	}
}

// TestR5 checks some facts of R5, and that the tables define every type that they use.
func TestR5(t *testing.T) {
	tables := definitions.R5()
	want := "Bundle CapabilityStatement CodeSystem ConceptMap NamingSystem OperationDefinition OperationOutcome Parameters TerminologyCapabilities ValueSet"
	if got := strings.Join(tables.Resources(), " "); got != want {
		t.Errorf("resources %s", got)
	}
	target, attachment := tables.Type("ConceptMap.group.element.target"), tables.Type("Attachment")
	switch relationship := target.Element("relationship"); {
	case relationship == nil || relationship.Min != 1 || !relationship.Modifier || !relationship.Binding.Contains("not-related-to"):
		t.Errorf("relationship: %+v", relationship)
	case target.Element("equivalence") != nil || target.Element("product").Type != target.Element("dependsOn").Type:
		t.Error("elements of a target")
	case attachment.Element("size").TypeCode != "integer64" || attachment.Element("size").Type.Value != r4.KindString:
		t.Error("the size of an Attachment")
	case len(tables.Type("CodeSystem").Choices("versionAlgorithm[x]")) != 2 || !tables.Type("ValueSet.compose.include.filter").Element("op").Binding.Contains("child-of"):
		t.Error("new elements and codes")
	}
	for _, name := range append(tables.Resources(), "Extension", "Dosage", "RelatedArtifact", "Availability") {
		for _, e := range tables.Type(name).Elements {
			if e.Type == nil || e.Binding != nil && len(e.Binding.Codes()) == 0 {
				t.Errorf("%s: %+v", e.Path, e)
			}
		}
	}
}
