package deploy

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// board is of a dashboard what a test looks at.
type board struct {
	Title      string `json:"title"`
	Templating struct {
		List []struct {
			Name  string `json:"name"`
			Type  string `json:"type"`
			Query string `json:"query"`
		} `json:"list"`
	} `json:"templating"`
	Panels []struct {
		ID          int                      `json:"id"`
		Type, Title string                   `json:"-"`
		GridPos     struct{ H, W, X, Y int } `json:"gridPos"`
		Targets     []struct {
			Expr string `json:"expr"`
		} `json:"targets"`
	} `json:"panels"`
}

// dashboard reads dashboard.json, and asks a server that looks at healthy nodes for all that it shows. Panels lie beside each other.
func dashboard(t *testing.T, s *server) {
	t.Helper()
	text, err := os.ReadFile("dashboard.json")
	require.NoError(t, err)
	var b board
	require.NoError(t, json.Unmarshal(text, &b))
	for _, v := range b.Templating.List {
		if name, ok := strings.CutPrefix(v.Query, "label_values("); ok {
			selector, _, _ := strings.Cut(name, ", ")
			require.NotEmpty(t, s.ask(strings.TrimSuffix(selector, ")")), v.Query)
		}
	}
	filled := strings.NewReplacer("$cluster", "jobs", "$__rate_interval", "1m")
	taken, ids := map[[2]int]int{}, map[int]bool{}
	for _, panel := range b.Panels {
		require.False(t, ids[panel.ID], "two panels are %d", panel.ID)
		ids[panel.ID] = true
		require.LessOrEqual(t, panel.GridPos.X+panel.GridPos.W, 24)
		for x := range panel.GridPos.W {
			for y := range panel.GridPos.H {
				at := [2]int{panel.GridPos.X + x, panel.GridPos.Y + y}
				require.Zero(t, taken[at], "panels %d and %d lie over each other", taken[at], panel.ID)
				taken[at] = panel.ID
			}
		}
		require.NotEmpty(t, panel.Targets)
		for _, target := range panel.Targets {
			expression := filled.Replace(target.Expr)
			require.NotContains(t, expression, "$")
			requireKnown(t, expression)
			if !strings.HasSuffix(expression, "> 0") { // else it shows what is not so in a healthy cluster
				require.NotEmpty(t, s.ask(expression), "panel %d shows nothing: %s", panel.ID, expression)
			}
		}
	}
}
