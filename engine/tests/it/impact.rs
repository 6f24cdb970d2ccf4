//! What a change may break: over imports backwards, and by the names of tests.

use engine::retrieve::{Affected, Dependence, Impact, impact, impact_over};

use crate::fixture::Project;

/// A small workspace: `money` is used by `cart` over `price`, `cart` and `order` use each other, tests stand beside and apart.
const WORKSPACE: &str = "\
//- src/money.ts
export const round = (n: number) => Math.round(n);
//- src/price.ts
import { round } from './money';
export const price = (n: number) => round(n);
//- src/cart.ts
import { price } from './price';
import { order } from './order';
export const cart = () => price(1) + order();
//- src/order.ts
import { cart } from './cart';
export const order = () => cart();
//- src/page.ts
import { cart } from './cart';
export const page = () => cart();
//- src/far.ts
import { page } from './page';
import { gone } from './gone';
export const far = () => page() + gone;
//- src/alone.ts
export const alone = 1;
//- src/money.test.ts
import { round } from './money';
test('rounds', () => round(1));
//- test/price.test.ts
test('prices', () => {});
//- test/shop.test.ts
import { cart } from '../src/cart';
test('shop', () => cart());
//- docs/money.md
# Money
";

fn of(project: &Project, changed: &[&str], depth: u32) -> Impact {
    let changed: Vec<String> = changed.iter().map(|&path| path.to_owned()).collect();
    impact(&project.index(), &project.root(), &changed, depth).unwrap()
}

fn line(affected: &Affected) -> String {
    let steps = affected.why.iter().map(|step| format!(" {} {}", step.how.code(), step.on));
    format!("{} {}{}", affected.distance, affected.path, steps.collect::<String>())
}

fn shown(impact: &Impact) -> String {
    let list = |title: &str, affected: &[Affected]| {
        let lines: String = affected.iter().map(|affected| format!("  {}\n", line(affected))).collect();
        format!("{title}\n{lines}")
    };
    format!(
        "changed {:?}, unknown {:?}, cut {}, imports {} of {} not resolved\n{}{}",
        impact.changed,
        impact.unknown,
        impact.is_cut,
        impact.imports.unresolved,
        impact.imports.resolved + impact.imports.unresolved,
        list("tests", &impact.tests),
        list("dependents", &impact.dependents)
    )
}

#[test]
fn a_change_reaches_what_imports_it_and_the_tests_of_what_is_reached() {
    let project = Project::new(WORKSPACE);
    insta::assert_snapshot!(shown(&of(&project, &["src/money.ts"], 9)));
}

#[test]
fn the_depth_bounds_the_walk_and_says_that_it_did() {
    let project = Project::new(WORKSPACE);
    let told = |depth: u32| {
        let found = of(&project, &["src/money.ts"], depth);
        let far = found.tests.iter().chain(&found.dependents).map(|affected| affected.distance).max();
        (far, found.is_cut)
    };
    assert_eq!(
        [told(0), told(1), told(2), told(3), told(4)],
        [(None, true), (Some(1), true), (Some(2), true), (Some(3), true), (Some(4), false)]
    );
}

#[test]
fn changed_tests_are_run_and_what_is_not_indexed_is_said() {
    let project = Project::new(WORKSPACE);
    let found = of(&project, &["test/price.test.ts", "src/deleted.ts", "src/alone.ts", "src/alone.ts"], 9);
    assert_eq!(found.changed, ["src/alone.ts", "test/price.test.ts"]);
    assert_eq!(found.unknown, ["src/deleted.ts"]);
    assert_eq!(found.tests.iter().map(line).collect::<Vec<_>>(), ["0 test/price.test.ts"]);
    assert_eq!((found.dependents, found.is_cut), (Vec::new(), false));
    assert_eq!(found.imports.unresolved_share(), Some(1.0 / 9.0));
}

/// Of several shortest chains the one of the nearest changed file is told; a cycle ends.
#[test]
fn several_changes_are_walked_at_once() {
    let project = Project::new(WORKSPACE);
    let found = of(&project, &["src/money.ts", "src/page.ts", "src/order.ts"], 9);
    let lines: Vec<_> = found.dependents.iter().map(line).collect();
    assert_eq!(
        lines,
        [
            "1 src/cart.ts imports src/order.ts",
            "1 src/far.ts imports src/page.ts",
            "1 src/price.ts imports src/money.ts"
        ]
    );
}

