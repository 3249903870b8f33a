//go:build !linux

package sqlfence

import "testing"

func TestPostgreSQL(t *testing.T) {
	t.Skip("PostgreSQL is not tested: the test starts a server on Linux only")
}
