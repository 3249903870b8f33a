// Package sqlfence fences what a leader writes to an SQL database (R38): one transaction checks the epoch of the
// writer's reign, raises the fence to it, and writes. So check, raise and write are one step, which a crash does
// whole or not at all.
//
//	fence, err := sqlfence.New(sqlfence.PostgreSQL, "accounts")
//	if err != nil {
//		return err
//	}
//	if err := fence.Create(ctx, db); err != nil { // or CreateTable, in a migration
//		return err
//	}
//	err = fence.Write(ctx, db, reign.Epoch(), func(tx *sql.Tx) error {
//		_, err := tx.ExecContext(ctx, "UPDATE account SET balance = balance + 5 WHERE id = 7")
//		return err
//	})
//	if errors.Is(err, resource.ErrFenced) {
//		return err // deposed: stop acting as leader (R38.4)
//	}
//
// # The recipe
//
// It is two statements of SQL, and can be used from any language. CreateTable makes the table. In the transaction
// that writes, *before anything else*, comes RaisePostgreSQL or RaiseSQLite: an insert that becomes an update if
// there is a row, and does nothing if the row's epoch is higher. If it changes one row, the epoch is admitted: write,
// and commit. If it changes none, the writer is fenced: roll back.
//
// It must come first because it also takes the lock: on the row in PostgreSQL, on the database in SQLite. From then
// until the end of the transaction every other writer of this resource waits. A check by SELECT takes no lock: another
// leader may write between it and the write (B12).
//
// # What the database must do
//
// PostgreSQL: any isolation level. At READ COMMITTED, the default, a writer that has waited sees the row as it is
// then. At REPEATABLE READ and above it may get error 40001 instead, and has written nothing: begin the transaction
// again. Keep synchronous_commit on: otherwise a crash may take back what was admitted (R38.3). So may a failover to
// a replica that lags: make replication synchronous.
//
// SQLite, 3.24 or later: set a busy_timeout, or writers that meet get SQLITE_BUSY at once, having written nothing. In
// WAL mode set synchronous to FULL: with NORMAL a power failure may take back what was admitted.
//
// All rows that belong to a resource must be written through its fence, and by nobody past it.
package sqlfence

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/seed-fdf591db/bully/impl/resource"
	"github.com/seed-fdf591db/bully/spec"
)

// CreateTable makes the table that keeps the highest epoch admitted, one row for each resource. It is the same for
// PostgreSQL and SQLite, and does nothing if there is one. PostgreSQL may fail it if two do it at once.
const CreateTable = `CREATE TABLE IF NOT EXISTS bully_fence (
	resource TEXT   NOT NULL PRIMARY KEY,
	epoch    BIGINT NOT NULL CHECK (epoch BETWEEN 1 AND 9007199254740991)
)`

// RaisePostgreSQL raises the fence of the resource $1 to the epoch $2. It changes one row if the epoch is admitted,
// and none if a higher one has been.
const RaisePostgreSQL = `INSERT INTO bully_fence (resource, epoch) VALUES ($1, $2)
	ON CONFLICT (resource) DO UPDATE SET epoch = excluded.epoch WHERE bully_fence.epoch <= excluded.epoch`

// RaiseSQLite is the same for SQLite.
const RaiseSQLite = `INSERT INTO bully_fence (resource, epoch) VALUES (?1, ?2)
	ON CONFLICT (resource) DO UPDATE SET epoch = excluded.epoch WHERE bully_fence.epoch <= excluded.epoch`

// Dialect is the kind of a database: SQLite or PostgreSQL.
type Dialect struct{ raise, admitted string }

// The dialects.
var (
	PostgreSQL = Dialect{RaisePostgreSQL, "SELECT epoch FROM bully_fence WHERE resource = $1"}
	SQLite     = Dialect{RaiseSQLite, "SELECT epoch FROM bully_fence WHERE resource = ?1"}
)

// Fence is the fence of one resource, which is whatever its users agree that its name stands for. Its methods may be
// called from several goroutines.
type Fence struct {
	dialect Dialect
	name    string
}

// New returns the fence of the resource by that name. Nothing is asked of a database.
func New(dialect Dialect, name string) (*Fence, error) {
	if dialect == (Dialect{}) {
		return nil, errors.New("sqlfence: there is no dialect: give SQLite or PostgreSQL")
	}
	if name == "" {
		return nil, errors.New("sqlfence: the resource has no name")
	}
	return &Fence{dialect, name}, nil
}

// Create makes the table, if there is none.
func (f *Fence) Create(ctx context.Context, db *sql.DB) error {
	if _, err := db.ExecContext(ctx, CreateTable); err != nil {
		return fmt.Errorf("sqlfence: cannot make the table: %w", err)
	}
	return nil
}

// Write runs write in a transaction of its own, for the reign of epoch e, and commits. It returns
//
//	a resource.FencedError  if a higher epoch has been admitted: nothing has been written
//	the error of write      nothing has been written, and the fence is as it was
//	another error           of the database; nothing has been written, unless it says that the commit has failed:
//	                        then it may have been
//
// A panic of write rolls back too. Other writers of the resource wait as long as write runs: give ctx a deadline.
func (f *Fence) Write(ctx context.Context, db *sql.DB, e spec.Epoch, write func(tx *sql.Tx) error) error {
	if err := resource.Validate(e); err != nil {
		return err
	}
	if write == nil {
		return errors.New("sqlfence: there is nothing to write: the function is nil")
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("sqlfence: cannot begin a transaction: %w", err)
	}
	defer func() { _ = tx.Rollback() }() // after a commit there is nothing to roll back
	if err := f.Raise(ctx, tx, e); err != nil {
		return err
	}
	if err := write(tx); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("sqlfence: the commit for epoch %d failed, and may have been done or not: %w", e, err)
	}
	return nil
}

// Raise checks the epoch e and raises the fence to it, in a transaction of the caller. It must be the first that the
// transaction does. After any error the caller must roll back; a resource.FencedError says that a higher epoch has
// been admitted.
func (f *Fence) Raise(ctx context.Context, tx *sql.Tx, e spec.Epoch) error {
	if err := resource.Validate(e); err != nil {
		return err
	}
	result, err := tx.ExecContext(ctx, f.dialect.raise, f.name, int64(e))
	if err != nil {
		return fmt.Errorf("sqlfence: cannot raise the fence of %q to epoch %d: %w", f.name, e, err)
	}
	rows, err := result.RowsAffected()
	if err != nil {
		return fmt.Errorf("sqlfence: cannot tell whether the fence of %q was raised to epoch %d: %w", f.name, e, err)
	}
	if rows == 1 {
		return nil
	}
	admitted, err := f.query(ctx, tx)
	if err != nil {
		return err
	}
	return &resource.FencedError{Epoch: e, Admitted: admitted}
}

// Admitted returns the highest epoch admitted, or 0 if none has been. It is for people to see: what it returns may be
// out of date at once.
func (f *Fence) Admitted(ctx context.Context, db *sql.DB) (spec.Epoch, error) {
	return f.query(ctx, db)
}

func (f *Fence) query(ctx context.Context, q interface {
	QueryRowContext(context.Context, string, ...any) *sql.Row
}) (spec.Epoch, error) {
	var e int64
	err := q.QueryRowContext(ctx, f.dialect.admitted, f.name).Scan(&e)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return 0, fmt.Errorf("sqlfence: cannot read the fence of %q: %w", f.name, err)
	}
	return spec.Epoch(e), nil
}
