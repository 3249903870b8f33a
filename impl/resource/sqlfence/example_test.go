package sqlfence_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	_ "modernc.org/sqlite"

	"github.com/seed-fdf591db/bully/impl/resource"
	"github.com/seed-fdf591db/bully/impl/resource/sqlfence"
	"github.com/seed-fdf591db/bully/spec"
)

// The leader of epoch 33 is deposed, and does not know: what it writes then is refused, all of it.
func Example() {
	dir, err := os.MkdirTemp("", "sqlfence")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "bank.db")+"?_pragma=busy_timeout(5000)&_pragma=synchronous(FULL)")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer db.Close()
	ctx := context.Background()
	if _, err := db.ExecContext(ctx, "CREATE TABLE account (id INTEGER PRIMARY KEY, balance INTEGER); INSERT INTO account VALUES (7, 100)"); err != nil {
		fmt.Println(err)
		return
	}
	fence, err := sqlfence.New(sqlfence.SQLite, "accounts")
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := fence.Create(ctx, db); err != nil {
		fmt.Println(err)
		return
	}
	for _, epoch := range []spec.Epoch{33, 34, 33} {
		err := fence.Write(ctx, db, epoch, func(tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, "UPDATE account SET balance = balance + 5 WHERE id = 7")
			return err
		})
		fmt.Println(epoch, errors.Is(err, resource.ErrFenced), err)
	}
	var balance int
	if err := db.QueryRowContext(ctx, "SELECT balance FROM account WHERE id = 7").Scan(&balance); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(balance)
	// Output:
	// 33 false <nil>
	// 34 false <nil>
	// 33 true resource: the write of epoch 33 is fenced: epoch 34 has been admitted; stop acting as leader
	// 110
}
