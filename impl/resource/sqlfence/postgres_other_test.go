//go:build !linux

package sqlfence

import "testing"

func TestPostgreSQL(t *testing.T) {
	t.Skip("needs Linux: the test starts a PostgreSQL server there only")
}
