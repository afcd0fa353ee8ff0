package platformtest

import (
	"fmt"
	"net/http"
)

// DataConflicts returns a fault that refuses a write with a number of conflicts, in the shape of data and
// tracker imports.
func DataConflicts(count int) Fault {
	conflicts := []any{}
	for i := range count {
		conflicts = append(conflicts, Object{
			"object": fmt.Sprintf("Del%08d", i+1), "property": "dataElement", "value": fmt.Sprintf("Data element not found: `Del%08d`", i+1),
			"errorCode": "E7610", "indexes": list(i),
		})
	}
	return conflict(Object{
		"responseType": "ImportSummary", "status": "WARNING", "conflicts": conflicts,
		"importCount": Object{"imported": 0, "updated": 0, "ignored": count, "deleted": 0},
	})
}

// MetadataConflicts returns a fault that refuses a write with a number of conflicts, in the shape of
// metadata imports.
func MetadataConflicts(count int) Fault {
	reports := []any{}
	for i := range count {
		uid := fmt.Sprintf("Del%08d", i+1)
		reports = append(reports, Object{"klass": klass("dataElements"), "index": i, "uid": uid, "errorReports": list(Object{
			"message": "Missing required property `name`", "mainKlass": klass("dataElements"), "errorCode": "E4000", "errorProperty": "name",
			"value": uid, "errorProperties": list("name"),
		})})
	}
	return conflict(Object{
		"responseType": "ImportReport", "status": "ERROR", "typeReports": list(Object{"klass": klass("dataElements"), "objectReports": reports}),
		"stats": Object{"created": 0, "updated": 0, "deleted": 0, "ignored": count, "total": count},
	})
}

func conflict(response Object) Fault {
	body := envelope(http.StatusConflict, "One or more errors occurred, please see full details in import report.")
	body["response"] = response
	return Fault{Status: http.StatusConflict, Body: string(rewritten(body))}
}
