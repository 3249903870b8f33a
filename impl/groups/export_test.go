package groups

import "slices"

// Without returns a bundle without what it says of a group in messages of its own, and whether it said anything.
func Without(bytes []byte, group string) (rest []byte, said bool) {
	b, err := readBundle(bytes)
	if err != nil {
		panic(err)
	}
	n := len(b.items)
	b.items = slices.DeleteFunc(b.items, func(m item) bool { return m.group == number([]byte(group)) })
	if b.empty() {
		return nil, true
	}
	return b.append(nil), len(b.items) < n
}

// Watchers returns how many watch a node.
func (g *Groups) Watchers() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.watchers)
}
