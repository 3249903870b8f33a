// Package failing has a test that fails.
package failing
