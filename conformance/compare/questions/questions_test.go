package questions_test

import (
	"context"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/compare"
	"github.com/seed-fdf591db/bully/conformance/compare/questions"
	"github.com/seed-fdf591db/bully/conformance/compare/toy"
)

// question returns a question by its id.
func question(t *testing.T, id string) *questions.Question {
	t.Helper()
	for _, q := range questions.All() {
		if q.ID == id {
			return &q
		}
	}
	require.Fail(t, "no question "+id)
	return nil
}

func ask(t *testing.T, q *questions.Question, seeds int, algorithms ...compare.Algorithm) questions.Answer {
	t.Helper()
	answer, err := questions.Ask(context.Background(), q, algorithms, questions.Options{First: 1, Seeds: seeds, Workers: 2})
	require.NoError(t, err)
	return answer
}

// TestMessages knows what elections of the toy cost: a message to each other node from whoever starts.
func TestMessages(t *testing.T) {
	for id, cost := range map[string]func(n float64) float64{
		"messages-best":  func(n float64) float64 { return n - 1 },
		"messages-worst": func(n float64) float64 { return n - 1 },
	} {
		answer := ask(t, question(t, id), 7, toy.New())
		require.Equal(t, 1, answer.Seeds, "there is nothing to draw")
		require.Len(t, answer.Rows, 11)
		for _, row := range answer.Rows {
			require.Equal(t, 1, row.Runs)
			require.Equal(t, cost(row.X), row.Values[0].Most, "%s of %s", id, row.Setting)
		}
	}
	herd := ask(t, question(t, "messages-herd"), 1, toy.New())
	require.True(t, math.IsInf(herd.Rows[0].Values[0].Most, 1), "a herd of toys never agrees")
	data, err := json.Marshal(herd)
	require.NoError(t, err)
	require.Contains(t, string(data), `"never"`)
	require.Contains(t, herd.Table(question(t, "messages-herd")), "never")
}

// TestBounds holds the curves that are drawn: those of the Bully, and those of the ring.
func TestBounds(t *testing.T) {
	var at []float64
	for _, bound := range question(t, "messages-worst").Bounds {
		at = append(at, bound.At(5))
	}
	require.Equal(t, []float64{4, 24, 9, 25}, at)
}

// TestSame asks twice, with other workers, and with other seeds.
func TestSame(t *testing.T) {
	q := question(t, "failover-loss")
	one := ask(t, q, 3, toy.New())
	two, err := questions.Ask(context.Background(), q, []compare.Algorithm{toy.New()}, questions.Options{First: 1, Seeds: 3, Workers: 1})
	require.NoError(t, err)
	require.Equal(t, one, two)
	other, err := questions.Ask(context.Background(), q, []compare.Algorithm{toy.New()}, questions.Options{First: 4, Seeds: 3})
	require.NoError(t, err)
	for i := range one.Rows {
		require.NotEqual(t, one.Rows[i].Digest, other.Rows[i].Digest)
	}
}

// TestReplay runs the seed that was worst once more: it is as bad as it was.
func TestReplay(t *testing.T) {
	for _, q := range questions.All() {
		algorithm := toy.New()
		s := q.Settings[0]
		answer := ask(t, &questions.Question{ID: q.ID, Measures: q.Measures, Single: q.Single, Settings: q.Settings[:1]}, 2, algorithm)
		run, err := q.Replay(&algorithm, s.Name, answer.Rows[0].Worst, compare.Options{Timeline: true})
		require.NoError(t, err)
		require.Equal(t, answer.Rows[0].Values[0].Most, run.Values[0], q.ID)
		require.NotEmpty(t, run.Result.Timeline)
	}
	algorithm := toy.New()
	_, err := question(t, "leaders").Replay(&algorithm, "sunshine", 1, compare.Options{})
	require.ErrorContains(t, err, `no setting "sunshine"; it has "partition"`)
}

// TestAsk holds what cannot be asked.
func TestAsk(t *testing.T) {
	q := question(t, "leaders")
	_, err := questions.Ask(context.Background(), q, []compare.Algorithm{toy.New()}, questions.Options{})
	require.ErrorContains(t, err, "no seeds")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = questions.Ask(ctx, q, []compare.Algorithm{toy.New()}, questions.Options{Seeds: 1})
	require.ErrorIs(t, err, context.Canceled)

	small := toy.New()
	small.MaxNodes = 4
	answer := ask(t, question(t, "messages-failover"), 1, small)
	require.Equal(t, 1, answer.Rows[0].Runs)
	require.Zero(t, answer.Rows[1].Runs)
	require.Contains(t, answer.Table(question(t, "messages-failover")), "-")
}

// TestLeaders knows that the toy has two leaders in every partition, and stale writes, and that a pause needs no more.
func TestLeaders(t *testing.T) {
	answer := ask(t, question(t, "leaders"), 2, toy.New())
	for _, row := range answer.Rows {
		if strings.HasPrefix(row.Setting, "partition") {
			require.Greater(t, row.Values[0].Most, 1.0)
			require.Greater(t, row.Values[1].Mean, 1000.0)
			require.Greater(t, row.Values[3].Mean, 10.0)
		}
		if row.Setting == "pause" {
			require.Positive(t, row.Values[3].Mean, "the pause comes amid a write")
		}
	}
}

// TestNumber writes numbers as people read them.
func TestNumber(t *testing.T) {
	for text, v := range map[string]float64{"never": math.Inf(1), "3": 3, "0.25": 0.25, "12.3": 12.34, "1235": 1234.6, "135": 134.7, "0": 0} {
		require.Equal(t, text, questions.Number(v))
	}
}
