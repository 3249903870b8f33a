package kit

import "strings"

// Again returns the command that runs a case once more.
func (r *Report) Again(v *Verdict) string {
	if len(r.Command) == 0 {
		return ""
	}
	words := append([]string{"bullytest", "test"}, r.Flags...)
	words = append(append(words, "-run", v.Case, "--"), r.Command...)
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
