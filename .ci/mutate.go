package main

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strconv"
	"strings"
)

// a mutant is one change of one place.
type mutant struct {
	n         int    // its number in its package
	key       string // stays the same while the text of its place does, on whatever line
	file, id  string // the id is path:line:column operator
	place     string // path, function, operator and text, separated by tabs
	in        *pkg
	next      []*pkg // judge it after its own
	line      int
	edits     []edit
	replace   bool // the edits stand for constants, and cannot be guarded
	length    int  // of the text that the edit replaces
	reachedBy []string
}

// an edit inserts text. At one place, those that open come from the outside to the inside.
type edit struct {
	at    int
	text  string
	close bool
}

const guard = `package %s

import ("os"; "strconv"; "sync")

var (
	mutantChosen, _ = strconv.Atoi(os.Getenv("MUTANT"))
	mutantLog = os.Getenv("MUTANT_LOG")
	mutantSeen sync.Map
)

func mutantOn(n int) bool { return n == mutantChosen || mutantLog != "" && mutantReached(n) }

func mutantAdd(n int) int { if mutantOn(n) { return 1 }; return 0 }

func mutantReached(n int) bool {
	if _, seen := mutantSeen.LoadOrStore(n, true); !seen {
		if f, err := os.OpenFile(mutantLog, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
			f.WriteString(strconv.Itoa(n) + "\n")
			f.Close()
		}
	}
	return false
}
`

// flips are the operators that stand for another: a boundary that is moved, a condition that is negated.
var flips = map[token.Token][]token.Token{
	token.LSS: {token.LEQ, token.GEQ}, token.LEQ: {token.LSS, token.GTR},
	token.GTR: {token.GEQ, token.LEQ}, token.GEQ: {token.GTR, token.LSS},
	token.EQL: {token.NEQ}, token.NEQ: {token.EQL}, token.LAND: {token.LOR}, token.LOR: {token.LAND},
}

// mutants returns the mutants of a file.
func mutants(path, shown string) ([]*mutant, error) {
	source, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, source, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil || ast.IsGenerated(file) {
		return nil, err
	}
	var found []*mutant
	var function string
	times := map[string]int{}
	at := func(p token.Pos) int { return set.Position(p).Offset }
	add := func(node ast.Node, operator string) *mutant {
		p := set.Position(node.Pos())
		text := strings.Join(strings.Fields(string(source[at(node.Pos()):at(node.End())])), " ")
		m := &mutant{file: path, line: p.Line, id: fmt.Sprintf("%s:%d:%d %s", shown, p.Line, p.Column, operator)}
		m.place = strings.Join([]string{shown, function, operator, text}, "\t")
		m.key = fmt.Sprintf("%.8x", sha256.Sum256(fmt.Append(nil, m.place, times[m.place])))
		times[m.place]++
		found = append(found, m)
		return m
	}
	around := func(node ast.Node, operator, before, after string) {
		m := add(node, operator)
		m.edits = []edit{{at(node.Pos()), before, false}, {at(node.End()), after, true}}
	}
	instead := func(node ast.Expr, operator, text string) {
		if !strings.Contains(text, "\n") {
			around(node, operator, "(mutantOn(@) && ("+text+") || !mutantOn(@) && (", "))")
		}
	}
	statements := func(list []ast.Stmt) {
		for _, s := range list {
			switch s := s.(type) {
			case *ast.ExprStmt, *ast.IncDecStmt:
				around(s, "removed", "if !mutantOn(@) { ", " }")
			case *ast.AssignStmt:
				if s.Tok != token.DEFINE {
					around(s, "removed", "if !mutantOn(@) { ", " }")
				}
			case *ast.ReturnStmt:
				if n := len(s.Results); n > 0 {
					if last, ok := s.Results[n-1].(*ast.Ident); ok && last.Name == "err" {
						text := string(source[at(s.Pos()):at(last.Pos())]) + "nil"
						if !strings.Contains(text, "\n") {
							m := add(s, "error ignored")
							m.edits = []edit{{at(s.Pos()), "if mutantOn(@) { " + text + " }; ", false}}
						}
					}
				}
			}
		}
	}
	spare := map[ast.Node]bool{} // parts of capacities
	body := func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GenDecl:
			return n.Tok != token.CONST
		case *ast.BlockStmt:
			statements(n.List)
		case *ast.CaseClause:
			statements(n.Body)
		case *ast.IfStmt:
			around(n.Cond, "clause dropped", "(!mutantOn(@) && (", "))")
		case *ast.BinaryExpr:
			for _, t := range flips[n.Op] {
				instead(n, n.Op.String()+" as "+t.String(), string(source[at(n.Pos()):at(n.OpPos)])+t.String()+string(source[at(n.OpPos)+len(n.Op.String()):at(n.End())]))
			}
		case *ast.UnaryExpr:
			if n.Op == token.NOT {
				instead(n, "not removed", string(source[at(n.X.Pos()):at(n.End())]))
			}
		case *ast.CallExpr:
			for _, c := range capacity(n) {
				ast.Inspect(c, func(n ast.Node) bool {
					spare[n] = true
					return true
				})
			}
		case *ast.BasicLit:
			if n.Kind == token.INT && !spare[n] {
				around(n, "one more", "(", "+mutantAdd(@))")
			}
		}
		return true
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			function = d.Name.Name
			if d.Body != nil {
				ast.Inspect(d.Body, body)
			}
		case *ast.GenDecl:
			function = d.Tok.String()
			if d.Tok == token.CONST {
				ast.Inspect(d, func(n ast.Node) bool {
					if n, ok := n.(*ast.BasicLit); ok && n.Kind == token.INT && n.Value != "0" && n.Value != "1" {
						m := add(n, "constant doubled")
						m.replace, m.edits = true, []edit{{at(n.Pos()), "(2*" + n.Value + ")", false}}
						m.length = len(n.Value)
					}
					return true
				})
			}
		}
	}
	return found, nil
}

// capacity returns the capacity in a call of make, which decides nothing.
func capacity(c *ast.CallExpr) []ast.Expr {
	if name, ok := c.Fun.(*ast.Ident); !ok || name.Name != "make" || len(c.Args) < 2 {
		return nil
	}
	if _, ok := c.Args[0].(*ast.MapType); ok {
		return c.Args[1:]
	}
	return c.Args[2:]
}

// apply returns the text of a file with mutants in it.
func apply(source []byte, list []*mutant) []byte {
	type placed struct {
		edit
		outer int // the length of what it surrounds, then its number: the outside comes first
		n     int
	}
	var all []placed
	for _, m := range list {
		width := m.edits[len(m.edits)-1].at - m.edits[0].at
		for _, e := range m.edits {
			e.text = strings.ReplaceAll(e.text, "@", strconv.Itoa(m.n))
			all = append(all, placed{e, width, m.n})
		}
	}
	slices.SortFunc(all, func(a, b placed) int {
		if a.at != b.at {
			return a.at - b.at
		}
		if a.close != b.close {
			if a.close {
				return -1
			}
			return 1
		}
		order := cmp.Or(b.outer-a.outer, a.n-b.n)
		if a.outer == 0 || b.outer == 0 { // a statement before a statement
			order = a.outer - b.outer
		}
		if a.close {
			return -order
		}
		return order
	})
	var out []byte
	last := 0
	for _, e := range all {
		out = append(append(out, source[last:e.at]...), e.text...)
		last = e.at
	}
	return append(out, source[last:]...)
}
