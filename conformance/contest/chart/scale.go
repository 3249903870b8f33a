package chart

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-fdf591db/bully/conformance/contest/chart/svg"
)

// scale maps the numbers of an axis to a stretch of the drawing.
type scale struct {
	axis     Axis
	min, max float64   // the numbers at its ends; min < max
	from, to float64   // where these are
	step     float64   // how far the ticks of a linear scale are apart; 0: as it suits
	even     []float64 // the numbers that stand evenly apart, in order; nil if the axis is not so
}

// newScale returns a scale that holds all numbers. There may be none.
func newScale(a Axis, numbers []float64) scale {
	s := scale{axis: a, max: 1}
	if distinct := distinct(numbers); a.Even && len(distinct) > 1 {
		s.min, s.max, s.even = distinct[0], distinct[len(distinct)-1], distinct
		return s
	}
	if a.Even {
		s.axis.Log = false
	}
	if s.axis.Log {
		s.min, s.max = 1, 10
	}
	if len(numbers) == 0 {
		return s
	}
	s.min, s.max = slices.Min(numbers), slices.Max(numbers)
	switch {
	case s.axis.Log && s.max < s.min*1.01:
		s.min, s.max = s.min/2, s.max*2
	case !s.axis.Log && s.max-s.min <= 1e-9*max(math.Abs(s.min), math.Abs(s.max), smallest):
		by := max(math.Abs(s.min)/2, smallest)
		if s.min == 0 { // what is never below 0 needs no room there
			s.max = 1
			break
		}
		s.min, s.max = s.min-by, s.max+by
	}
	return s
}

// at returns where a number is. Numbers beyond the ends are beyond the stretch.
func (s scale) at(v float64) float64 {
	part := (v - s.min) / (s.max - s.min)
	if s.even != nil {
		i, _ := slices.BinarySearch(s.even, v)
		i = max(1, min(i, len(s.even)-1))
		part = (float64(i-1) + (v-s.even[i-1])/(s.even[i]-s.even[i-1])) / float64(len(s.even)-1)
	} else if s.axis.Log {
		part = math.Log(v/s.min) / math.Log(s.max/s.min)
	}
	return s.from + part*(s.to-s.from)
}

// mid returns the number that a part of the way from min to max has.
func (s scale) mid(part float64) float64 {
	if s.even != nil {
		steps := part * float64(len(s.even)-1)
		i := min(int(steps), len(s.even)-2)
		return s.even[i] + (steps-float64(i))*(s.even[i+1]-s.even[i])
	}
	if s.axis.Log {
		return s.min * math.Exp(part*math.Log(s.max/s.min))
	}
	return s.min + part*(s.max-s.min)
}

// ticks returns about n round numbers between the ends, in order; never more than a few times n. If the scale was rounded they
// are those at which it ends, and those between.
func (s scale) ticks(n int) []float64 {
	if s.axis.Log {
		if all := s.logTicks(n); len(all) > 1 {
			return all
		}
	}
	step := s.step
	if step == 0 {
		step = niceStep((s.max - s.min) / float64(max(n, 1)))
	}
	var all []float64
	for i := math.Ceil(s.min/step - 1e-9); i*step <= s.max+1e-9*step; i++ {
		all = append(all, cleaned(i*step, step))
	}
	return all
}

// logTicks returns the powers of ten between the ends, every few of them, or with those of 2 and 5 if there is room.
func (s scale) logTicks(n int) []float64 {
	low, high := int(math.Floor(math.Log10(s.min))), int(math.Ceil(math.Log10(s.max)))
	factors := []float64{1, 2, 5}
	if 3*(high-low) > n+3 {
		factors = factors[:1]
	}
	powers := math.Floor(math.Log10(s.max)) - math.Ceil(math.Log10(s.min)) // between the ends, less one
	every := max(1, int(math.Ceil(powers/float64(max(n, 1)))))
	var all []float64
	for e := low; e <= high; e++ {
		if len(factors) == 1 && ((e%every)+every)%every != 0 {
			continue
		}
		for _, f := range factors {
			if v := power(f, e); v >= s.min*(1-1e-9) && v <= s.max*(1+1e-9) {
				all = append(all, v)
			}
		}
	}
	return all
}

