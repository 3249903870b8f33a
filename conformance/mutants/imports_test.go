package main

import (
	"go/ast"
	"go/types"
	"strconv"
	"strings"
)

// importUses says which functions of a combined package use which imports.
type importUses struct {
	files map[string]fileUses // by path
	homes map[int]string      // of each mutant, by its number, the function that it is a copy of
}

// fileUses counts, for each import of a file, how often each function uses it. The copies for
// mutants are counted by their number, and everything outside functions as the function "".
type fileUses map[*types.PkgName]*uses

type uses struct {
	all       int // outside the copies
	originals map[string]int
	copies    map[int]int
}

// usesOf counts the uses of imports in the files of a combined package.
func usesOf(files map[string]*ast.File, info *types.Info) *importUses {
	u := &importUses{files: map[string]fileUses{}, homes: map[int]string{}}
	for name, file := range files {
		counts := fileUses{}
		for _, declaration := range file.Decls {
			function, number := "", 0
			if f, ok := declaration.(*ast.FuncDecl); ok {
				if function, number = originalOf(f); number > 0 {
					u.homes[number] = function
				}
			}
			ast.Inspect(declaration, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					if imported, ok := info.Uses[id].(*types.PkgName); ok {
						counts.add(imported, function, number)
					}
				}
				return true
			})
		}
		u.files[name] = counts
	}
	return u
}

// originalOf returns the function that a declaration is a copy of, with the number of the mutant, or
// the function itself and 0.
func originalOf(f *ast.FuncDecl) (function string, number int) {
	function = f.Name.Name
	if name, digits, found := strings.Cut(function, "__"); found {
		if n, err := strconv.Atoi(digits); err == nil {
			function, number = name, n
		}
	}
	if f.Recv != nil {
		function = types.ExprString(f.Recv.List[0].Type) + "." + function
	}
	return function, number
}

func (f fileUses) add(imported *types.PkgName, function string, number int) {
	u := f[imported]
	if u == nil {
		u = &uses{originals: map[string]int{}, copies: map[int]int{}}
		f[imported] = u
	}
	if number > 0 {
		u.copies[number]++
		return
	}
	u.all++
	u.originals[function]++
}

// unusedImport reports whether an import of its file has no use left with this mutant alone.
func (u *importUses) unusedImport(m *mutant) bool {
	for _, uses := range u.files[m.File] {
		if uses.all-uses.originals[u.homes[m.number]]+uses.copies[m.number] == 0 {
			return true
		}
	}
	return false
}
