package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/tla"
	"github.com/seed-fdf591db/bully/tla/check/tlc"
)

// withoutJava are the ways in which a machine has no Java that will do, and what is said of each.
var withoutJava = map[string]func(*bench){
	"there is no java in PATH":        func(b *bench) { b.t.Setenv("PATH", b.t.TempDir()) },
	"is Java 8, which is too old":     func(b *bench) { b.t.Setenv("FAKE_VERSION", "1.8.0") },
	"JAVA_HOME is set, but there is ": func(b *bench) { b.t.Setenv("JAVA_HOME", b.t.TempDir()) },
}

// TestWithoutJava: the explorer checks alone, and the last lines say so.
func TestWithoutJava(t *testing.T) {
	for why, takeAway := range withoutJava {
		b := newBench(t)
		takeAway(b)
		require.Equal(t, exitOK, b.run("-run", "."), "%s%s", b.out.String(), b.log.String())
		require.Contains(t, b.log.String(), "4 configurations: the explorer checks 4, TLC none.")
		text := strings.Join(strings.Fields(b.out.String()), " ")
		require.Contains(t, text, "models/CounterHolds – / holds – / 6 – / 7 – / 6")
		require.Contains(t, text, "mutants/CounterStays – – / 6 – / 7", "only TLC can tell")
		require.Contains(t, text, "1 of 1 configurations hold as they must, 2 of 2 fail as they must; the explorer agrees on 4 of 4. The explorer took")
		lines := strings.Split(strings.TrimSpace(b.out.String()), "\n")
		require.Contains(t, lines[len(lines)-3], "TLC did not run: TLC needs Java 11 or later, and ")
		require.Contains(t, lines[len(lines)-3], why)
		require.Contains(t, lines[len(lines)-2], "The explorer alone has given 3 of 4 verdicts")
		require.Equal(t, "To run TLC too: "+tlc.InstallJava(), lines[len(lines)-1])
	}
}

// TestWithoutJavaRed: the explorer alone finds what is wrong.
func TestWithoutJavaRed(t *testing.T) {
	b := newBench(t)
	t.Setenv("PATH", t.TempDir())
	b.replace(filepath.Join(b.dir, "mutants/CounterGrows.cfg"), "PROPERTIES", "CONSTANTS\n  Last = 5\nPROPERTIES")
	b.red("explorer: verdict holds, expected violates", "-run", ".")
	require.Contains(t, b.out.String(), "TLC did not run")

	b = newBench(t)
	t.Setenv("PATH", t.TempDir())
	b.entries[3].Distinct++
	b.list()
	b.red("explorer: distinct 6, expected 7", "-run", ".")
}

// TestWithoutJavaRefused: where TLC is asked for, a missing Java is an error.
func TestWithoutJavaRefused(t *testing.T) {
	for why, takeAway := range withoutJava {
		for _, setting := range []string{"CI=true", "CI=1", "TLC=yes"} {
			b := newBench(t)
			takeAway(b)
			name, value, _ := strings.Cut(setting, "=")
			t.Setenv(name, value)
			b.red(why, "-run", ".")
			require.Contains(t, b.log.String(), "To install Java: "+tlc.InstallJava())
			t.Setenv(name, "false")
			require.Equal(t, exitOK, b.run("-run", "."), "CI=false is no CI")
		}
	}
	b := newBench(t)
	t.Setenv("PATH", t.TempDir())
	b.red("there is no java in PATH", "-update")
	b.red("there is no java in PATH", "-bench", "-config", "models/CounterHolds")
	b.red("there is no java in PATH", "-traces", filepath.Join("..", "..", "traces", "valid"))
}

func TestWithoutJavaJSON(t *testing.T) {
	b := newBench(t)
	t.Setenv("PATH", t.TempDir())
	require.Equal(t, exitOK, b.run("-run", ".", "-json"), b.log.String())
	var report struct {
		OK             bool
		Skipped        string `json:"tlc_skipped"`
		Configurations []struct{ TLC, Explorer *tla.Result }
	}
	require.NoError(t, json.Unmarshal([]byte(b.out.String()), &report))
	require.True(t, report.OK)
	require.Contains(t, report.Skipped, "there is no java in PATH")
	require.Len(t, report.Configurations, 4)
	require.Nil(t, report.Configurations[0].TLC)
	require.Contains(t, b.log.String(), "To run TLC too: ")
}
