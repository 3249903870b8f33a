package main

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// change makes the mutants of one node, and reports whether those of its children are to be made too.
func (g *generator) change(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.FuncLit:
		g.inFunction(n.Type, n.Body)
		return false
	case *ast.BinaryExpr:
		g.changeOperator(n)
	case *ast.UnaryExpr:
		if n.Op == token.NOT {
			g.put(n.Pos(), n.X.Pos(), "")
		}
	case *ast.IfStmt:
		g.changeCondition(n.Cond)
	case *ast.ForStmt:
		if n.Cond != nil {
			g.replace(n.Cond, "("+g.text(n.Cond)+") && false")
		}
	case *ast.CaseClause:
		g.dropCase(n)
	case *ast.ReturnStmt:
		return g.changeReturn(n)
	case *ast.BasicLit:
		g.changeNumber(n)
	case *ast.Ident:
		g.changeName(n)
	case *ast.SelectorExpr:
		g.changeSelector(n)
		ast.Inspect(n.X, g.change)
		return false
	case *ast.CallExpr:
		return g.changeCall(n)
	case *ast.KeyValueExpr: // the key is no expression
		g.dropElement(n)
		ast.Inspect(n.Value, g.change)
		return false
	case ast.Stmt:
		g.dropStatement(n)
	}
	return true
}

// instead is what may stand for an operator.
var instead = map[token.Token][]string{
	token.LSS: {"<=", ">="}, token.LEQ: {"<", ">"}, token.GTR: {">=", "<="}, token.GEQ: {">", "<"},
	token.EQL: {"!="}, token.NEQ: {"=="}, token.LAND: {"||"}, token.LOR: {"&&"},
	token.ADD: {"-"}, token.SUB: {"+"}, token.MUL: {"/"}, token.QUO: {"*"}, token.REM: {"/"},
	token.AND: {"|"}, token.OR: {"&"}, token.AND_NOT: {"&", "|"}, token.XOR: {"&"}, token.SHL: {">>"}, token.SHR: {"<<"},
}

// changeOperator puts another operator between two operands, and leaves out the one and the other of && and ||.
func (g *generator) changeOperator(n *ast.BinaryExpr) {
	for _, operator := range instead[n.Op] {
		g.put(n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), operator)
	}
	for _, operand := range []ast.Expr{n.X, n.Y} {
		switch n.Op {
		case token.LAND:
			g.replace(operand, "("+g.text(operand)+" || true)")
		case token.LOR:
			g.replace(operand, "("+g.text(operand)+" && false)")
		}
	}
}

// changeCondition makes a condition always true, and always false. The condition stays, so that what it uses is used.
func (g *generator) changeCondition(c ast.Expr) {
	g.replace(c, "("+g.text(c)+") || true")
	g.replace(c, "("+g.text(c)+") && false")
}

// dropCase leaves out what a case does, the case, and each of the values that lead to it.
func (g *generator) dropCase(n *ast.CaseClause) {
	if len(n.Body) > 0 {
		g.put(n.Colon+1, n.End(), "")
	}
	if n.List != nil {
		g.put(n.Pos(), n.End(), "")
	}
	for i := range n.List {
		if len(n.List) == 1 {
			break
		}
		if i > 0 {
			g.put(n.List[i-1].End(), n.List[i].End(), "")
		} else {
			g.put(n.List[0].Pos(), n.List[1].Pos(), "")
		}
	}
}

// numbers are types of numbers that are returned.
const numbers = " int int8 int64 uint8 uint64 uint32 float64 time.Duration spec.Epoch rank ID set "

// changeReturn returns something else, and reports whether what is returned is to be changed too. What is returned
// besides an error nobody looks at.
func (g *generator) changeReturn(n *ast.ReturnStmt) (children bool) {
	if len(n.Results) != len(g.results) {
		return true
	}
	if last := len(n.Results) - 1; last > 0 && typeText(g.results[last]) == "error" && g.text(n.Results[last]) != "nil" && areConstant(n.Results[:last]) {
		g.replace(n.Results[last], "nil")
		ast.Inspect(n.Results[last], g.change)
		return false
	}
	for i, r := range n.Results {
		text := g.text(r)
		switch kind := typeText(g.results[i]); {
		case kind == "bool" && text != "true" && text != "false":
			g.replace(r, "!("+text+")")
		case kind == "error" && text != "nil":
			g.replace(r, "nil")
		case kind == "string" && text != `""`:
			g.replace(r, `""`)
		case strings.Contains(numbers, " "+kind+" "):
			g.replace(r, "("+text+") + 1")
		}
	}
	return true
}

