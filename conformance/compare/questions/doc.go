// Package questions asks all election algorithms the same questions, and measures the answers: messages against the number
// of nodes, time to a new leader against loss and delay, leaders at once in a partition, elections that a flapping link
// causes. The answers come from runs, made when they are asked for; the same seeds give the same answers.
//
//	for _, q := range questions.All() {
//		answer, err := questions.Ask(ctx, &q, algorithms, questions.Options{First: 1, Seeds: 100})
//		if err != nil {
//			return err
//		}
//		fmt.Println(answer.Table())
//	}
package questions
