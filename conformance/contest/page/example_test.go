package page_test

import (
	"bytes"
	"fmt"
	"regexp"

	"github.com/seed-fdf591db/bully/conformance/contest/chart"
	"github.com/seed-fdf591db/bully/conformance/contest/page"
)

func Example() {
	bars := chart.Bars{Title: "Leaders at once", Categories: []string{"partition"}, Rows: []chart.Row{
		{Name: "textbook", Values: []float64{2}},
		{Name: "bully", Values: []float64{1}},
	}}
	var html bytes.Buffer
	err := page.Write(&html, page.Page{
		Title: "Elections compared",
		Sections: []page.Section{{
			ID: "leaders", Title: "Leaders at once", Question: "How many lead at once?", Pictures: []page.Picture{bars},
			Table: page.Table{
				Columns: []page.Column{{Name: "algorithm"}, {Name: "leaders", Number: true}},
				Rows:    [][]string{{"textbook", "2"}, {"bully", "1"}},
			},
			Command: "bully compare -question leaders",
		}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, row := range regexp.MustCompile(`<tr>.*</tr>|<li>.*</li>|<code>.*</code>`).FindAllString(html.String(), -1) {
		fmt.Println(row)
	}
	// Output:
	// <li><a href="#leaders">Leaders at once</a></li>
	// <tr><th scope="col">algorithm</th><th scope="col" class="number">leaders</th></tr>
	// <tr><th scope="row">textbook</th><td class="number">2</td></tr>
	// <tr><th scope="row">bully</th><td class="number">1</td></tr>
	// <code>bully compare -question leaders</code>
}
