package ecl

import (
	"strings"
	"testing"
)

// productions has, for every rule of the grammar of ECL 2.2 that describes more than
// one character, expressions that use it with their canonical form.
var productions = []struct {
	name  string
	cases [][2]string
}{
	{"expressionConstraint", [][2]string{{"  404684003\t\r\n", "404684003"}}},
	{"refinedExpressionConstraint", [][2]string{
		{"<404684003:363698007=39057004", "< 404684003 : 363698007 = 39057004"},
		{"(<404684003 OR 138875005):363698007=*", "(< 404684003 OR 138875005) : 363698007 = *"},
	}},
	{"compoundExpressionConstraint", [][2]string{{"(100001 AND 100002) OR (100003 MINUS 100004)", "(100001 AND 100002) OR (100003 MINUS 100004)"}}},
	{"conjunctionExpressionConstraint", [][2]string{{"100001 and 100002 , 100003", "100001 AND 100002 AND 100003"}}},
	{"disjunctionExpressionConstraint", [][2]string{{"100001 or 100002 Or 100003", "100001 OR 100002 OR 100003"}}},
	{"exclusionExpressionConstraint", [][2]string{{"<100001 minus <<100002", "< 100001 MINUS << 100002"}}},
	{"dottedExpressionConstraint", [][2]string{{"<100001.100002.100003", "< 100001 . 100002 . 100003"}}},
	{"dottedExpressionAttribute", [][2]string{{"100001 . (100002 OR <100003)", "100001 . (100002 OR < 100003)"}}},
	{"subExpressionConstraint", [][2]string{
		{"<(100001)", "< 100001"},
		{"<<^(100001 OR 100002) {{M active=1}} {{C active=1}} {{+HISTORY}}", "<< ^ (100001 OR 100002) {{ M active = 1 }} {{ C active = 1 }} {{ + HISTORY }}"},
		{"((100001))", "100001"},
		{"< (<< 100001)", "< (<< 100001)"},
	}},
	{"eclFocusConcept", [][2]string{{"100001", "100001"}, {"*", "*"}, {"LOINC#54486-6", "loinc#54486-6"}}},
	{"dot", [][2]string{{"100001.100002", "100001 . 100002"}}},
	{"memberOf", [][2]string{{"^100001", "^ 100001"}, {"memberOf 100001", "^ 100001"}, {"^ [ * ] 100001", "^ [*] 100001"}, {"^[any]*", "^ [*] *"}}},
	{"refsetFieldNameSet", [][2]string{{"^ [ mapGroup , mapTarget ] 100001", "^ [mapGroup, mapTarget] 100001"}}},
	{"refsetFieldName", [][2]string{{"^[targetComponentId]100001", "^ [targetComponentId] 100001"}}},
	{"eclConceptReference", [][2]string{{"100001 | A term, with (signs) |", "100001"}, {"100001|x|", "100001"}}},
	{"eclConceptReferenceSet", [][2]string{{"* {{ typeId = ( 100001 |a| 100002 ) }}", "* {{ D typeId = (100001 OR 100002) }}"}}},
	{"conceptId", [][2]string{{"138875005", "138875005"}}},
	{"term", [][2]string{{"100001 |Größe \"x\" {{ : |", "100001"}}},
	{"altIdentifier", [][2]string{{"LOINC#54486-6 |Hemoglobin|", "loinc#54486-6"}, {`"icd-10#A00 B"`, `"icd-10#A00 B"`}, {`icd#"A00.1"`, "icd#A00.1"}, {"match#1 OR any#1 OR top#1", "match#1 OR any#1 OR top#1"}}},
	{"altIdentifierSchemeAlias", [][2]string{{"a-b2c#1", "a-b2c#1"}, {"x10#1", "x10#1"}, {"a-0#1", "a-0#1"}, {"a-01#1", ""}}},
	{"altIdentifierCodeWithinQuotes", [][2]string{{`"s#a (b) | c"`, `"s#a (b) | c"`}, {`"s#äö"`, `"s#äö"`}}},
	{"altIdentifierCodeWithoutQuotes", [][2]string{{"s#A0-b_c.1", "s#A0-b_c.1"}}},
	{"wildCard", [][2]string{{"*", "*"}, {"ANY", "*"}, {"< any", "< *"}}},
	{"constraintOperator", [][2]string{{"< << <", ""}, {"<100001", "< 100001"}}},
	{"descendantOf", [][2]string{{"<100001", "< 100001"}, {"descendantOf 100001", "< 100001"}, {"DESCENDANTOF(100001)", "< 100001"}}},
	{"descendantOrSelfOf", [][2]string{{"<<100001", "<< 100001"}, {"descendantOrSelfOf 100001", "<< 100001"}}},
	{"childOf", [][2]string{{"<!100001", "<! 100001"}, {"childOf 100001", "<! 100001"}}},
	{"childOrSelfOf", [][2]string{{"<<!100001", "<<! 100001"}, {"childOrSelfOf 100001", "<<! 100001"}}},
	{"ancestorOf", [][2]string{{">100001", "> 100001"}, {"ancestorOf 100001", "> 100001"}}},
	{"ancestorOrSelfOf", [][2]string{{">>100001", ">> 100001"}, {"ancestorOrSelfOf 100001", ">> 100001"}}},
	{"parentOf", [][2]string{{">!100001", ">! 100001"}, {"parentOf 100001", ">! 100001"}}},
	{"parentOrSelfOf", [][2]string{{">>!100001", ">>! 100001"}, {"parentOrSelfOf 100001", ">>! 100001"}}},
	{"top", [][2]string{{"!!>(100001 OR 100002)", "!!> (100001 OR 100002)"}, {"top (^100001)", "!!> (^ 100001)"}}},
	{"bottom", [][2]string{{"!!<^100001", "!!< ^ 100001"}, {"bottom ^100001", "!!< ^ 100001"}}},
	{"conjunction", [][2]string{{"100001 AND 100002", "100001 AND 100002"}, {"100001,100002", "100001 AND 100002"}, {"100001 and/*x*/100002", "100001 AND 100002"}}},
	{"disjunction", [][2]string{{"100001 or 100002", "100001 OR 100002"}}},
	{"exclusion", [][2]string{{"100001 MiNuS 100002", "100001 MINUS 100002"}}},
	{"eclRefinement", [][2]string{{"*:{100001=*},100002=*", "* : { 100001 = * } AND 100002 = *"}, {"*:({100001=*}OR {100002=*}),100003=*", "* : ({ 100001 = * } OR { 100002 = * }) AND 100003 = *"}}},
	{"conjunctionRefinementSet", [][2]string{{"*:{100001=*} AND {100002=*} , {100003=*}", "* : { 100001 = * } AND { 100002 = * } AND { 100003 = * }"}}},
	{"disjunctionRefinementSet", [][2]string{{"*:{100001=*} OR 100002=* OR {100003=*}", "* : { 100001 = * } OR 100002 = * OR { 100003 = * }"}}},
	{"subRefinement", [][2]string{{"*:((100001=*))", "* : 100001 = *"}, {"*:(100001=* OR ({100002=*} AND 100003=*))", "* : 100001 = * OR ({ 100002 = * } AND 100003 = *)"}}},
	{"eclAttributeSet", [][2]string{{"*:{100001=*,(100002=* OR 100003=*)}", "* : { 100001 = * AND (100002 = * OR 100003 = *) }"}}},
	{"conjunctionAttributeSet", [][2]string{{"*:100001=* AND 100002=*", "* : 100001 = * AND 100002 = *"}}},
	{"disjunctionAttributeSet", [][2]string{{"*:100001=* OR 100002=*", "* : 100001 = * OR 100002 = *"}}},
	{"subAttributeSet", [][2]string{{"*:{(100001=*)}", "* : { 100001 = * }"}, {"*:{((100001=*,100002=*),100003=*)}", "* : { 100001 = * AND 100002 = * AND 100003 = * }"}}},
	{"eclAttributeGroup", [][2]string{{"*:[0..2]{[2..*]100001=*}", "* : [0..2] { [2..*] 100001 = * }"}, {"*:{100001=100002{{C active=1}}}", "* : { 100001 = 100002 {{ C active = 1 }} }"}}},
	{"eclAttribute", [][2]string{
		{"*:[1..3]R 100001=100002", "* : [1..3] R 100001 = 100002"},
		{"*:100001>=#-1.5", "* : 100001 >= #-1.5"},
		{`*:100001="a  b"`, `* : 100001 = "a  b"`},
		{`*:100001=match:"a  b"`, `* : 100001 = match:"a b"`},
		{`*:100001="\"\\ "`, `* : 100001 = "\"\\ "`},
		{`*:100001!=("a" match:"c" wild:"b*" "d#e")`, `* : 100001 != ("a" match:"c" wild:"b*" "d#e")`},
		{"*:100001=TRUE", "* : 100001 = true"},
	}},
	{"cardinality", [][2]string{{"*:[0..0]100001=*", "* : [0..0] 100001 = *"}, {"*:[1..*]100001=*", "* : 100001 = *"}}},
	{"minValue", [][2]string{{"*:[10..12]100001=*", "* : [10..12] 100001 = *"}}},
	{"to", [][2]string{{"*:[1 to 3]100001=*", "* : [1..3] 100001 = *"}}},
	{"maxValue", [][2]string{{"*:[0..5]100001=*", "* : [0..5] 100001 = *"}}},
	{"many", [][2]string{{"*:[2..*]100001=*", "* : [2..*] 100001 = *"}, {"*:[2 to MANY]100001=*", "* : [2..*] 100001 = *"}}},
	{"reverseFlag", [][2]string{{"*:R 100001=*", "* : R 100001 = *"}, {"*:R<100001=*", "* : R < 100001 = *"}, {"*:reverseOf 100001=*", "* : R 100001 = *"}, {"*:R#1=*", "* : r#1 = *"}, {"*:R100001=*", "* : R 100001 = *"}, {"*:R1-x#1=*", "* : r1-x#1 = *"}}},
	{"eclAttributeName", [][2]string{{"*:(100001 OR <100002){{C active=1}}=*", "* : (100001 OR < 100002) {{ C active = 1 }} = *"}, {"*:<<100001=*", "* : << 100001 = *"}, {"*: * = *", "* : * = *"}, {"*:(100001)not =*", "* : 100001 != *"}}},
	{"expressionComparisonOperator", [][2]string{{"*:100001!=100002", "* : 100001 != 100002"}, {"*:100001<>100002", "* : 100001 != 100002"}, {"*:100001 NOT = 100002", "* : 100001 != 100002"}, {"*:100001=<100002", "* : 100001 = < 100002"}, {"*:100001=!!>100002", "* : 100001 = !!> 100002"}}},
	{"numericComparisonOperator", [][2]string{{"*:100001=#1,100001!=#1,100001<#1,100001<=#1,100001>#1,100001>=#1", "* : 100001 = #1 AND 100001 != #1 AND 100001 < #1 AND 100001 <= #1 AND 100001 > #1 AND 100001 >= #1"}}},
	{"timeComparisonOperator", [][2]string{{`*{{C effectiveTime<"20200101",effectiveTime>="20190101"}}`, `* {{ C effectiveTime < "20200101", effectiveTime >= "20190101" }}`}}},
	{"stringComparisonOperator", [][2]string{{`*:100001 not= "x"`, `* : 100001 != "x"`}}},
	{"booleanComparisonOperator", [][2]string{{"*:100001<>false", "* : 100001 != false"}}},
	{"idComparisonOperator", [][2]string{{"*{{id!=100001}}", "* {{ D id != 100001 }}"}}},
	{"descriptionFilterConstraint", [][2]string{{`*{{term="x"}}{{Dterm="x"}}{{d term="x"}}`, `* {{ D term = "x" }} {{ D term = "x" }} {{ D term = "x" }}`}}},
	{"descriptionFilter", [][2]string{{`*{{term="x",language=en , type=syn}}`, `* {{ D term = "x", language = en, typeId = 900000000000013009 }}`}}},
	{"descriptionIdFilter", [][2]string{{"*{{id=3032638017}}", "* {{ D id = 3032638017 }}"}}},
	{"descriptionIdKeyword", [][2]string{{"*{{ID=3032638017}}", "* {{ D id = 3032638017 }}"}}},
	{"descriptionId", [][2]string{{"*{{id=100001}}", "* {{ D id = 100001 }}"}}},
	{"descriptionIdSet", [][2]string{{"*{{id=( 100001  100002 )}}", "* {{ D id = (100001 100002) }}"}}},
	{"termFilter", [][2]string{{`*{{term!="heart att"}}`, `* {{ D term != "heart att" }}`}}},
	{"termKeyword", [][2]string{{`*{{TERM="x"}}`, `* {{ D term = "x" }}`}}},
	{"typedSearchTerm", [][2]string{{`*{{term=match : "x"}}`, `* {{ D term = "x" }}`}, {`*{{term=wild:"x"}}`, `* {{ D term = wild:"x" }}`}}},
	{"typedSearchTermSet", [][2]string{{`*{{term=("a" match:"b" wild:"c")}}`, `* {{ D term = (match:"a" match:"b" wild:"c") }}`}}},
	{"wild", [][2]string{{`*{{term=WILD:"x"}}`, `* {{ D term = wild:"x" }}`}}},
	{"matchKeyword", [][2]string{{`*{{term=MATCH:"x"}}`, `* {{ D term = "x" }}`}}},
	{"matchSearchTerm", [][2]string{{`*{{term="a\"b\\c"}}`, `* {{ D term = "a\"b\\c" }}`}, {`*{{term=match:"a#b"}}`, `* {{ D term = match:"a#b" }}`}}},
	{"matchSearchTermSet", [][2]string{{`*{{term=" heart  /* and */ att "}}`, `* {{ D term = "heart att" }}`}}},
	{"wildSearchTerm", [][2]string{{`*{{term=wild:"a*\*\\\"b c"}}`, `* {{ D term = wild:"a*\*\\\"b c" }}`}}},
	{"wildSearchTermSet", [][2]string{{`*{{term=wild:" a "}}`, `* {{ D term = wild:" a " }}`}}},
	{"languageFilter", [][2]string{{"*{{language!=sv}}", "* {{ D language != sv }}"}}},
	{"language", [][2]string{{"*{{LANGUAGE=sv}}", "* {{ D language = sv }}"}}},
	{"languageCode", [][2]string{{"*{{language=SV}}", "* {{ D language = sv }}"}}},
	{"languageCodeSet", [][2]string{{"*{{language=(en sv)}}", "* {{ D language = (en sv) }}"}}},
	{"typeFilter", [][2]string{{"*{{type=syn,typeId=100001}}", "* {{ D typeId = 900000000000013009, typeId = 100001 }}"}}},
	{"typeIdFilter", [][2]string{{"*{{typeId=<100001}}", "* {{ D typeId = < 100001 }}"}}},
	{"typeId", [][2]string{{"*{{TYPEID=100001}}", "* {{ D typeId = 100001 }}"}}},
	{"typeTokenFilter", [][2]string{{"*{{type!=fsn}}", "* {{ D typeId != 900000000000003001 }}"}}},
	{"type", [][2]string{{"*{{TYPE=fsn}}", "* {{ D typeId = 900000000000003001 }}"}}},
	{"typeToken", [][2]string{{"*{{type=def}}", "* {{ D typeId = 900000000000550004 }}"}}},
	{"typeTokenSet", [][2]string{{"*{{type=(syn fsn)}}", "* {{ D typeId = (900000000000013009 OR 900000000000003001) }}"}}},
	{"synonym", [][2]string{{"*{{type=SYN}}", "* {{ D typeId = 900000000000013009 }}"}, {"*{{type=synonym}}", "* {{ D typeId = 900000000000013009 }}"}}},
	{"fullySpecifiedName", [][2]string{{"*{{type=fullySpecifiedName}}", "* {{ D typeId = 900000000000003001 }}"}}},
	{"definition", [][2]string{{"*{{type=definition}}", "* {{ D typeId = 900000000000550004 }}"}}},
	{"dialectFilter", [][2]string{{"*{{dialect=en-us(prefer)}}", "* {{ D dialect = en-us (900000000000548007) }}"}}},
	{"dialectIdFilter", [][2]string{{"*{{dialectId=<<100001(accept)}}", "* {{ D dialectId = << 100001 (900000000000549004) }}"}, {"*{{dialectId=(100001 OR 100002)}}", "* {{ D dialectId = (100001 OR 100002) }}"}}},
	{"dialectId", [][2]string{{"*{{DIALECTID!=100001}}", "* {{ D dialectId != 100001 }}"}}},
	{"dialectAliasFilter", [][2]string{{"*{{dialect!=en-x-gmdn}}", "* {{ D dialect != en-x-gmdn }}"}}},
	{"dialect", [][2]string{{"*{{D DIALECT=en-gb}}", "* {{ D dialect = en-gb }}"}}},
	{"dialectAlias", [][2]string{{"*{{dialect=EN-AU}}", "* {{ D dialect = en-au }}"}}},
	{"dialectAliasSet", [][2]string{{"*{{dialect=( en-gb (prefer) en-us )(accept)}}", "* {{ D dialect = (en-gb (900000000000548007) en-us (900000000000549004)) }}"}}},
	{"dialectIdSet", [][2]string{{"*{{dialectId=(100001 |a| (prefer) 100002)}}", "* {{ D dialectId = (100001 (900000000000548007) 100002) }}"}, {"*{{dialectId=(100001)}}", "* {{ D dialectId = 100001 }}"}}},
	{"acceptabilitySet", [][2]string{{"*{{dialect=en-gb (accept prefer)}}", "* {{ D dialect = en-gb (900000000000548007 900000000000549004) }}"}}},
	{"acceptabilityConceptReferenceSet", [][2]string{{"*{{dialect=en-gb (900000000000548007 |Preferred| 100001)}}", "* {{ D dialect = en-gb (900000000000548007 900000000000511003) }}"}}},
	{"acceptabilityTokenSet", [][2]string{{"*{{dialect=en-gb ( accept )}}", "* {{ D dialect = en-gb (900000000000549004) }}"}}},
	{"acceptabilityToken", [][2]string{{"*{{dialect=en-gb (PREFER)}}", "* {{ D dialect = en-gb (900000000000548007) }}"}}},
	{"acceptable", [][2]string{{"*{{dialect=en-gb (acceptable)}}", "* {{ D dialect = en-gb (900000000000549004) }}"}}},
	{"preferred", [][2]string{{"*{{dialect=en-gb (preferred)}}", "* {{ D dialect = en-gb (900000000000548007) }}"}}},
	{"conceptFilterConstraint", [][2]string{{"*{{c active=1}}{{Cactive=0}}", "* {{ C active = 1 }} {{ C active = 0 }}"}}},
	{"conceptFilter", [][2]string{{`*{{C definitionStatus=primitive,moduleId=100001,effectiveTime="",active=true}}`, `* {{ C definitionStatusId = 900000000000074008, moduleId = 100001, effectiveTime = "", active = 1 }}`}}},
	{"definitionStatusFilter", [][2]string{{"*{{C definitionStatus!=defined}}", "* {{ C definitionStatusId != 900000000000073002 }}"}}},
	{"definitionStatusIdFilter", [][2]string{{"*{{C definitionStatusId=(100001 100002)}}", "* {{ C definitionStatusId = (100001 OR 100002) }}"}}},
	{"definitionStatusIdKeyword", [][2]string{{"*{{C DEFINITIONSTATUSID=<<100001}}", "* {{ C definitionStatusId = << 100001 }}"}}},
	{"definitionStatusTokenFilter", [][2]string{{"*{{C definitionStatus=defined}}", "* {{ C definitionStatusId = 900000000000073002 }}"}}},
	{"definitionStatusKeyword", [][2]string{{"*{{C DefinitionStatus=defined}}", "* {{ C definitionStatusId = 900000000000073002 }}"}}},
	{"definitionStatusToken", [][2]string{{"*{{C definitionStatus=PRIMITIVE}}", "* {{ C definitionStatusId = 900000000000074008 }}"}}},
	{"definitionStatusTokenSet", [][2]string{{"*{{C definitionStatus=(primitive defined)}}", "* {{ C definitionStatusId = (900000000000074008 OR 900000000000073002) }}"}}},
	{"primitiveToken", [][2]string{{"*{{C definitionStatus=Primitive}}", "* {{ C definitionStatusId = 900000000000074008 }}"}}},
	{"definedToken", [][2]string{{"*{{C definitionStatus=Defined}}", "* {{ C definitionStatusId = 900000000000073002 }}"}}},
	{"moduleFilter", [][2]string{{"*{{D moduleId=100001}}{{C moduleId!=(100001 100002)}}", "* {{ D moduleId = 100001 }} {{ C moduleId != (100001 OR 100002) }}"}}},
	{"moduleIdKeyword", [][2]string{{"^*{{M MODULEID=<100001}}", "^ * {{ M moduleId = < 100001 }}"}}},
	{"effectiveTimeFilter", [][2]string{{`*{{effectiveTime>"20200131"}}`, `* {{ D effectiveTime > "20200131" }}`}}},
	{"effectiveTimeKeyword", [][2]string{{`*{{C EFFECTIVETIME="20200131"}}`, `* {{ C effectiveTime = "20200131" }}`}}},
	{"timeValue", [][2]string{{`*{{C effectiveTime="20201231"}}`, `* {{ C effectiveTime = "20201231" }}`}, {`*{{C effectiveTime=""}}`, `* {{ C effectiveTime = "" }}`}}},
	{"timeValueSet", [][2]string{{`*{{C effectiveTime!=( "20200131" "" )}}`, `* {{ C effectiveTime != ("20200131" "") }}`}}},
	{"year", [][2]string{{`*{{C effectiveTime="19990101"}}`, `* {{ C effectiveTime = "19990101" }}`}}},
	{"month", [][2]string{{`*{{C effectiveTime="19991201"}}`, `* {{ C effectiveTime = "19991201" }}`}}},
	{"day", [][2]string{{`*{{C effectiveTime="19990131"}}`, `* {{ C effectiveTime = "19990131" }}`}}},
	{"activeFilter", [][2]string{{"*{{active!=1}}", "* {{ D active != 1 }}"}}},
	{"activeKeyword", [][2]string{{"*{{C ACTIVE=1}}", "* {{ C active = 1 }}"}}},
	{"activeValue", [][2]string{{"*{{C active=*}}", "* {{ C active = * }}"}, {`^100001{{M active="*"}}`, "^ 100001 {{ M active = * }}"}}},
	{"activeTrueValue", [][2]string{{"*{{C active=true}}", "* {{ C active = 1 }}"}}},
	{"activeFalseValue", [][2]string{{"*{{C active=false}}", "* {{ C active = 0 }}"}, {"*{{C active=0}}", "* {{ C active = 0 }}"}}},
	{"memberFilterConstraint", [][2]string{{"^100001{{m active=0}}{{MmapGroup=#1}}", "^ 100001 {{ M active = 0 }} {{ M mapGroup = #1 }}"}}},
	{"memberFilter", [][2]string{{`^100001{{M moduleId=100002,effectiveTime>"20200101",active=1,mapGroup=#2}}`, `^ 100001 {{ M moduleId = 100002, effectiveTime > "20200101", active = 1, mapGroup = #2 }}`}}},
	{"memberFieldFilter", [][2]string{
		{"^100001{{M targetComponentId=<<100002}}", "^ 100001 {{ M targetComponentId = << 100002 }}"},
		{`^100001{{M mapTarget="J45.9"}}`, `^ 100001 {{ M mapTarget = "J45.9" }}`},
		{`^100001{{M mapTarget=(wild:"J*" "K")}}`, `^ 100001 {{ M mapTarget = (wild:"J*" match:"K") }}`},
		{`^100001{{M mapPriority<#2}}`, `^ 100001 {{ M mapPriority < #2 }}`},
		{`^100001{{M grouped=true}}`, `^ 100001 {{ M grouped = true }}`},
		{`^100001{{M targetEffectiveTime>=("20200101" "20210101")}}`, `^ 100001 {{ M targetEffectiveTime >= ("20200101" "20210101") }}`},
		{`^100001{{M sourceEffectiveTime=""}}`, `^ 100001 {{ M sourceEffectiveTime = "" }}`},
	}},
	{"historySupplement", [][2]string{{"<<100001{{+HISTORY}}", "<< 100001 {{ + HISTORY }}"}, {"<<100001 {{ + history-max }}", "<< 100001 {{ + HISTORY }}"}}},
	{"historyKeyword", [][2]string{{"100001{{+ History}}", "100001 {{ + HISTORY }}"}}},
	{"historyProfileSuffix", [][2]string{{"100001{{+HISTORY_MOD}}", "100001 {{ + HISTORY-MOD }}"}}},
	{"historyMinimumSuffix", [][2]string{{"100001{{+HISTORY-min}}", "100001 {{ + HISTORY-MIN }}"}}},
	{"historyModerateSuffix", [][2]string{{"100001{{+HISTORY-mod}}", "100001 {{ + HISTORY-MOD }}"}}},
	{"historyMaximumSuffix", [][2]string{{"100001{{+HISTORY_MAX}}", "100001 {{ + HISTORY }}"}}},
	{"historySubset", [][2]string{{"100001{{+HISTORY(100002 OR <100003)}}", "100001 {{ + HISTORY (100002 OR < 100003) }}"}}},
	{"numericValue", [][2]string{{"*:100001=#+5", "* : 100001 = #5"}, {"*:100001=#-5", "* : 100001 = #-5"}}},
	{"integerValue", [][2]string{{"*:100001=#0", "* : 100001 = #0"}, {"*:100001=#120", "* : 100001 = #120"}}},
	{"decimalValue", [][2]string{{"*:100001=#0.50", "* : 100001 = #0.50"}}},
	{"booleanValue", [][2]string{{"*:100001=True", "* : 100001 = true"}}},
	{"true", [][2]string{{"*:100001=true", "* : 100001 = true"}}},
	{"false", [][2]string{{"*:100001=false", "* : 100001 = false"}}},
	{"nonNegativeIntegerValue", [][2]string{{"*:[0..10]100001=*", "* : [0..10] 100001 = *"}}},
	{"sctId", [][2]string{{"123456", "123456"}, {"123456789012345678", "123456789012345678"}}},
	{"ws", [][2]string{{"/*a*/<\t/* b * / */100001/**/", "< 100001"}}},
	{"mws", [][2]string{{"100001 or/**/100002", "100001 OR 100002"}, {"*{{term=\"a\tb \",ModuleId=100001}}{{term=\"s#a\"}}", `* {{ D term = "a b", moduleId = 100001 }} {{ D term = match:"s#a" }}`}}},
	{"comment", [][2]string{{"100001 /* ** <<: \" | ( */ OR 100002", "100001 OR 100002"}}},
	{"escapedChar", [][2]string{{`*{{term="\"\\"}}`, `* {{ D term = "\"\\" }}`}}},
	{"escapedWildChar", [][2]string{{`*{{term=wild:"\*\"\\"}}`, `* {{ D term = wild:"\*\"\\" }}`}}},
}

