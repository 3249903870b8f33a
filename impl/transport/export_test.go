package transport

import "github.com/seed-fdf591db/bully/spec"

// Said returns what a record lacks of what a message of its node says of it, and whether the message says all but the numbers.
func Said(kept spec.Durable, m spec.Message) (lacks string, all bool) {
	var r record
	r.said(&m)
	is := recordOf(kept)
	lacks = is.lacks(r)
	r.reserved = is.reserved
	return lacks, r == is
}
