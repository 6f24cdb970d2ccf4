//! Symbols and imports of each language, from one small file each.

use std::fmt::Write;

use crate::fixture::Project;

/// Symbols and resolved imports of a file, one a line.
fn outline(project: &Project, path: &str) -> String {
    let index = project.index();
    let view = index.view().unwrap();
    let file = view.files.iter().find(|f| f.path == path).unwrap();
    let mut out = String::new();
    for s in &file.symbols {
        let parent = s.parent.as_ref().map(|p| format!(" in {p}")).unwrap_or_default();
        writeln!(out, "{}-{} {} {}{parent} | {}", s.start_line, s.end_line, s.kind, s.name, s.signature)
            .unwrap();
    }
    for &import in &file.imports {
        writeln!(out, "imports {}", view.files[import as usize].path).unwrap();
    }
    out
}

#[test]
fn typescript() {
    let project = Project::new(
        r#"//- src/a.ts
import "./side";
import type { Shape } from "./types.js";
export { helper } from "@app/util";
export interface Store { get(id: string): string; }
export type Id = string | number;
export enum Colour { Red }
@sealed
export class Box<T> extends Base {
    private value = 1;
    constructor(readonly id: Id) { super(); }
    get size(): number { return 1; }
    #secret = () => 2;
    static async open(path: string): Promise<Box<string>> {
        const local = (x: number) => x;
        return local(1) as any;
    }
}
export const LIMIT = 10, OTHER = 11;
export const wide = async (
    a: string,
): Promise<void> => {
    await a;
};
export default function main(): void {}
declare function ambient(x: number): void;
namespace Inner { export const x = 1; }
const table = { run: () => 1, walk() { return 2; } };
abstract class Abs { abstract todo(): void; }
//- src/side.ts
export {};
//- src/types.ts
export interface Shape {}
//- packages/util/package.json
{"name": "@app/util"}
//- packages/util/src/index.ts
export const helper = 1;
"#,
    );
    insta::assert_snapshot!(outline(&project, "src/a.ts"));
}

#[test]
fn tsx() {
    let project = Project::new(
        "//- a.tsx\nimport { B } from './b';\nexport const Panel = (props: P) => {\n  return <B {...props} />;\n};\n\
         //- b.tsx\nexport function B() { return <i/>; }\n",
    );
    insta::assert_snapshot!(outline(&project, "a.tsx"));
}

#[test]
fn javascript() {
    let project = Project::new(
        r#"//- a.mjs
const fs = require("./lib/fs");
import("./lazy.js");
export default class extends Base { run() {} }
class Named { static #count = 0; async *items() {} handler = () => 1; }
function* generate() {}
exports.build = function () { return 1; };
Named.prototype.extra = () => 2;
var old = function () {};
export const version = "1";
// require("./commented")
const text = 'import x from "./string"';
//- lib/fs.js
module.exports = {};
//- lazy.js
export {};
//- commented.js
//- string.js
"#,
    );
    insta::assert_snapshot!(outline(&project, "a.mjs"));
}

#[test]
fn python() {
    let project = Project::new(
        r#"//- app/main.py
import os, app.util as util
from . import store
from .store import open_store, Missing as Gone
from app.deep.inner import *
LIMIT = 10
class Runner(Base):
    """Doc."""
    kind: str = "x"
    @property
    def name(self) -> str:
        return "x"
    async def run(
        self,
        task,
    ):
        def inner():
            pass
        return inner
@decorated(1)
def top(a, *b, **c): return a
if True:
    def conditional(): pass
//- app/__init__.py
//- app/util.py
//- app/store.py
def open_store(): pass
//- app/deep/__init__.py
//- app/deep/inner.py
"#,
    );
    insta::assert_snapshot!(outline(&project, "app/main.py"));
}

#[test]
fn go() {
    let project = Project::new(
        r#"//- go.mod
module example.org/tool

go 1.22
//- main.go
package main

import (
	"fmt"
	st "example.org/tool/store"
)

const limit, other = 1, 2

var (
	global = 3
)

type Runner struct{ n int }
type Doer interface{ Do() error }
type ID = string
type (
	Pair[T any] struct{ a, b T }
	Count int
)

func (r *Runner) Do() error { return nil }
func (p Pair[T]) First() T { return p.a }
func main() { fmt.Println(st.Open()) }
//- store/open.go
package store

func Open() int { return 1 }
//- store/open_test.go
package store
"#,
    );
    insta::assert_snapshot!(outline(&project, "main.go"));
}

#[test]
fn rust() {
    let project = Project::new(
        r#"//- src/lib.rs
mod store;
use crate::store::{Open, inner::{self, Deep as D}};
pub use other_crate::thing;
const LIMIT: usize = 1;
static NAME: &str = "x";
/// Doc.
#[derive(Debug)]
pub struct Point<T> { x: T }
pub enum Kind { A, B }
union U { a: u8 }
pub trait Area { type Out; fn area(&self) -> Self::Out; fn twice(&self) {} }
impl<T> Point<T> {
    pub const fn new(x: T) -> Self { Point { x } }
}
impl Area for Kind {
    type Out = f64;
    fn area(&self) -> f64 { 0.0 }
}
pub unsafe extern "C" fn raw() {}
macro_rules! twice { ($x:expr) => { $x; $x }; }
mod nested { pub fn deep() { fn local() {} } }
type Alias = Point<u8>;
//- src/store.rs
pub mod inner;
pub struct Open;
//- src/store/inner.rs
pub struct Deep;
//- other/Cargo.toml
[package]
name = "other-crate"
//- other/src/lib.rs
pub mod thing;
//- other/src/thing.rs
"#,
    );
    insta::assert_snapshot!(outline(&project, "src/lib.rs"));
}
