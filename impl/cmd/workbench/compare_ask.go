package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/seed-fdf591db/bully/conformance/compare/questions"
)

// askQuestions asks the questions, and prints the answers.
func (p program) askQuestions(ctx context.Context, f compareFlags) error {
	asked, err := chosenQuestions(f.questions)
	if err != nil {
		return err
	}
	begin := time.Now()
	var answers []questions.Answer
	for i := range asked {
		q := &asked[i]
		answer, err := questions.Ask(ctx, q, f.chosen, questions.Options{First: f.seed, Seeds: f.seeds, Workers: f.workers,
			Progress: p.throttled(func(done, of int) string {
				return fmt.Sprintf("question %d of %d, %s: %d of %d", i+1, len(asked), q.ID, done, of)
			})})
		p.Clear()
		if err != nil {
			return err
		}
		answers = append(answers, answer)
		if !f.json {
			_, _ = fmt.Fprintf(p.Out, "%s (%s)\n%s\n%s\n\n%s\n", q.Title, q.ID, q.Asks, q.How, answer.Table(q))
		}
	}
	_, _ = fmt.Fprintf(p.Log, "%d questions, seeds from %d on, in %s\n", len(asked), f.seed, time.Since(begin).Round(time.Millisecond))
	if f.json {
		err = p.JSON(answers)
	}
	if f.html != "" {
		if failed := f.writeComparison(asked, answers); failed != nil {
			err = errors.Join(err, fmt.Errorf("-html: %w", failed))
		}
	}
	return err
}

// throttled returns a function that shows how far a long run has come, now and then. Many goroutines may call it.
func (p program) throttled(line func(done, of int) string) func(done, of int) {
	var mu sync.Mutex
	next := time.Now().Add(p.Every())
	return func(done, of int) {
		mu.Lock()
		defer mu.Unlock()
		if now := time.Now(); !now.Before(next) {
			next = now.Add(p.Every())
			p.Progress(line(done, of))
		}
	}
}
