package spec_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

func TestMaxEpoch(t *testing.T) {
	require.EqualValues(t, 9007199254740991, spec.MaxEpoch)
	require.True(t, spec.MaxEpoch.Valid())
	require.False(t, (spec.MaxEpoch + 1).Valid())
}

func TestEpochJSON(t *testing.T) {
	for text, want := range map[string]spec.Epoch{
		"0": 0, "1": 1, "10": 10, "9007199254740991": spec.MaxEpoch,
	} {
		var read spec.Epoch
		require.NoError(t, json.Unmarshal([]byte(text), &read), text)
		require.Equal(t, want, read)
		back, err := json.Marshal(read)
		require.NoError(t, err)
		require.Equal(t, text, string(back))
	}
	_, err := json.Marshal(spec.MaxEpoch + 1)
	require.ErrorContains(t, err, "epoch: 9007199254740992 is above 2^53-1")
}

func TestEpochJSONRefuses(t *testing.T) {
	for text, problem := range map[string]string{
		"9007199254740992":        "9007199254740992 is above 2^53-1",
		"18446744073709551617":    "18446744073709551617 is above 2^53-1",
		"99999999999999999999999": "is above 2^53-1",
		"-1":                      "negative",
		"-0":                      "negative",
		"1.0":                     "without fraction or exponent",
		"1e3":                     "without fraction or exponent",
		"1E3":                     "without fraction or exponent",
		"0.5":                     "without fraction or exponent",
		"01":                      "01 has a leading zero",
		"+1":                      "an integer expected at column 1, found '+'",
		`"4"`:                     "an integer expected",
		"null":                    "an integer expected",
		"true":                    "an integer expected",
		"[4]":                     "an integer expected",
		"":                        "an integer expected at column 1, found the end",
		"\x7f":                    `an integer expected at column 1, found '\x7f'`,
		"\x80":                    "an integer expected at column 1, found byte 0x80",
		"4 5":                     "the end expected at column 3",
		"4x":                      "the end expected at column 2",
	} {
		kept := spec.Epoch(7)
		err := kept.UnmarshalJSON([]byte(text))
		require.ErrorContains(t, err, "epoch: ", text)
		require.ErrorContains(t, err, problem, text)
		require.EqualValues(t, 7, kept, "an error must leave the epoch as it was")
	}
}
