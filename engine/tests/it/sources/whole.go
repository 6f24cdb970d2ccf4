package main

import (
	"fmt"
	st "example.org/tool/store"
)

const limit, other = 1, 2

var (
	global = 3
)

type Runner struct{ n Count }
type Doer interface{ Do() error }
type ID = string
type (
	Pair[T any] struct{ a, b T }
	Count int
)

func (r *Runner) Do() error { return st.Open(r.n) }
func (p Pair[T]) First() T { return p.a }
func main() { fmt.Println(helper()) }
