// Package empty tests nothing.
package empty
