package sqlfence

import (
	"bytes"
	"database/sql"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/lib/pq"
	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/resource"
)

// binary finds a program of PostgreSQL, or skips the test.
func binary(t *testing.T, name string) string {
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	paths, err := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
	require.NoError(t, err)
	if len(paths) == 0 {
		t.Skipf("needs PostgreSQL: its program %s", name)
	}
	return paths[len(paths)-1]
}

// credential returns who is to run PostgreSQL, which root must not: nil for whoever runs the test.
func credential(t *testing.T) *syscall.Credential {
	if os.Getuid() != 0 {
		return nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err := strconv.ParseUint(u.Uid, 10, 32)
		require.NoError(t, err)
		gid, err := strconv.ParseUint(u.Gid, 10, 32)
		require.NoError(t, err)
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	t.Skip("needs PostgreSQL: it refuses to run as root, and there is no user postgres or nobody")
	return nil
}

// startPostgreSQL runs a server of its own, reached by a socket in a new folder, until the test ends.
func startPostgreSQL(t *testing.T) (folder string) {
	initdb, postgres, who := binary(t, "initdb"), binary(t, "postgres"), credential(t)
	folder, err := os.MkdirTemp("", "sqlfence") // not t.TempDir: the path of a socket is short
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(folder)) })
	if who != nil {
		require.NoError(t, os.Chown(folder, int(who.Uid), int(who.Gid)))
	}
	data := filepath.Join(folder, "data")
	run := func(program string, arguments ...string) (*exec.Cmd, *bytes.Buffer) {
		var output bytes.Buffer
		command := exec.Command(program, arguments...)
		command.Dir, command.Stdout, command.Stderr = folder, &output, &output
		// If the test is killed, so is the server.
		command.SysProcAttr = &syscall.SysProcAttr{Credential: who, Pdeathsig: syscall.SIGQUIT}
		return command, &output
	}
	command, output := run(initdb, "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync", "--no-instructions")
	require.NoError(t, command.Run(), output)

	command, output = run(postgres, "-D", data, "-k", folder, "-c", "listen_addresses=", "-c", "fsync=off")
	started, ended := make(chan error, 1), make(chan struct{})
	go func() {
		defer close(ended)
		runtime.LockOSThread() // the signal comes at the end of the thread that started the server
		defer runtime.UnlockOSThread()
		err := command.Start()
		started <- err
		if err == nil {
			_ = command.Wait() // how it ended is in its output
		}
	}()
	require.NoError(t, <-started)
	t.Cleanup(func() {
		_ = command.Process.Signal(syscall.SIGINT) // a fast shutdown; it may have ended already
		<-ended
		if t.Failed() {
			t.Log(output)
		}
	})
	return folder
}

func postgreSQL(folder string) database {
	return database{
		dialect: PostgreSQL,
		table:   "CREATE TABLE log (seq BIGSERIAL PRIMARY KEY, epoch BIGINT NOT NULL)",
		insert:  "INSERT INTO log (epoch) VALUES ($1)",
		open: func(t *testing.T) *sql.DB {
			db, err := sql.Open("postgres", "host="+folder+" user=postgres dbname=postgres sslmode=disable")
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, db.Close()) })
			require.Eventually(t, func() bool { return db.Ping() == nil }, time.Minute, 20*time.Millisecond)
			return db
		},
	}
}

func TestPostgreSQL(t *testing.T) {
	d := postgreSQL(startPostgreSQL(t))
	tests(t, d)
	t.Run("repeatable read", func(t *testing.T) { repeatableRead(t, d) })
}

// repeatableRead looks at the past in a transaction before it raises the fence: PostgreSQL refuses that, and nothing
// is admitted.
func repeatableRead(t *testing.T, d database) {
	db, fence := d.open(t), &Fence{PostgreSQL, "repeatable read"}
	require.NoError(t, fence.Write(t.Context(), db, 33, func(*sql.Tx) error { return nil }))
	tx, err := d.open(t).BeginTx(t.Context(), &sql.TxOptions{Isolation: sql.LevelRepeatableRead})
	require.NoError(t, err)
	var count int
	require.NoError(t, tx.QueryRowContext(t.Context(), "SELECT count(*) FROM bully_fence").Scan(&count))
	require.NoError(t, fence.Write(t.Context(), db, 34, func(*sql.Tx) error { return nil }))
	err = fence.Raise(t.Context(), tx, 33)
	require.NotErrorIs(t, err, resource.ErrFenced)
	var refused *pq.Error
	require.ErrorAs(t, err, &refused)
	require.EqualValues(t, "40001", refused.Code)
	require.NoError(t, tx.Rollback())
}
