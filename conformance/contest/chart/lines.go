package chart

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Never is the value of what never came.
var Never = math.Inf(1)

// Unknown is the value of what was not measured.
var Unknown = math.NaN()

// Lines is a chart of lines: values that depend on a number.
type Lines struct {
	Title  string // what is shown: a short sentence
	Note   string // how it was measured, and what to look at; or ""
	X, Y   Axis
	Series []Series
	Bounds []Curve // what is known of the values before any is measured
}

// Axis is what numbers mean.
type Axis struct {
	Label string // such as "time to a new leader"
	Unit  string // such as "ms"; "" for plain numbers
	Log   bool   // equal factors are equally far apart; then there is no 0
	Even  bool   // of X: the numbers measured stand evenly apart, whatever they are. It goes before Log
}

// Series is a line: values of one thing.
type Series struct {
	Name   string // written at its end
	Points []Point
	Style  int  // its colour, dashes and marks, from 1 on; 0: by its place. To be given if charts show different series
	Strong bool // it is what the chart is about: drawn thicker
}

// Point is a value with what it varied between.
type Point struct {
	X, Y      float64 // Y may be Never or Unknown
	Low, High float64 // a range round Y, such as the least and the 99th percentile; equal: none. High may be Never
	N         int     // of how many runs; 0: not told
}

// Curve is a bound: a function of X. Where it has no finite value it is not drawn.
type Curve struct {
	Name string
	At   func(x float64) float64
}

// The narrowest and the widest drawing, in CSS pixels.
const (
	Narrowest = 280
	Widest    = 2000
)

// The numbers that can be drawn: on a linear axis up to largest and down to minus that, on a logarithmic axis from smallest
// to largest. Nobody counts or measures beyond, and within, arithmetic needs no care.
const (
	smallest = 1e-9
	largest  = 1e15
)

// check says what is wrong with a chart.
func (l Lines) check(width int) error {
	if err := checkWidth(width); err != nil {
		return err
	}
	if l.Y.Even {
		return errors.New("chart: Lines.Y.Even is set: only numbers of X can stand evenly apart")
	}
	if len(l.Series) == 0 {
		return errors.New("chart: no series: give Lines.Series at least one")
	}
	known := false
	for _, s := range l.Series {
		for i, p := range s.Points {
			if err := l.checkPoint(p); err != nil {
				return fmt.Errorf("chart: series %q, point %d: %w", s.Name, i+1, err)
			}
			known = known || !math.IsNaN(p.Y)
		}
		if s.Style < 0 {
			return fmt.Errorf("chart: series %q: Style is %d: styles are counted from 1, and 0 is by place", s.Name, s.Style)
		}
	}
	if !known {
		return errors.New("chart: no series has a point that was measured: there is nothing to draw")
	}
	for _, c := range l.Bounds {
		if c.At == nil {
			return fmt.Errorf("chart: bound %q: At is nil: give it a function", c.Name)
		}
	}
	return nil
}

// checkPoint says what is wrong with a point.
func (l Lines) checkPoint(p Point) error {
	if err := l.X.check("X", p.X); err != nil {
		return err
	}
	if math.IsNaN(p.Y) || p.Y == Never {
		return nil
	}
	if err := l.Y.check("Y", p.Y); err != nil {
		return err
	}
	if !p.ranged() {
		return nil
	}
	// Low may be 0 on a logarithmic axis: the range then goes down to its edge.
	if err := (Axis{}).check("Low", p.Low); err != nil {
		return err
	}
	if p.High != Never {
		if err := (Axis{}).check("High", p.High); err != nil {
			return err
		}
	}
	if p.Low > p.Y || p.High < p.Y {
		return fmt.Errorf("its range from %v to %v is not round Y, which is %v", p.Low, p.High, p.Y)
	}
	return nil
}

// check says whether a number can be drawn on an axis.
func (a Axis) check(name string, v float64) error {
	switch {
	case math.IsNaN(v):
		return fmt.Errorf("%s is not a number", name)
	case math.Abs(v) > largest:
		return fmt.Errorf("%s is %v: numbers up to %v can be drawn", name, v, largest)
	case a.Log && !a.Even && v <= 0:
		return fmt.Errorf("%s is %v, and a logarithmic axis has only numbers above 0: leave the point out, or Log", name, v)
	case a.Log && !a.Even && v < smallest:
		return fmt.Errorf("%s is %v: a logarithmic axis goes down to %v", name, v, smallest)
	}
	return nil
}

// checkWidth says whether a drawing can be so wide.
func checkWidth(width int) error {
	if width < Narrowest || width > Widest {
		return fmt.Errorf("chart: a width of %d: it must be from %d to %d", width, Narrowest, Widest)
	}
	return nil
}

// ranged says whether a point has a range: one that is more than a number.
func (p Point) ranged() bool { return p.Low != p.High }

// measured says whether there is a value to draw in the plot.
func (p Point) measured() bool { return !math.IsNaN(p.Y) && p.Y != Never }

// sorted returns the points of a series from left to right.
func (s Series) sorted() []Point {
	all := slices.Clone(s.Points)
	slices.SortStableFunc(all, func(a, b Point) int {
		switch {
		case a.X < b.X:
			return -1
		case a.X > b.X:
			return 1
		}
		return 0
	})
	return all
}
