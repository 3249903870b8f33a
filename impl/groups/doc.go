// Package groups is many elections over one set of nodes.
package groups
