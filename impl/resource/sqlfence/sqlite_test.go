package sqlfence

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite"

	"github.com/seed-fdf591db/bully/impl/resource"
)

const (
	sqliteTable  = "CREATE TABLE IF NOT EXISTS log (seq INTEGER PRIMARY KEY AUTOINCREMENT, epoch BIGINT NOT NULL)"
	sqliteInsert = "INSERT INTO log (epoch) VALUES (?1)"
)

// openSQLite opens a database in a file, in a journal mode.
func openSQLite(path, mode string) (*sql.DB, error) {
	query := url.Values{"_pragma": {"busy_timeout(10000)", "journal_mode(" + mode + ")", "synchronous(FULL)"}}
	return sql.Open("sqlite", "file:"+path+"?"+query.Encode())
}

func sqlite(path, mode string) database {
	return database{dialect: SQLite, table: sqliteTable, insert: sqliteInsert, open: func(t *testing.T) *sql.DB {
		db, err := openSQLite(path, mode)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, db.Close()) })
		return db
	}}
}

func TestSQLite(t *testing.T) {
	for _, mode := range []string{"DELETE", "WAL"} {
		t.Run(mode, func(t *testing.T) { tests(t, sqlite(filepath.Join(t.TempDir(), "test.db"), mode)) })
	}
}

// TestSQLiteThatHasReadBefore breaks the rule that Raise comes first. In WAL mode the transaction then looks at the
// past, and SQLite refuses to let it write: nothing is admitted.
func TestSQLiteThatHasReadBefore(t *testing.T) {
	d := sqlite(filepath.Join(t.TempDir(), "test.db"), "WAL")
	db, fence := d.open(t), &Fence{SQLite, "log"}
	require.NoError(t, fence.Create(t.Context(), db))
	tx, err := d.open(t).BeginTx(t.Context(), nil)
	require.NoError(t, err)
	var count int
	require.NoError(t, tx.QueryRowContext(t.Context(), "SELECT count(*) FROM bully_fence").Scan(&count))
	require.NoError(t, fence.Write(t.Context(), db, 34, func(*sql.Tx) error { return nil }))
	err = fence.Raise(t.Context(), tx, 33)
	require.ErrorContains(t, err, `cannot raise the fence of "log" to epoch 33`)
	require.NotErrorIs(t, err, resource.ErrFenced)
	require.NoError(t, tx.Rollback())
}

func TestSQLiteWithoutATable(t *testing.T) {
	d := sqlite(filepath.Join(t.TempDir(), "test.db"), "DELETE")
	db, fence := d.open(t), &Fence{SQLite, "log"}
	err := fence.Write(t.Context(), db, 1, func(*sql.Tx) error { t.Error("called"); return nil })
	require.ErrorContains(t, err, "no such table: bully_fence")
	_, err = fence.Admitted(t.Context(), db)
	require.ErrorContains(t, err, `cannot read the fence of "log"`)
	require.NoError(t, db.Close())
	require.ErrorContains(t, fence.Create(t.Context(), db), "cannot make the table")
	require.ErrorContains(t, fence.Write(t.Context(), db, 1, func(*sql.Tx) error { return nil }), "cannot begin")
	_, err = New(Dialect{}, "x")
	require.Error(t, err)
}

// childFile is the variable that makes this test program one that does nothing but write.
const childFile = "BULLY_SQLFENCE_TEST_FILE"

func TestMain(m *testing.M) {
	if path := os.Getenv(childFile); path != "" {
		fmt.Println("error", writeForEver(path))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// writeForEver writes for rising epochs, three times each, and says each epoch once it is written.
func writeForEver(path string) error {
	ctx := context.Background()
	db, err := openSQLite(path, "DELETE")
	if err != nil {
		return err
	}
	fence := &Fence{SQLite, "log"}
	e, err := fence.Admitted(ctx, db)
	if err != nil {
		return err
	}
	for {
		e++
		for range 3 {
			if err := fence.Write(ctx, db, e, func(tx *sql.Tx) error {
				_, err := tx.ExecContext(ctx, sqliteInsert, int64(e))
				return err
			}); err != nil {
				return err
			}
			if _, err := fmt.Println(e); err != nil {
				return err
			}
		}
	}
}

// TestKill kills a process that writes, with signal 9 at random moments: the fence is at the epoch written last, not
// above and not below.
func TestKill(t *testing.T) {
	program, err := os.Executable()
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "test.db")
	db := sqlite(path, "DELETE").open(t)
	fence := &Fence{SQLite, "log"}
	require.NoError(t, fence.Create(t.Context(), db))
	_, err = db.Exec(sqliteTable)
	require.NoError(t, err)
	var said int64
	const rounds = 15
	for range rounds {
		command := exec.Command(program)
		command.Env = append(os.Environ(), childFile+"="+path)
		pipe, err := command.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, command.Start())
		output, waitFor := bufio.NewReader(pipe), 3+rand.IntN(12)
		for lines := 0; ; lines++ {
			if lines == waitFor {
				time.Sleep(rand.N(3 * time.Millisecond))
				require.NoError(t, command.Process.Kill())
			}
			line, err := output.ReadString('\n')
			if err != nil {
				break
			}
			_, err = fmt.Sscan(line, &said)
			require.NoError(t, err, line)
		}
		_ = command.Wait() // says that it was killed
		var highest int64
		require.NoError(t, db.QueryRow("SELECT coalesce(max(epoch), 0) FROM log").Scan(&highest))
		admitted, err := fence.Admitted(t.Context(), db)
		require.NoError(t, err)
		require.EqualValues(t, highest, admitted)
		require.GreaterOrEqual(t, highest, said)
		require.LessOrEqual(t, highest, said+1)
	}
	require.GreaterOrEqual(t, said, int64(rounds), "the processes have lived long enough to write")
}