// power returns f·10^e, as exactly as it can be written.
func power(f float64, e int) float64 {
	if e < 0 {
		return f / math.Pow10(-e)
	}
	return f * math.Pow10(e)
}

// niceStep returns the least of 1, 2 and 5 times a power of ten that is not below a step.
func niceStep(step float64) float64 {
	e := int(math.Floor(math.Log10(step)))
	for _, f := range []float64{1, 2, 5} {
		if v := power(f, e); v >= step*(1-1e-9) {
			return v
		}
	}
	return power(1, e+1)
}

// cleaned returns a multiple of a step without what arithmetic has added to it.
func cleaned(v, step float64) float64 {
	digits := max(0, -int(math.Floor(math.Log10(step))))
	clean, err := strconv.ParseFloat(strconv.FormatFloat(v, 'f', min(digits, 20), 64), 64)
	if err != nil || clean == 0 {
		return 0
	}
	return clean
}

// rounded widens a linear scale to its next ticks, so that no line touches the edge of the plot; and to 0, if that is not
// far, so that lengths can be compared.
func (s scale) rounded(n int) scale {
	if s.axis.Log {
		return s
	}
	if s.min > 0 && s.min < s.max/2 {
		s.min = 0
	}
	step := niceStep((s.max - s.min) / float64(max(n, 1)))
	s.step = step
	s.min, s.max = math.Floor(s.min/step+1e-9)*step, math.Ceil(s.max/step-1e-9)*step
	return s
}

// Number writes a number as charts do: with at most four digits that matter, or all of a whole number below 1e10, and commas
// between thousands.
func Number(v float64) string {
	switch {
	case math.IsNaN(v):
		return "–"
	case math.IsInf(v, 1):
		return "never"
	case math.IsInf(v, -1):
		return "−∞"
	case v < 0:
		return "−" + Number(-v)
	case v != 0 && v < 1e-4, v >= 1e10:
		return strconv.FormatFloat(v, 'g', 4, 64)
	}
	digits := 0
	if v != math.Trunc(v) && v < 1000 {
		digits = 3 - int(math.Floor(math.Log10(v)))
	}
	text := strconv.FormatFloat(v, 'f', max(0, min(digits, 7)), 64)
	whole, part, _ := strings.Cut(text, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if part = strings.TrimRight(part, "0"); part != "" {
		return whole + "." + part
	}
	return whole
}

// tick is a number that is written at an axis.
type tick struct {
	value float64
	at    float64
}

// most is how many numbers of X are all written below the plot. With more, round ones are.
const most = 12

// xTicks returns the numbers to write below the plot: those that were measured, as far as they fit, or round ones if there are
// many. None touches another.
func (s scale) xTicks(numbers []float64, style svg.Style) []tick {
	measured := distinct(numbers)
	if len(measured) > most && s.even == nil {
		if all := s.fitting(s.ticks(int((s.to-s.from)/60)), style); len(all) > 1 {
			return all
		}
	}
	return s.fitting(measured, style)
}

// fitting returns those of some numbers whose texts do not touch: the first, the last, and what there is room for between.
func (s scale) fitting(numbers []float64, style svg.Style) []tick {
	var all []tick
	end, limit := math.Inf(-1), math.Inf(1)
	for i, v := range numbers {
		at, half := s.at(v), svg.Width(Number(v), style)/2
		if last := len(numbers) - 1; i == 0 && last > 0 {
			limit = s.at(numbers[last]) - svg.Width(Number(numbers[last]), style)/2 - 6
		} else if i == last {
			limit = math.Inf(1)
		}
		if at-half > end+6 && (at+half < limit || i == 0) {
			all, end = append(all, tick{v, at}), at+half
		}
	}
	return all
}

// distinct returns numbers in order, each once.
func distinct(numbers []float64) []float64 {
	return slices.Compact(slices.Sorted(slices.Values(numbers)))
}