// areConstant reports whether there is nothing in expressions that a run could change.
func areConstant(all []ast.Expr) bool {
	return !slices.ContainsFunc(all, func(e ast.Expr) bool {
		switch e := e.(type) {
		case *ast.BasicLit:
			return false
		case *ast.Ident:
			return e.Name != "nil" && e.Name != "true" && e.Name != "false" && e.Name != "none"
		case *ast.CompositeLit:
			return len(e.Elts) > 0
		}
		return true
	})
}

// changeNumber makes a number one greater, and one less.
func (g *generator) changeNumber(n *ast.BasicLit) {
	if n.Kind != token.INT {
		return
	}
	value, err := strconv.ParseUint(n.Value, 0, 63)
	if err != nil {
		return
	}
	g.replace(n, strconv.FormatUint(value+1, 10))
	if value > 0 {
		g.replace(n, strconv.FormatUint(value-1, 10))
	}
}

// changeName puts another parameter, another constant, or the other truth.
func (g *generator) changeName(n *ast.Ident) {
	switch n.Name {
	case "true":
		g.replace(n, "false")
	case "false":
		g.replace(n, "true")
	default:
		for _, name := range append(g.like[n.Name], g.siblings[n.Name]...) {
			g.replace(n, name)
		}
	}
}

// changeSelector puts another field of the same type, or another constant of the specification.
func (g *generator) changeSelector(n *ast.SelectorExpr) {
	for _, name := range g.siblings["."+n.Sel.Name] {
		g.replace(n.Sel, name)
	}
	if x, ok := n.X.(*ast.Ident); ok && x.Name == "spec" {
		for _, group := range specConstants {
			for i, name := range group {
				if name == n.Sel.Name {
					g.replace(n.Sel, group[(i+1)%len(group)])
				}
			}
		}
	}
}

// specConstants are the constants of package spec that may be mistaken for each other.
var specConstants = [][]string{
	{"Follower", "Candidate", "Electing", "Claimant", "Leader"},
	{"Election", "OK", "Assent", "Refuse", "Claim", "Grant", "Ack", "Coordinator", "Heartbeat", "ImBack", "Resign"},
	{"HeartbeatTimer", "ElectionTimer", "CoordinatorTimer", "ClaimTimer", "QuorumTimer", "BeatTimer", "PreemptTimer"},
	{"ResignCall", "HolderDeadCall"},
	{"StartAction", "RestartAction"},
	{"OneLeaderPerEpoch", "EpochMonotonic"},
}

// changeCall gives two arguments that stand beside each other in the other order, and reports whether they are to be
// changed too. How much memory is made ready at first no test sees.
func (g *generator) changeCall(n *ast.CallExpr) (children bool) {
	if f, ok := n.Fun.(*ast.Ident); ok && f.Name == "make" && len(n.Args) == 3 {
		ast.Inspect(n.Args[1], g.change)
		return false
	}
	for i := 1; i < len(n.Args); i++ {
		a, b := g.text(n.Args[i-1]), g.text(n.Args[i])
		if a != b && n.Ellipsis == token.NoPos {
			g.put(n.Args[i-1].Pos(), n.Args[i].End(), b+", "+a)
		}
	}
	return true
}

// dropElement leaves out a field of a literal.
func (g *generator) dropElement(n *ast.KeyValueExpr) {
	end := g.offset(n.End())
	rest := g.source[end:]
	if trimmed := strings.TrimLeft(rest, " \t\n"); strings.HasPrefix(trimmed, ",") {
		g.put(n.Pos(), n.End()+token.Pos(len(rest)-len(trimmed)+1), "")
	} else {
		g.replace(n, "")
	}
}

// dropStatement leaves out a statement that others do not need to be built.
func (g *generator) dropStatement(n ast.Stmt) {
	switch n := n.(type) {
	case *ast.ExprStmt, *ast.IncDecStmt, *ast.SendStmt, *ast.GoStmt, *ast.BranchStmt:
		g.replace(n, "")
	case *ast.DeferStmt:
		g.replace(n, "")
	case *ast.AssignStmt:
		g.dropAssignment(n)
	case *ast.RangeStmt:
		g.put(n.Body.Lbrace+1, n.Body.Lbrace+1, "\nbreak\n")
	}
}

// dropAssignment leaves out an assignment, or one of several. What it would have assigned is still used.
func (g *generator) dropAssignment(n *ast.AssignStmt) {
	if n.Tok == token.DEFINE {
		return
	}
	var values []string
	for _, v := range n.Rhs {
		values = append(values, g.text(v))
	}
	if slices.Contains(values, "nil") {
		g.replace(n, "")
	} else {
		g.replace(n, strings.TrimSuffix(strings.Repeat("_, ", len(n.Lhs)), ", ")+" = "+strings.Join(values, ", "))
	}
	if n.Tok != token.ASSIGN || len(n.Lhs) < 2 || len(n.Rhs) != len(n.Lhs) {
		return
	}
	for _, left := range n.Lhs {
		g.replace(left, "_")
	}
}
