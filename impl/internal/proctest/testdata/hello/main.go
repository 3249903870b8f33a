// Command hello says so.
package main

import "fmt"

func main() { fmt.Println("hello") }
