//! What a change may break: over imports backwards, and by the names of tests.

use engine::retrieve::{Affected, Impact, impact};

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
