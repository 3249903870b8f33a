package sim

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/seed-fdf591db/bully/spec"
)

// changesJSON writes what a plan has more where members change: the first members, and a line for each change.
func (p *Plan) changesJSON(b *bytes.Buffer) {
	b.WriteString(",\n" + ` "first":`)
	list(b, p.First, func(m spec.Member) {
		fmt.Fprintf(b, `{"id":%q,"kind":%q`, m.ID, m.Kind)
		if m.Address != "" {
			fmt.Fprintf(b, `,"address":%q`, m.Address)
		}
		b.WriteByte('}')
	})
	b.WriteString(`,"changes":[`)
	for i, c := range p.Changes {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(b, "\n"+`  {"at":%q,"change":%q,"node":%q`, c.At, c.Kind, c.Node)
		if c.Kind == RemoveChange {
			back := "never"
			if c.Back > 0 {
				back = c.Back.String()
			}
			fmt.Fprintf(b, `,"back":%q`, back)
		}
		b.WriteByte('}')
	}
	b.WriteByte(']')
}

// changes reads what a plan has more where members change, if it has.
func (o fields) changes(p *Plan) {
	if _, ok := o.left["first"]; !ok {
		return // and changes, if there are any, are unknown here
	}
	for i, raw := range value[[]json.RawMessage](o, "first") {
		m := o.planReader.object(fmt.Sprintf("%s[%d]", o.at("first"), i), raw)
		member := spec.Member{ID: value[spec.NodeID](m, "id"), Kind: spec.MemberKind(value[string](m, "kind"))}
		if _, ok := m.left["address"]; ok {
			member.Address = value[string](m, "address")
		}
		m.end()
		p.First = append(p.First, member)
	}
	if o.err == nil && len(p.First) == 0 {
		o.fail(o.at("first"), "is empty: without first members, members are fixed, and it is left out")
	}
	for i, raw := range value[[]json.RawMessage](o, "changes") {
		p.Changes = append(p.Changes, o.planReader.object(fmt.Sprintf("%s[%d]", o.at("changes"), i), raw).change())
	}
}

// change reads a change.
func (o fields) change() (c Change) {
	c.At, c.Kind, c.Node = o.duration("at"), ChangeKind(value[string](o, "change")), value[spec.NodeID](o, "node")
	if o.err == nil && !c.Kind.Valid() {
		o.fail(o.at("change"), fmt.Sprintf("%q is no kind of change: there are %v", c.Kind, ChangeKinds()))
	}
	if c.Kind == RemoveChange {
		c.Back = max(0, o.duration("back"))
	}
	o.end()
	return c
}