func TestProductions(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range productions {
		if seen[p.name] {
			t.Errorf("%s is there twice", p.name)
		}
		seen[p.name] = true
		for _, c := range p.cases {
			e, err := Parse(c[0])
			if c[1] == "" {
				if err == nil {
					t.Errorf("%s: %q: no error", p.name, c[0])
				}
				continue
			}
			if err != nil {
				t.Errorf("%s: %q: %v", p.name, c[0], err)
				continue
			}
			if got := e.String(); got != c[1] {
				t.Errorf("%s: %q:\n got %s\nwant %s", p.name, c[0], got, c[1])
			}
			again, err := Parse(c[1])
			if err != nil || again.String() != c[1] {
				t.Errorf("%s: %q does not parse to the same: %v, %v", p.name, c[1], again, err)
			}
		}
	}
	for _, name := range strings.Fields(grammarRules) {
		if !seen[name] {
			t.Errorf("no case for %s", name)
		}
		delete(seen, name)
	}
	for name := range seen {
		t.Errorf("%s is no rule of the grammar", name)
	}
}

// grammarRules are the names of the rules of the grammar of ECL 2.2, except classes of single
// characters.
const grammarRules = `
expressionConstraint refinedExpressionConstraint compoundExpressionConstraint conjunctionExpressionConstraint
disjunctionExpressionConstraint exclusionExpressionConstraint dottedExpressionConstraint dottedExpressionAttribute
subExpressionConstraint eclFocusConcept dot memberOf refsetFieldNameSet refsetFieldName eclConceptReference
eclConceptReferenceSet conceptId term altIdentifier altIdentifierSchemeAlias altIdentifierCodeWithinQuotes
altIdentifierCodeWithoutQuotes wildCard constraintOperator descendantOf descendantOrSelfOf childOf childOrSelfOf
ancestorOf ancestorOrSelfOf parentOf parentOrSelfOf top bottom conjunction disjunction exclusion eclRefinement
conjunctionRefinementSet disjunctionRefinementSet subRefinement eclAttributeSet conjunctionAttributeSet
disjunctionAttributeSet subAttributeSet eclAttributeGroup eclAttribute cardinality minValue to maxValue many
reverseFlag eclAttributeName expressionComparisonOperator numericComparisonOperator timeComparisonOperator
stringComparisonOperator booleanComparisonOperator idComparisonOperator descriptionFilterConstraint
descriptionFilter descriptionIdFilter descriptionIdKeyword descriptionId descriptionIdSet termFilter termKeyword
typedSearchTerm typedSearchTermSet wild matchKeyword matchSearchTerm matchSearchTermSet wildSearchTerm
wildSearchTermSet languageFilter language languageCode languageCodeSet typeFilter typeIdFilter typeId
typeTokenFilter type typeToken typeTokenSet synonym fullySpecifiedName definition dialectFilter dialectIdFilter
dialectId dialectAliasFilter dialect dialectAlias dialectAliasSet dialectIdSet acceptabilitySet
acceptabilityConceptReferenceSet acceptabilityTokenSet acceptabilityToken acceptable preferred
conceptFilterConstraint conceptFilter definitionStatusFilter definitionStatusIdFilter definitionStatusIdKeyword
definitionStatusTokenFilter definitionStatusKeyword definitionStatusToken definitionStatusTokenSet primitiveToken
definedToken moduleFilter moduleIdKeyword effectiveTimeFilter effectiveTimeKeyword timeValue timeValueSet year
month day activeFilter activeKeyword activeValue activeTrueValue activeFalseValue memberFilterConstraint
memberFilter memberFieldFilter historySupplement historyKeyword historyProfileSuffix historyMinimumSuffix
historyModerateSuffix historyMaximumSuffix historySubset numericValue integerValue decimalValue booleanValue true
false nonNegativeIntegerValue sctId ws mws comment escapedChar escapedWildChar`
