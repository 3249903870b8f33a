package kit

import (
	"slices"
	"strings"
)

// Again returns the command that runs a case once more.
func (r *Report) Again(v *Verdict) string {
	if len(r.Command) == 0 {
		return ""
	}
	words := append([]string{"bullytest", "test"}, r.Flags...)
	if v.Whole || len(v.Before) > 0 { // what comes before matters, and must be in the same process
		words = append(words, "-workers", "1")
	}
	if v.Whole {
		words = append(words, r.Chosen...)
	} else {
		words = append(words, "-run", strings.Join(append(slices.Clone(v.Before), v.Case), ","))
	}
	words = append(append(words, "--"), r.Command...)
	for i, word := range words {
		words[i] = quote(word)
	}
	return strings.Join(words, " ")
}

// quote returns a word as a shell takes it.
func quote(word string) string {
	if word != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:,+@%") == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
