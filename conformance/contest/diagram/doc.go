// Package diagram draws a run of an election algorithm as a space-time diagram: time goes down, each node has a line, reigns
// are bands, messages are arrows. Beside each moment stands what happens in it, so the picture can be read as a text too.
//
// This is the loop that its user writes:
//
//	for _, algorithm := range algorithms {
//		result, err := contest.Run(&scenario, algorithm, seed, contest.Options{Timeline: true})
//		if err != nil {
//			return err
//		}
//		picture, err := diagram.Diagram{Title: algorithm.Title, Scenario: &scenario, Result: &result, Servers: algorithm.Servers,
//			Leave: algorithm.Upkeep}.SVG(520)
//		if err != nil {
//			return err
//		}
//		pictures = append(pictures, picture)
//	}
//
// # Time
//
// Time is not to scale, or nothing could be seen: messages take a millisecond, and patience hundreds. Moments in which nothing
// happens have no room; where a long time is left out, the lines are broken, and it is said how long it was. The order of
// moments is always right.
//
// # What the picture says
//
// A wide band is a reign, in the colour of its leader. A thin line in that colour is a node that follows this leader; a dotted
// one knows of no leader; a dashed one stands for election. Where more than one node leads that is not paused, the ground is
// red. Grey is a node that is down or paused. Below each picture a key says what is in it.
package diagram
