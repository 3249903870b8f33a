package deploy

import (
	"log/slog"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/web"
)

// A rule is an alert: it fires when its expression has said something of the same labels for long enough.
type rule struct {
	rulefmt.Rule
	since map[string]time.Time // by labels
}

// rules reads alerts.yaml as Prometheus does, which checks names, expressions and templates.
func rules(t *testing.T) (all []*rule) {
	t.Helper()
	text, err := os.ReadFile("alerts.yaml")
	require.NoError(t, err)
	groups, errs := rulefmt.Parse(text, false, model.UTF8Validation, parser.NewParser(parser.Options{}), slog.New(slog.DiscardHandler))
	require.Empty(t, errs)
	for _, group := range groups.Groups {
		for _, r := range group.Rules {
			all = append(all, &rule{r, map[string]time.Time{}})
		}
	}
	return all
}

// look evaluates the expression.
func (r *rule) look(s *server) {
	since := map[string]time.Time{}
	for _, sample := range s.ask(r.Expr) {
		of := sample.Metric.String()
		if since[of] = s.now; !r.since[of].IsZero() {
			since[of] = r.since[of]
		}
	}
	r.since = since
}

// fires reports whether the alert fires.
func (r *rule) fires(now time.Time) bool {
	for _, since := range r.since {
		if now.Sub(since) >= time.Duration(r.For) {
			return true
		}
	}
	return false
}

// firing returns which alerts fire.
func (s *server) firing() []string {
	all := []string{}
	for _, r := range s.rules {
		if r.fires(s.now) {
			all = append(all, r.Alert)
		}
	}
	slices.Sort(all)
	return all
}

// TestRules: each has what a person who is woken needs, and speaks of nothing that is not there.
func TestRules(t *testing.T) {
	for _, r := range rules(t) {
		require.Contains(t, []string{"warning", "critical"}, r.Labels["severity"], r.Alert)
		require.ElementsMatch(t, []string{"summary", "description"}, slices.Collect(maps.Keys(r.Annotations)), r.Alert)
		require.True(t, strings.HasPrefix(r.Alert, "Bully"), "alert %s must begin with Bully", r.Alert)
		requireKnown(t, r.Expr)
	}
}

// TestRulesAreOfThePage: OPERATING.md says of each alert where to go on reading, and what it looks at, and of no other. Whoever is woken has its name.
func TestRulesAreOfThePage(t *testing.T) {
	text, err := os.ReadFile("../OPERATING.md")
	require.NoError(t, err)
	of := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `(Bully\\w+)` \\|(.*)$").FindAllStringSubmatch(string(text), -1) {
		of[row[1]] = row[2]
	}
	for _, r := range rules(t) {
		row, there := of[r.Alert]
		require.True(t, there, "the page has no row of %s", r.Alert)
		for _, name := range regexp.MustCompile(`bully_\w+`).FindAllString(r.Expr, -1) {
			require.Contains(t, row, "`"+name+"`", r.Alert)
		}
		delete(of, r.Alert)
	}
	require.Empty(t, of, "no alert is called so")
}

// requireKnown requires that an expression names only metrics that there are.
func requireKnown(t *testing.T, expression string) {
	t.Helper()
	parsed, err := parser.NewParser(parser.Options{}).ParseExpr(expression)
	require.NoError(t, err, expression)
	known := map[string]bool{"up": true}
	for _, f := range slices.Concat(web.Metrics(), web.GroupMetrics(), web.ProcessMetrics()) {
		known[f.Name] = true
		if f.Kind == web.Histogram {
			known[f.Name+"_bucket"], known[f.Name+"_sum"], known[f.Name+"_count"] = true, true, true
		}
	}
	parser.Inspect(parsed, func(node parser.Node, _ []parser.Node) error {
		if selector, ok := node.(*parser.VectorSelector); ok {
			require.True(t, known[selector.Name], "%s: there is no %q", expression, selector.Name)
		}
		return nil
	})
}
