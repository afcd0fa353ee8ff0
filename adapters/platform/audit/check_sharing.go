package audit

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
)

const (
	sharingPage = 200    // objects in a page
	pageSize    = 500    // of other lists
	maxPages    = 10_000 // of a list, if the server never ends it
)

// focusTypes are the types whose sharing is judged, with the plurals of their paths. The plural that the
// server reports is not used: it could be any path.
var focusTypes = []struct{ name, plural string }{
	{"dataSet", "dataSets"},
	{"program", "programs"},
	{"programStage", "programStages"},
	{"trackedEntityType", "trackedEntityTypes"},
	{"categoryOption", "categoryOptions"},
	{"relationshipType", "relationshipTypes"},
	{"sqlView", "sqlViews"},
	{"aggregateDataExchange", "aggregateDataExchanges"},
	{"dashboard", "dashboards"},
	{"document", "documents"},
	{"map", "maps"},
	{"visualization", "visualizations"},
	{"eventReport", "eventReports"},
	{"eventVisualization", "eventVisualizations"},
	{"report", "reports"},
}

// A shared is an object with its sharing.
type shared struct {
	kind        string // such as dataSet
	dataBearing bool
	id, name    string
	block       sharingBlock
	unreadable  bool // it does not show its sharing
}

// A sharingBlock is the member sharing of an object.
type sharingBlock struct {
	Owner    string            `json:"owner"`
	External *bool             `json:"external"`
	Public   *string           `json:"public"`
	Users    map[string]access `json:"users"`
	Groups   map[string]access `json:"userGroups"`
}

type access struct {
	Access string `json:"access"`
}

// may reports whether the public access has a right: its letter at a position. Platform toolkit, section
// 5.9.
func (b sharingBlock) may(position int, right byte) bool {
	return b.Public != nil && len(*b.Public) > position && (*b.Public)[position] == right
}

// sharingInput is the input of the check of sharing.
type sharingInput struct {
	objects   []shared
	budget    int
	exhausted bool // there are more objects
}

func (s *Scanner) sharing(ctx context.Context) (Result, error) {
	schemas, err := readList[struct {
		Name          string `json:"name"`
		Shareable     bool   `json:"shareable"`
		DataShareable bool   `json:"dataShareable"`
	}](ctx, s, "/api/schemas", "schemas", url.Values{"fields": {"name,plural,shareable,dataShareable"}})
	if err != nil {
		return Result{}, err
	}
	in := sharingInput{budget: s.options.MaxObjects}
	for _, focus := range focusTypes {
		for _, schema := range schemas {
			if schema.Name != focus.name || !schema.Shareable {
				continue
			}
			if err := s.readShared(ctx, &in, focus.name, focus.plural, schema.DataShareable); err != nil {
				return Result{}, err
			}
			break
		}
	}
	result := reduceSharing(in)
	if s.options.Graph != nil {
		graph, err := s.graph(ctx, in.objects)
		if err != nil {
			return Result{}, err
		}
		if err := s.options.Graph(graph); err != nil {
			return Result{}, err
		}
	}
	return result, nil
}

