package deploy

import (
	"cmp"
	"context"
	"errors"
	"io"
	"math"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/prometheus/model/histogram"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/textparse"
	"github.com/prometheus/prometheus/model/value"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb/chunkenc"
	"github.com/prometheus/prometheus/tsdb/chunks"
	"github.com/prometheus/prometheus/util/annotations"
	"github.com/stretchr/testify/require"
)

const (
	// interval is that of prometheus.yml.
	interval = 15 * time.Second
	// kept is how long samples are kept: longer than any expression looks back.
	kept = 40 * time.Minute
)

// A server does as Prometheus does, with its parser and its engine, but for time: it looks at real nodes, and what it has seen is as far
// apart as prometheus.yml says, however soon it has looked again.
type server struct {
	t       *testing.T
	now     time.Time
	targets []string
	series  map[uint64]*series
	engine  *promql.Engine
	rules   []*rule
}

// series are the samples of one series, oldest first.
type series struct {
	labels  labels.Labels
	samples []chunks.Sample
}

// sample implements chunks.Sample: a number, and when it was seen, in ms.
type sample struct {
	at     int64
	number float64
}

func (s sample) T() int64                    { return s.at }
func (sample) ST() int64                     { return 0 }
func (s sample) F() float64                  { return s.number }
func (sample) H() *histogram.Histogram       { return nil }
func (sample) FH() *histogram.FloatHistogram { return nil }
func (sample) Type() chunkenc.ValueType      { return chunkenc.ValFloat }
func (s sample) Copy() chunks.Sample         { return s }

func newServer(t *testing.T, targets ...string) *server {
	s := &server{t: t, now: time.Now(), targets: targets, series: map[uint64]*series{}, rules: rules(t)}
	s.engine = promql.NewEngine(promql.EngineOpts{MaxSamples: 1e6, Timeout: patience, LookbackDelta: 5 * time.Minute, EnableAtModifier: true,
		EnableNegativeOffset: true, Parser: parser.NewParser(parser.Options{})})
	t.Cleanup(func() { require.NoError(t, s.engine.Close()) })
	return s
}

// scrape looks at all nodes once, and lets the rules do so at what it has seen.
func (s *server) scrape() {
	s.t.Helper()
	s.now = s.now.Add(interval)
	for _, target := range s.targets {
		text, err := fetch(s.t.Context(), target)
		up := 1.0
		if err != nil {
			up = 0
		}
		s.add(labels.FromStrings("__name__", "up"), target, up)
		s.read(text, target)
		s.end(target)
	}
	for _, r := range s.rules {
		r.look(s)
	}
}

// fetch returns the metrics of a node.
func fetch(ctx context.Context, target string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+target+"/metrics", nil)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return nil, errors.New(response.Status)
	}
	return io.ReadAll(response.Body)
}

// read adds all samples of a text.
func (s *server) read(text []byte, target string) {
	s.t.Helper()
	p := textparse.NewPromParser(text, labels.NewSymbolTable(), false)
	for {
		entry, err := p.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(s.t, err)
		if entry == textparse.EntrySeries {
			var of labels.Labels
			p.Labels(&of)
			_, _, number := p.Series()
			s.add(of, target, number)
		}
	}
}

// add adds a sample, with the labels that prometheus.yml gives its node.
func (s *server) add(of labels.Labels, target string, number float64) {
	b := labels.NewBuilder(of)
	all := b.Set("job", "bully").Set("cluster", "jobs").Set("instance", target).Labels()
	one := s.series[all.Hash()]
	if one == nil {
		one = &series{labels: all}
		s.series[all.Hash()] = one
	}
	one.add(s.now, number)
}

func (o *series) add(at time.Time, number float64) {
	if len(o.samples) > 0 && o.samples[0].T() < at.Add(-kept).UnixMilli() {
		o.samples = o.samples[1:]
	}
	o.samples = append(o.samples, sample{at.UnixMilli(), number})
}

// end marks the series of a node that it does not tell of any more.
func (s *server) end(target string) {
	for _, one := range s.series {
		last := one.samples[len(one.samples)-1]
		if one.labels.Get("instance") == target && last.T() != s.now.UnixMilli() && !value.IsStaleNaN(last.F()) {
			one.add(s.now, math.Float64frombits(value.StaleNaN))
		}
	}
}

// Querier implements storage.Queryable.
func (s *server) Querier(from, to int64) (storage.Querier, error) {
	return &storage.MockQuerier{SelectMockFunction: func(_ bool, _ *storage.SelectHints, matchers ...*labels.Matcher) storage.SeriesSet {
		found := &found{}
		for _, one := range s.series {
			if slices.ContainsFunc(matchers, func(m *labels.Matcher) bool { return !m.Matches(one.labels.Get(m.Name)) }) {
				continue
			}
			when := func(s chunks.Sample, at int64) int { return cmp.Compare(s.T(), at) }
			first, _ := slices.BinarySearchFunc(one.samples, from, when)
			last, _ := slices.BinarySearchFunc(one.samples, to+1, when)
			found.all = append(found.all, storage.NewListSeries(one.labels, one.samples[first:last]))
		}
		slices.SortFunc(found.all, func(a, b storage.Series) int { return labels.Compare(a.Labels(), b.Labels()) })
		return found
	}}, nil
}

// found are the series that were found.
type found struct {
	all []storage.Series
	at  int
}

func (f *found) Next() bool                      { f.at++; return f.at <= len(f.all) }
func (f *found) At() storage.Series              { return f.all[f.at-1] }
func (*found) Err() error                        { return nil }
func (*found) Warnings() annotations.Annotations { return nil }

// ask evaluates an expression now.
func (s *server) ask(expression string) promql.Vector {
	s.t.Helper()
	query, err := s.engine.NewInstantQuery(s.t.Context(), s, nil, expression, s.now)
	require.NoError(s.t, err, expression)
	defer query.Close()
	result := query.Exec(s.t.Context())
	require.NoError(s.t, result.Err, expression)
	vector, err := result.Vector()
	require.NoError(s.t, err, expression)
	return slices.Clone(vector)
}