/// Files of one package once had no edge: Go and Java use each other's names without an import.
#[test]
fn names_used_without_an_import_are_followed_within_a_package() {
    let project = Project::new(GO);
    let lines = |changed: &[&str]| {
        let found = of(&project, changed, 4);
        found.tests.iter().chain(&found.dependents).map(line).collect::<Vec<_>>()
    };
    assert_eq!(
        lines(&["store/page.go"]),
        [
            "1 store/tree_test.go uses store/page.go",
            "2 cmd/main_test.go tests cmd/main.go imports store/page.go",
            "1 cmd/main.go imports store/page.go",
            "1 store/tree.go uses store/page.go",
        ]
    );
    assert_eq!(lines(&["store/other.go"]).len(), 2, "a name of two files tells nothing of either");
    let project = Project::new(JAVA);
    let found = of(&project, &["app/src/main/java/org/shop/Money.java"], 1);
    let told: Vec<String> = found.tests.iter().chain(&found.dependents).map(line).collect();
    assert_eq!(
        told,
        [
            "1 app/src/test/java/org/shop/CartTest.java uses app/src/main/java/org/shop/Money.java",
            "1 app/src/main/java/org/shop/Cart.java uses app/src/main/java/org/shop/Money.java",
        ]
    );
    let project = Project::new(KOTLIN);
    let found = of(&project, &["app/src/main/java/org/shop/Money.java"], 1);
    let told: Vec<String> = found.tests.iter().chain(&found.dependents).map(line).collect();
    assert_eq!(
        told,
        [
            "1 app/src/test/kotlin/org/shop/CartTest.kt uses app/src/main/java/org/shop/Money.java",
            "1 app/src/main/kotlin/org/shop/Cart.kt uses app/src/main/java/org/shop/Money.java",
        ]
    );
}

/// What a header declares and a file beside it defines.
#[test]
fn a_shared_header_leads_from_a_definition_to_its_callers() {
    let project = Project::new(
        "\
//- src/parse.h
int parse_number(const char *text);
//- src/parse.c
#include \"parse.h\"
int parse_number(const char *text) { return text[0]; }
//- src/print.c
#include \"parse.h\"
int print_nothing(void) { return 0; }
//- tests/parse_check.c
#include \"../src/parse.h\"
int main(void) { return parse_number(\"1\"); }
",
    );
    let found = of(&project, &["src/parse.c"], 1);
    let told: Vec<String> = found.tests.iter().chain(&found.dependents).map(line).collect();
    assert_eq!(told, ["1 tests/parse_check.c uses src/parse.c"]);
}

#[test]
fn kinds_of_dependence_can_be_chosen() {
    let project = Project::new(GO);
    let index = project.index();
    let changed = ["store/page.go".to_owned()];
    let told = |over: &[Dependence]| {
        let found = impact_over(&index, &project.root(), &changed, 1, over).unwrap();
        found.tests.len() + found.dependents.len()
    };
    assert_eq!([told(&[]), told(&[Dependence::Imports]), told(&Dependence::ALL)], [0, 1, 3]);
}

const GO: &str = "\
//- go.mod
module example.org/kv

go 1.22
//- store/page.go
package store

type Page struct{ size int }

func NewPage(size int) *Page { return &Page{size: size} }
func (p *Page) Close() error { return nil }
//- store/tree.go
package store

type Tree struct{ root *Page }

func Grow() *Tree { return &Tree{root: NewPage(1)} }
//- store/other.go
package store

type Other struct{}

func (o *Other) Close() error { return nil }
//- store/tree_test.go
package store

import \"testing\"

func TestPages(t *testing.T) { NewPage(2).Close() }
//- other/page.go
package other

func Unrelated() { NewPage() }
//- cmd/main.go
package main

import \"example.org/kv/store\"

func main() { store.Grow() }
//- cmd/main_test.go
package main

import \"testing\"

func TestMain(t *testing.T) {}
";

const KOTLIN: &str = "\
//- app/src/main/java/org/shop/Money.java
package org.shop;

class Money {
    long cents;
}
//- app/src/main/kotlin/org/shop/Cart.kt
package org.shop

class Cart {
    fun total() = Money()
}
//- app/src/main/kotlin/org/shop/Tax.kt
package org.shop

fun rate() = 19
//- app/src/test/kotlin/org/shop/CartTest.kt
package org.shop

class CartTest {
    fun free(money: Money?) = money == null
}
//- app/src/test/kotlin/org/other/PurseTest.kt
package org.other

fun other() = Money()
";

const JAVA: &str = "\
//- app/src/main/java/org/shop/Money.java
package org.shop;

class Money {
    long cents;
}
//- app/src/main/java/org/shop/Cart.java
package org.shop;

class Cart {
    Money total() { return new Money(); }
}
//- app/src/main/java/org/shop/Tax.java
package org.shop;

class Tax {
    long rate() { return 19; }
}
//- app/src/test/java/org/shop/CartTest.java
package org.shop;

class CartTest {
    void adds() { Money sum = new Cart().total(); }
}
//- other/src/main/java/org/shop/Purse.java
package org.shop;

class Purse {
    Money held;
}
";
