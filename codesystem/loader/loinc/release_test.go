package loinc_test

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/codesystem/loader/loinc"
	"github.com/roget-health/roget/resources/r4"
)

// coded returns a code of the shape of LOINC's: prefix, number, check digit (mod 10).
func coded(prefix string, number int) string {
	digits := strconv.Itoa(number)
	sum, double := 0, true
	for i := len(digits) - 1; i >= 0; i-- {
		d := int(digits[i] - '0')
		if double {
			d *= 2
			d = d/10 + d%10
		}
		sum, double = sum+d, !double
	}
	return fmt.Sprintf("%s%d-%d", prefix, number, (10-sum%10)%10)
}

// The release of the tests. All of it is made up.
var (
	glow, oldGlow, haze, form = coded("", 90001), coded("", 90002), coded("", 90003), coded("", 90004)
	root, light, substance    = coded("LP", 900), coded("LP", 901), coded("LP", 902)
	lamp, level, point, qn    = coded("LP", 903), coded("LP", 904), coded("LP", 905), coded("LP", 906)
	colours, elsewhere        = coded("LL", 700), coded("LL", 701)
	red, green, blue          = coded("LA", 501), coded("LA", 502), coded("LA", 503)
	glows, allGlows           = coded("LG", 300), coded("LG", 301)
)

// csvOf writes rows as a file of a release: everything in quotes.
func csvOf(header string, rows ...[]string) string {
	var b strings.Builder
	b.WriteString(`"` + strings.ReplaceAll(header, ",", `","`) + "\"\r\n")
	for _, row := range rows {
		for i, field := range row {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(`"` + strings.ReplaceAll(field, `"`, `""`) + `"`)
		}
		b.WriteString("\r\n")
	}
	return b.String()
}

const tableHeader = "LOINC_NUM,COMPONENT,PROPERTY,TIME_ASPCT,SYSTEM,SCALE_TYP,METHOD_TYP,CLASS,VersionLastChanged,CHNG_TYPE,DefinitionDescription,STATUS,CONSUMER_NAME,CLASSTYPE,RELATEDNAMES2,SHORTNAME,ORDER_OBS,EXTERNAL_COPYRIGHT_NOTICE,LONG_COMMON_NAME,COMMON_TEST_RANK,PanelType,VersionFirstReleased,DisplayName"

const panelsHeader = "ParentId,ParentLoinc,ParentName,ID,SEQUENCE,Loinc,LoincName,DisplayNameForForm,ObservationRequiredInPanel,ObservationIdInForm,SkipLogicHelpText,DefaultValue,EntryType,DataTypeInForm,DataTypeSource,AnswerSequenceOverride,ConditionForInclusion,AllowableAlternative,ObservationCategory,Context,ConsistencyChecks,RelevanceEquation,CodingInstructions,QuestionCardinality,AnswerCardinality,AnswerListIdOverride,AnswerListTypeOverride,EXTERNAL_COPYRIGHT_NOTICE,AdditionalCopyright"

