// Package generate makes mutants of Go code that nobody has thought of: each is one small change of the kind that people make by
// mistake. Command mutants tries a sample of them, and the lists in conformance/mutants/harmless say which change nothing.
//
//	all, err := generate.File(source)
//	if err != nil {
//		return err // of the parser
//	}
//	broken := table.Apply(source, []table.Edit{all[0].Edit})
//
// Changes are made within functions only: comparisons and conditions that are turned or given (never, always), numbers that are one
// more, statements that are left out, errors and truth values that are returned otherwise; what is returned beside an error stays. What
// uses a name still uses it, so that nearly all of them build.
package generate

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"

	"github.com/seed-fdf591db/bully/conformance/mutants/table"
)

// Mutant is one change of a file.
type Mutant struct {
	Edit     table.Edit
	Function string // that it is in: its name, without a receiver
	Line     int    // on which it begins, from 1 on
	Old, New string // what stood there, and stands there now: in one line each
}

// File returns the mutants of one file, in the order of their places.
func File(source string) ([]Mutant, error) {
	parsed, err := parser.ParseFile(token.NewFileSet(), "", source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	f := &file{source: source, start: parsed.FileStart}
	for _, declaration := range parsed.Decls {
		if function, ok := declaration.(*ast.FuncDecl); ok && function.Body != nil {
			f.function = function.Name.Name
			ast.Inspect(function.Body, f.visit)
		}
	}
	slices.SortStableFunc(f.found, func(a, b Mutant) int { return a.Edit.Start - b.Edit.Start })
	return f.found, nil
}

// file is one that mutants are made of.
type file struct {
	source   string
	start    token.Pos
	function string // that is read just now
	found    []Mutant
}

// text returns the source of a node.
func (f *file) text(n ast.Node) string { return f.source[n.Pos()-f.start : n.End()-f.start] }

// replace adds the mutant that has another text in the place of a node.
func (f *file) replace(n ast.Node, text string) { f.within(n, n.Pos(), len(f.text(n)), text) }

// oneLine returns code without what only lays it out.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// visit adds the mutants of one node, and goes on with what is in it.
func (f *file) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		f.binary(n)
	case *ast.UnaryExpr:
		if n.Op == token.NOT {
			f.replace(n, f.text(n.X))
		}
	case *ast.IfStmt:
		f.replace(n.Cond, "false && ("+f.text(n.Cond)+")")
		f.replace(n.Cond, "true || ("+f.text(n.Cond)+")")
	case *ast.ReturnStmt:
		last := len(n.Results) - 1
		for i, result := range n.Results {
			if i == last || !fails(n.Results[last]) { // what stands beside an error is for nobody
				f.result(result)
			}
		}
	case *ast.BlockStmt:
		f.leaveOut(n.List)
	case *ast.CaseClause:
		f.leaveOut(n.Body)
	case *ast.CommClause:
		f.leaveOut(n.Body)
	}
	return true
}

// turned has what a binary operator is mistaken for.
var turned = map[token.Token]string{
	token.LSS: "<=", token.LEQ: "<", token.GTR: ">=", token.GEQ: ">", token.EQL: "!=", token.NEQ: "==", token.LAND: "||", token.LOR: "&&",
}

// binary adds the mutants of an operator, and of a number beside it.
func (f *file) binary(n *ast.BinaryExpr) {
	with := turned[n.Op]
	if isNumber(n.X) || isNumber(n.Y) { // then it adds no texts
		switch n.Op {
		case token.ADD:
			with = "-"
		case token.SUB:
			with = "+"
		}
	}
	if with == "" {
		return
	}
	f.within(n, n.OpPos, len(n.Op.String()), with)
	for _, operand := range []ast.Expr{n.X, n.Y} {
		if isNumber(operand) {
			f.within(n, operand.Pos(), len(f.text(operand)), "("+f.text(operand)+" + 1)")
		}
	}
}

// within adds the mutant that has another text in the place of a part of a node. The node is what it is known by.
func (f *file) within(n ast.Node, from token.Pos, length int, text string) {
	start := int(from - f.start)
	edit := table.Edit{Start: start, End: start + length, Text: text}
	shifted := edit
	shifted.Start, shifted.End = edit.Start-int(n.Pos()-f.start), edit.End-int(n.Pos()-f.start)
	f.found = append(f.found, Mutant{
		Edit:     edit,
		Function: f.function,
		Line:     1 + strings.Count(f.source[:start], "\n"),
		Old:      oneLine(f.text(n)),
		New:      oneLine(table.Apply(f.text(n), []table.Edit{shifted})),
	})
}

func isNumber(e ast.Expr) bool {
	literal, ok := e.(*ast.BasicLit)
	return ok && literal.Kind == token.INT
}

// result adds the mutants of one result that is returned.
func (f *file) result(e ast.Expr) {
	if isNumber(e) {
		f.replace(e, f.text(e)+" + 1")
	}
	if name, ok := e.(*ast.Ident); ok {
		switch name.Name {
		case "err":
			f.replace(e, "func(error) error { return nil }(err)")
		case "true":
			f.replace(e, "false")
		case "false":
			f.replace(e, "true")
		}
	}
}

// fails reports whether the last result of several looks as if it said that there are no others: an error that is made, named or found,
// or false.
func fails(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.CallExpr:
		return true
	case *ast.SelectorExpr:
		return fails(e.Sel)
	case *ast.Ident:
		return e.Name == "false" || strings.HasPrefix(strings.ToLower(e.Name), "err")
	}
	return false
}

// leaveOut adds a mutant for each of some statements that could have been forgotten.
func (f *file) leaveOut(statements []ast.Stmt) {
	for _, s := range statements {
		if canBeLeftOut(s) {
			f.replace(s, "if false { "+f.text(s)+" }")
		}
	}
}

func canBeLeftOut(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.ExprStmt:
		call, ok := s.X.(*ast.CallExpr)
		if !ok {
			return true
		}
		name, ok := call.Fun.(*ast.Ident)
		return !ok || name.Name != "panic" // what follows would be missing
	case *ast.AssignStmt:
		return s.Tok != token.DEFINE && !allBlank(s.Lhs)
	case *ast.BranchStmt:
		return s.Tok == token.BREAK || s.Tok == token.CONTINUE
	case *ast.IncDecStmt, *ast.DeferStmt, *ast.GoStmt, *ast.SendStmt:
		return true
	}
	return false
}

// allBlank reports whether an assignment only says that its right side is not needed.
func allBlank(left []ast.Expr) bool {
	for _, e := range left {
		if name, ok := e.(*ast.Ident); !ok || name.Name != "_" {
			return false
		}
	}
	return true
}
