package metrics

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// ContentType is what HTTP calls the text that Write writes.
const ContentType = "text/plain; version=0.0.4; charset=utf-8"

// Write writes metrics in the text format of Prometheus. Ids, causes and types need no escapes.
func Write(w io.Writer, all []Reading) error {
	var text strings.Builder
	for _, r := range all {
		fmt.Fprintf(&text, "# HELP %s %s\n# TYPE %s %s\n", r.Name, r.Help, r.Name, r.Kind)
		for _, s := range r.Samples {
			label := ""
			if r.Label != "" {
				label = fmt.Sprintf("{%s=%q}", r.Label, s.Value)
			}
			fmt.Fprintf(&text, "%s%s %v\n", r.Name, label, s.Number)
		}
		if t := r.Times; t != nil {
			for _, bound := range slices.Sorted(maps.Keys(t.Within)) {
				fmt.Fprintf(&text, "%s_bucket{le=%q} %d\n", r.Name, strconv.FormatFloat(bound, 'g', -1, 64), t.Within[bound])
			}
			fmt.Fprintf(&text, "%s_bucket{le=\"+Inf\"} %d\n%s_sum %v\n%s_count %d\n", r.Name, t.All, r.Name, t.Sum, r.Name, t.All)
		}
	}
	_, err := io.WriteString(w, text.String())
	return err
}
