package postgres_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/roget-health/roget/adapters/postgres"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
)

// trips counts round trips to the server, statements, and rows that came back with a body and without. Those
// of notifications, which come later, do not count.
type trips struct{ trips, statements, bodies, others int64 }

type sqlKey struct{}

func (n *trips) add(sql string, tag pgconn.CommandTag) {
	n.statements++
	switch {
	case !tag.Select():
	case strings.Contains(sql, "d.body"):
		n.bodies += tag.RowsAffected()
	default:
		n.others += tag.RowsAffected()
	}
}

func (n *trips) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	if !strings.Contains(data.SQL, "pg_notify") {
		n.trips++
	}
	return context.WithValue(ctx, sqlKey{}, data.SQL)
}

func (n *trips) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryEndData) {
	if sql := ctx.Value(sqlKey{}).(string); !strings.Contains(sql, "pg_notify") {
		n.add(sql, data.CommandTag)
	}
}

func (n *trips) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	n.trips++
	return ctx
}

func (n *trips) TraceBatchQuery(_ context.Context, _ *pgx.Conn, data pgx.TraceBatchQueryData) {
	n.add(data.SQL, data.CommandTag)
}

func (n *trips) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

// TestTrips counts what common requests ask of the server. A transaction of ten asks as often as a
// create.
func TestTrips(t *testing.T) {
	var n trips
	store, err := postgres.OpenTraced(t.Context(), server.Schema(t), &n)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	service := resources.NewService(store, nil)
	create := func(body string, number int) (resources.Outcome, error) {
		return service.Create(t.Context(), "Patient", fmt.Appendf(nil, body, number), resources.CreateOptions{})
	}
	const patient = `{"resourceType":"Patient","identifier":[{"system":"http://a.example","value":"v%d"}],"gender":"male"}`
	update := func(id string, number int) error {
		_, err := service.Update(t.Context(), "Patient", id, fmt.Appendf(nil, `{"id":%q,%s`, id, fmt.Sprintf(patient, number)[1:]), resources.UpdateOptions{})
		return err
	}
	var last resources.Outcome
	for i := range 60 {
		if last, err = create(patient, i); err != nil {
			t.Fatal(err)
		}
	}
	ten := func(request, id string) *resources.Bundle {
		text := `{"resourceType":"Bundle","type":"transaction","entry":[`
		for i := range 10 {
			text += fmt.Sprintf(`{"request":{%s%[2]d"},"resource":{%s%[2]d","resourceType":"Patient","gender":"male"}},`, request, i, id)
		}
		bundle, err := resources.ParseBundle([]byte(strings.TrimSuffix(text, ",") + `]}`))
		if err != nil {
			t.Fatal(err)
		}
		return bundle
	}
	transaction := func(b *resources.Bundle) error {
		_, err := service.Transaction(t.Context(), b, resources.TransactionOptions{})
		return err
	}
	search := func(query string, want int) error {
		params, err := resources.ParseQuery(query)
		if err != nil {
			return err
		}
		found, err := service.Search(t.Context(), resources.SearchRequest{Type: "Patient", Params: params})
		if err == nil && len(found.Matches) != want {
			err = fmt.Errorf("%d matches", len(found.Matches))
		}
		return err
	}
	for _, row := range []struct {
		name string
		want trips // others is 0 where it depends on the plan of a search
		do   func() error
	}{
		{"read", trips{1, 1, 1, 0}, func() error {
			_, err := service.Read(t.Context(), "Patient", last.ID)
			return err
		}},
		{"create", trips{2, 8, 0, 2}, func() error {
			_, err := create(patient, 1000)
			return err
		}},
		{"transaction of ten creates", trips{2, 8, 0, 2}, func() error { return transaction(ten(`"method":"POST","url":"Patient","fullUrl":"x:`, `"id":"`)) }},
		{"transaction of ten updates", trips{3, 9, 0, 2}, func() error { return transaction(ten(`"method":"PUT","url":"Patient/p`, `"id":"p`)) }},
		{"update", trips{3, 10, 1, 3}, func() error { return update("p0", 1001) }},
		{"update again", trips{2, 9, 0, 3}, func() error { return update("p0", 1002) }},
		{"reads after the last", trips{5, 8, 2, 2}, func() error {
			return store.View(t.Context(), func(r index.Reader) error {
				found, err := r.Find(t.Context(), []resources.Key{last.Key}, 0)
				if err == nil {
					_, err = r.(index.LastLoader).LoadLast(t.Context(), []index.Seq{found[0].Seq}, index.WithBody)
				}
				if err == nil { // in a transaction of its own
					_, err = r.Load(t.Context(), []index.Seq{found[0].Seq}, index.WithBody)
				}
				return err
			})
		}},
		{"search by identifier", trips{4, 6, 1, 0}, func() error { return search("identifier=http://a.example|v7", 1) }},
		{"search page", trips{4, 6, 20, 0}, func() error { return search("gender=male&_count=20&_total=none", 20) }},
		{"count", trips{6, 7, 0, 0}, func() error { return search("gender=male&_summary=count", 0) }},
	} {
		n = trips{}
		if err := row.do(); err != nil {
			t.Errorf("%s: %v", row.name, err)
		}
		if row.want.others == 0 {
			n.others = 0
		}
		if n != row.want {
			t.Errorf("%s: %+v, want %+v", row.name, n, row.want)
		}
	}
}
