//go:build !linux

package hold

// takeDescriptors takes none: elsewhere nobody has looked in which order the sockets of a dead process are closed.
func takeDescriptors() (release func()) { return func() {} }
