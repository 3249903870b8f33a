// Package page writes what was measured and drawn as one HTML page: questions with their charts and tables, and stories of
// runs side by side. The page needs nothing beside itself: no script, no font, no network. It can be read from a file, in the
// light and in the dark, on a phone, with the keyboard alone and by a screen reader.
//
// This is the loop that its user writes:
//
//	p := page.Page{Title: "Elections compared", Intro: "All in the same simulator.", Machine: machine.String()}
//	for _, q := range answers {
//		p.Sections = append(p.Sections, page.Section{
//			ID: q.ID, Title: q.Title, Question: q.Asks, Pictures: []page.Picture{q.Lines()}, Table: q.Table(), Command: q.Command,
//		})
//	}
//	for _, s := range scenarios {
//		stories.Stories = append(stories.Stories, page.Story{
//			ID: s.Name, Title: s.Title, Watch: s.Watch, Cause: s.Cause, Remedy: s.Remedy, Runs: []page.Run{theirs, ours},
//		})
//	}
//	p.Sections = append(p.Sections, stories)
//	if err := page.Write(file, p); err != nil {
//		return err
//	}
//
// A [Picture] is what draws itself as SVG: chart.Lines, chart.Bars and diagram.Diagram do. Pictures may not have scripts,
// links or anything that a browser would load; Write refuses those that do.
package page