// readShared reads the objects of a type in pages, as far as the budget goes.
func (s *Scanner) readShared(ctx context.Context, in *sharingInput, kind, plural string, dataBearing bool) error {
	path := "/api/" + plural
	for page := 1; page <= maxPages; page++ {
		if len(in.objects) >= in.budget {
			in.exhausted = true // perhaps there are none of this type, but nobody has looked
			return nil
		}
		var answer map[string]json.RawMessage
		query := url.Values{"fields": {"id,name,code,sharing"}, "paging": {"true"}, "page": {strconv.Itoa(page)}, "pageSize": {strconv.Itoa(sharingPage)}}
		if err := s.read(ctx, path, query, &answer); err != nil {
			return err
		}
		var list []struct {
			ID      string          `json:"id"`
			Name    string          `json:"name"`
			Code    string          `json:"code"`
			Sharing json.RawMessage `json:"sharing"`
		}
		var pager struct{ Page, PageCount, PageSize int }
		if json.Unmarshal(answer[plural], &list) != nil || list == nil || answer["pager"] != nil && json.Unmarshal(answer["pager"], &pager) != nil {
			return &readError{path, errForm}
		}
		if pager.Page > 0 && pager.Page < page { // the page does not exist, and the server repeats the last page
			return nil
		}
		for _, each := range list {
			if len(in.objects) >= in.budget {
				in.exhausted = true
				return nil
			}
			o := shared{kind: kind, dataBearing: dataBearing, id: each.ID, name: cmp.Or(each.Name, each.Code, each.ID)}
			o.unreadable = each.Sharing == nil || string(each.Sharing) == "null" || json.Unmarshal(each.Sharing, &o.block) != nil ||
				o.block.Public != nil && !isAccess(*o.block.Public)
			in.objects = append(in.objects, o)
		}
		if last := pager.PageCount; last > 0 && page >= last || last == 0 && len(list) < sharingPage || len(list) == 0 {
			return nil
		}
	}
	return nil
}

// isAccess reports whether a text is an access string: r or -, w or -, and so on.
func isAccess(text string) bool {
	if len(text) < 4 {
		return false
	}
	for i := range 4 {
		if text[i] != '-' && text[i] != "rwrw"[i] {
			return false
		}
	}
	return true
}

func reduceSharing(in sharingInput) Result {
	const external, writeData, writeMeta = "sharing-external", "sharing-public-write-data", "sharing-public-write-metadata"
	const sqlView, readData = "sharing-public-sql-view", "sharing-public-read-data"
	all := []string{external, writeData, writeMeta, sqlView, readData}
	r := newRecorder(CheckSharing)
	r.evaluated(all...)
	unreadable, reporting := 0, 0
	for _, o := range in.objects {
		if o.unreadable {
			unreadable++
			continue
		}
		if o.block.External != nil {
			reporting++
		}
		isExternal := o.block.External != nil && *o.block.External
		flag := func(id, group string, severity Severity, title, detail string) {
			evidence := map[string]string{"type": o.kind, "id": o.id}
			if o.block.Public != nil {
				evidence["public"] = *o.block.Public
			}
			r.flag(Finding{Control: id, GroupKey: group, Severity: severity, Title: title, Detail: detail, Subject: o.kind + " " + o.name, Evidence: evidence})
		}
		if isExternal {
			flag(external, "external", High, "An object can be read without login", "Its sharing has external access.")
		}
		metaRead, metaWrite, dataRead, dataWrite := o.block.may(0, 'r'), o.block.may(1, 'w'), o.block.may(2, 'r'), o.block.may(3, 'w')
		switch {
		case o.dataBearing && (metaWrite || dataWrite):
			flag(writeData, "public-write-data", High, "Every user may change data or their definition", "Its public access includes writing.")
		case !o.dataBearing && metaWrite:
			flag(writeMeta, "public-write-metadata", Medium, "Every user may change metadata", "Its public access includes writing.")
		case isExternal:
		case o.kind == "sqlView" && metaRead:
			flag(sqlView, "public-sql-view", Medium, "Every user may run an SQL view", "Its public access includes reading.")
		case o.dataBearing && dataRead:
			flag(readData, "public-read-data", Medium, "Every user may read data", "Its public access includes reading data.")
		}
	}
	if len(in.objects) > unreadable && reporting == 0 {
		r.skip("the server does not report external access", external)
	}
	if unreadable > 0 {
		r.note("Objects that do not show their sharing and were not judged: %d.", unreadable)
		r.skip(fmt.Sprintf("some objects do not show their sharing: %d", unreadable), all...)
	}
	if in.exhausted {
		r.note("ONLY THE FIRST %d OBJECTS WERE READ: the findings are a lower bound. Raise --max-objects to read more.", in.budget)
		r.skip(fmt.Sprintf("only the first %d objects were read", in.budget), all...)
	}
	return r.done()
}