func releaseFiles() map[string]string {
	const accessory = "AccessoryFiles/"
	link := "LoincNumber,LongCommonName,PartNumber,PartName,PartCodeSystem,PartTypeName,LinkTypeName,Property"
	primary := func(term, part, name, axis string) []string {
		return []string{term, "", part, name, loinc.System, axis, "Primary", "http://loinc.org/property/" + axis}
	}
	return map[string]string{
		"LoincTable/Loinc.csv": csvOf(tableHeader,
			[]string{glow, "Glow", "Lvl", "Pt", "Lamp", "Qn", "", "LIGHT", "2.99", "MIN", "How much a lamp glows.", "ACTIVE", "", "1", "Lamp; Level; Shine", "Glow Lamp", "Both", "", "Glow [Level] of Lamp", "12", "", "2.9", "Glow (Lamp)"},
			[]string{oldGlow, "Old glow", "Lvl", "Pt", "Lamp", "Qn", "", "LIGHT", "2.9", "DEL", "", "DEPRECATED", "", "1", "", "Old glow Lamp", "Both", "", "Old glow [Level] of Lamp", "0", "", "1.0", ""},
			[]string{haze, "Haze", "Lvl", "Pt", "Lamp", "Nom", "Look", "LIGHT", "2.100", "", "", "TRIAL", "", "1", "", "Haze Lamp", "Observation", "Copyright of the Haze Institute", "Haze colour of Lamp by \"Look\"", "0", "", "2.100", ""},
			[]string{form, "Lamp form", "-", "Pt", "Lamp", "-", "", "PANEL.LIGHT", "2.99", "", "", "ACTIVE", "", "2", "", "Lamp form", "Order", "", "Lamp form", "0", "Panel", "2.99", ""},
		),
		"LoincTable/MapTo.csv": csvOf("LOINC,MAP_TO,COMMENT", []string{oldGlow, glow, "brighter"}),
		accessory + "PartFile/Part.csv": csvOf("PartNumber,PartTypeName,PartName,PartDisplayName,Status",
			[]string{light, "COMPONENT", "Glow", "Glow of light", "ACTIVE"},
			[]string{lamp, "SYSTEM", "Lamp", "Lamp", "ACTIVE"},
			[]string{level, "PROPERTY", "Lvl", "Level", "ACTIVE"},
			[]string{point, "TIME", "Pt", "Point in time", "ACTIVE"},
			[]string{qn, "SCALE", "Qn", "Qn", "DEPRECATED"},
		),
		accessory + "PartFile/LoincPartLink_Primary.csv": csvOf(link,
			primary(glow, light, "Glow", "COMPONENT"), primary(glow, level, "Lvl", "PROPERTY"), primary(glow, point, "Pt", "TIME_ASPCT"),
			primary(glow, lamp, "Lamp", "SYSTEM"), primary(glow, qn, "Qn", "SCALE_TYP"), primary(haze, lamp, "Lamp", "SYSTEM"),
		),
		accessory + "PartFile/LoincPartLink_Supplementary.csv": csvOf(link,
			[]string{glow, "", light, "Glow", loinc.System, "COMPONENT", "DetailedModel", "http://loinc.org/property/analyte"},
			[]string{glow, "", light, "Glow", loinc.System, "CLASS", "Metadata", "http://loinc.org/property/CLASS"},
			[]string{glow, "", substance, "Substance", loinc.System, "COMPONENT", "Metadata", "http://loinc.org/property/category"},
		),
		accessory + "PartFile/PartRelatedCodeMapping.csv": csvOf("PartNumber,PartName,PartTypeName,ExtCodeId,ExtCodeDisplayName,ExtCodeSystem,Equivalence,ContentOrigin,ExtCodeSystemVersion,ExtCodeSystemCopyrightNotice",
			[]string{light, "Glow", "COMPONENT", "X1", "Shine", "http://example.org/Light", "equivalent", "", "7", ""},
			[]string{light, "Glow", "COMPONENT", "X2", "Shimmer", "http://example.org/Light", "narrower", "", "7", ""},
			[]string{lamp, "Lamp", "SYSTEM", "1001", "Lamp", "http://snomed.info/sct", "who knows", "", "2024", ""},
			[]string{level, "Lvl", "PROPERTY", "1002", "Level", "http://snomed.info/sct", "", "", "", ""},
		),
		accessory + "ComponentHierarchyBySystem/ComponentHierarchyBySystem.csv": csvOf("PATH_TO_ROOT,SEQUENCE,IMMEDIATE_PARENT,CODE,CODE_TEXT",
			[]string{"", "1", "", root, "Everything"},
			[]string{root, "1", root, substance, "Substance"},
			[]string{root + "." + substance, "1", substance, light, "Glow"},
			[]string{root, "2", root, light, "Glow"},
			[]string{root + "." + substance + "." + light, "1", light, glow, "Glow Lamp"},
			[]string{root + "." + light, "1", light, glow, "Glow Lamp"},
			[]string{root, "3", root, haze, "Haze Lamp"},
		),
		accessory + "AnswerFile/AnswerList.csv": csvOf("AnswerListId,AnswerListName,AnswerListOID,ExtDefinedYN,ExtDefinedAnswerListCodeSystem,ExtDefinedAnswerListLink,AnswerStringId,LocalAnswerCode,LocalAnswerCodeSystem,SequenceNumber,DisplayText,ExtCodeId,ExtCodeDisplayName,ExtCodeSystem,ExtCodeSystemVersion,ExtCodeSystemCopyrightNotice,SubsequentTextPrompt,Description,Score",
			[]string{colours, "Colours", "1.2.3", "N", "", "", red, "r", "", "3", "Red", "X9", "Crimson", "http://example.org/Light", "7", "", "", "", "2"},
			[]string{colours, "Colours", "1.2.3", "N", "", "", blue, "b", "", "1", "Blue", "", "", "", "", "", "", "", "0"},
			[]string{colours, "Colours", "1.2.3", "N", "", "", green, "g", "", "2", "Green", "no system", "", "", "", "", "", "", "1.5"},
			[]string{coded("LL", 702), "Warm colours", "", "N", "", "", red, "", "", "1", "Warm red", "X9", "Crimson", "http://example.org/Light", "7", "", "", "", ""},
			[]string{elsewhere, "Elsewhere", "1.2.4", "Y", "http://example.org/Light", "http://example.org/list", "", "", "", "", "", "", "", "", "", "", "", "", ""},
		),
		accessory + "AnswerFile/LoincAnswerListLink.csv": csvOf("LoincNumber,LongCommonName,AnswerListId,AnswerListName,AnswerListLinkType,ApplicableContext",
			[]string{haze, "", colours, "Colours", "NORMATIVE", ""},
		),
		accessory + "PanelsAndForms/PanelsAndForms.csv": csvOf(panelsHeader,
			[]string{"7", form, "Lamp form", "7", "1", form, "Lamp form", "", "", "", "", "", "H", "", "", "", "", "", "", "", "", "", "", "", "", "", "", "", ""},
			[]string{"7", form, "Lamp form", "8", "2", glow, "Glow Lamp", "How bright?", "R", "a1", "Skip if dark", "", "Q", "", "", "", "", "", "", "", "", "", "", "", "1..1", "", "", "", ""},
			[]string{"7", form, "Lamp form", "9", "1", haze, "Haze Lamp", "", "O", "", "", "", "Q", "", "", "REVERSE", "", "", "", "", "", "", "", "0..1", "", elsewhere, "EXAMPLE", "Copyright of the Haze Institute", ""},
		),
		accessory + "LoincRsnaRadiologyPlaybook/LoincRsnaRadiologyPlaybook.csv": csvOf("LoincNumber,LongCommonName,PartNumber,PartTypeName,PartName,PartSequenceOrder",
			[]string{haze, "", lamp, "Rad.Modality.Modality_Type X", "Lamp", "A"}, []string{haze, "", "", "Rad.View", "", "A"}),
		accessory + "PanelsAndForms/Loinc.csv":      csvOf("LOINC_NUM,LONG_COMMON_NAME", []string{"copy", "that is not read"}),
		accessory + "PanelsAndForms/AnswerList.csv": csvOf("AnswerListId,AnswerListName,AnswerStringId,SequenceNumber,DisplayText", []string{colours, "", "copy", "4", "Not read"}),
		accessory + "ConsumerName/ConsumerName.csv": csvOf("LoincNumber,ConsumerName", []string{glow, "Glow, lamp"}),
		accessory + "LinguisticVariants/LinguisticVariants.csv": csvOf("ID,ISO_LANGUAGE,ISO_COUNTRY,LANGUAGE_NAME,PRODUCER",
			[]string{"8", "fr", "CA", "French (CANADA)", "Nobody"}),
		accessory + "LinguisticVariants/frCA8LinguisticVariant.csv": csvOf("LOINC_NUM,COMPONENT,PROPERTY,TIME_ASPCT,SYSTEM,SCALE_TYP,METHOD_TYP,CLASS,SHORTNAME,LONG_COMMON_NAME,RELATEDNAMES2,LinguisticVariantDisplayName",
			[]string{glow, "Lueur", "Niveau", "Temps ponctuel", "Lampe", "Quantitatif", "", "", "", "Lueur de la lampe", "", "Lueur"},
			[]string{haze, "Brume", "Niveau", "Temps ponctuel", "Lampe", "Nominal", "", "", "", "", "", ""},
		),
		accessory + "GroupFile/Group.csv":           csvOf("ParentGroupId,GroupId,Group,Archetype,Status,VersionFirstReleased", []string{allGlows, glows, "Glow|Lamp", "Same component", "Active", ""}, []string{"", coded("LG", 302), "Hazes", "", "Active", ""}),
		accessory + "GroupFile/ParentGroup.csv":     csvOf("ParentGroupId,ParentGroup,Status", []string{allGlows, "All glows", "ACTIVE"}),
		accessory + "GroupFile/GroupLoincTerms.csv": csvOf("Category,GroupId,Archetype,LoincNumber,LongCommonName", []string{"Light", glows, "", oldGlow, ""}, []string{"", glows, "", glow, ""}, []string{"", coded("LG", 302), "", haze, ""}),
		accessory + "Top2000Results/SI/Top2000CommonLabResultsSi.csv": csvOf("LOINC #,Long Common Name,Short Name,CLASS,Rank",
			[]string{glow, "Glow [Level] of Lamp", "", "LIGHT", "1"}, []string{haze, "", "", "", "2"}),
	}
}

// writeRelease writes files as a folder.
func writeRelease(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "Loinc_2.99")
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// zipRelease writes files as a zip archive.
func zipRelease(t testing.TB, name string, files map[string]string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(files[name])); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// collected is a sink that keeps everything.
type collected struct {
	index     *codesystem.Index
	documents map[string]string // JSON by url
}

func (c *collected) CodeSystem(x *codesystem.Index, _ loader.Origin) error {
	c.index = x
	return nil
}

func (c *collected) Document(_ string, h *r4.Header, body []byte, _ loader.Origin) error {
	if c.documents == nil {
		c.documents = map[string]string{}
	}
	c.documents[h.URL] = string(body)
	return nil
}

// loaded loads a release.
func loaded(t testing.TB, path string) *collected {
	t.Helper()
	var c collected
	if err := loinc.Load(context.Background(), path, loader.Options{}, &c); err != nil {
		t.Fatal(err)
	}
	return &c
}

func copyFile(t testing.TB, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}
