//! Each table is one project: what stands in it, then what each import of it means.

use std::collections::{BTreeMap, BTreeSet};

use super::super::language::Language;
use super::super::manifest;
use super::Resolver;

/// `files` are paths, `manifests` paths and texts; each row of `expected` is importer, specifier and meaning.
fn check(files: &str, manifests: &[(&str, &str)], expected: &[(&str, &str, &str)]) {
    check_declaring(&[], files, manifests, expected);
}

fn check_declaring(
    namespaces: &[&str],
    files: &str,
    manifests: &[(&str, &str)],
    expected: &[(&str, &str, &str)],
) {
    let read = |(path, text): &(&str, &str)| {
        let facts = manifest::read(path, text).unwrap_or_else(|| panic!("{path}: no manifest"));
        // As stored and loaded again.
        let stored = serde_json::to_string(&facts).unwrap();
        ((*path).to_owned(), serde_json::from_str(&stored).unwrap())
    };
    let facts: BTreeMap<_, _> = manifests.iter().map(read).collect();
    let namespaces: BTreeSet<String> = namespaces.iter().map(|n| (*n).to_owned()).collect();
    let paths = files.split_whitespace().chain(manifests.iter().map(|(path, _)| *path));
    let resolver = Resolver::new(paths, &facts, &namespaces);
    for (importer, specifier, meaning) in expected {
        let target = resolver.resolve(importer, Language::of_path(importer).unwrap(), specifier);
        let found = match target.name() {
            Some(name) if target.code() == "file" => name.to_owned(),
            Some(name) => format!("{} {name}", target.code()),
            None => target.code().to_owned(),
        };
        assert_eq!(found, *meaning, "{specifier} in {importer}");
    }
}

#[test]
fn scripts_resolve_relative_emitted_and_index_files() {
    check(
        "src/a.ts src/b/index.ts src/c.tsx src/d.mts src/e.d.ts src/data.json src/style.css src/old.js",
        &[],
        &[
            ("src/a.ts", "./b", "src/b/index.ts"),
            ("src/a.ts", "./b/", "src/b/index.ts"),
            ("src/b/index.ts", "../a.js", "src/a.ts"),
            ("src/b/index.ts", "..", "unresolved"),
            ("src/b/index.ts", ".", "src/b/index.ts"),
            ("src/a.ts", "./c.jsx", "src/c.tsx"),
            ("src/a.ts", "./d.mjs", "src/d.mts"),
            ("src/a.ts", "./e.js", "src/e.d.ts"),
            ("src/a.ts", "./data", "src/data.json"),
            ("src/a.ts", "./style.css?inline", "src/style.css"),
            ("src/a.ts", "raw-loader!./old", "src/old.js"),
            ("src/a.ts", "./gone", "unresolved"),
            ("src/a.ts", "../../../etc/passwd", "unresolved"),
            ("src/a.ts", "react", "external"),
            ("src/a.ts", "node:fs", "external"),
            ("src/a.ts", "https://example.org/x.js", "external"),
        ],
    );
}

#[test]
fn workspaces_name_packages_and_exports_lead_to_sources() {
    check(
        "packages/ai/src/index.ts packages/ai/src/deep/x.ts packages/ai/src/hook.ts packages/core/lib/main.ts \
         packages/plain/index.js packages/plain/util.js examples/ai/index.ts apps/web/a.ts apps/web/local/u.ts",
        &[
            ("package.json", r#"{"name": "root", "workspaces": ["packages/*", "apps/*"]}"#),
            (
                "packages/ai/package.json",
                r##"{"name": "@pi/ai", "exports": {".": {"types": "./dist/index.d.ts", "import": "./dist/index.js"},
                     "./hooks/*": "./dist/esm/*.js", "./deep": "./dist/deep/x.js"}, "imports": {"#d": "./src/deep/x.ts"}}"##,
            ),
            ("packages/core/package.json", r#"{"name": "core", "main": "out/main.js"}"#),
            ("packages/core/tsconfig.json", r#"{"compilerOptions": {"outDir": "out", "rootDir": "lib"}}"#),
            ("packages/plain/package.json", r#"{"name": "plain"}"#),
            ("examples/ai/package.json", r#"{"name": "@pi/ai"}"#),
            (
                "apps/web/package.json",
                r##"{"name": "web", "imports": {"#u/*": "./local/*.ts", "#ai": "@pi/ai"}}"##,
            ),
        ],
        &[
            ("apps/web/a.ts", "@pi/ai", "packages/ai/src/index.ts"),
            ("apps/web/a.ts", "@pi/ai/hooks/hook", "packages/ai/src/hook.ts"),
            ("apps/web/a.ts", "@pi/ai/deep", "packages/ai/src/deep/x.ts"),
            ("apps/web/a.ts", "@pi/ai/gone", "unresolved"),
            ("apps/web/a.ts", "@pi/ai-other", "external"),
            ("apps/web/a.ts", "core", "packages/core/lib/main.ts"),
            ("apps/web/a.ts", "plain", "packages/plain/index.js"),
            ("apps/web/a.ts", "plain/util", "packages/plain/util.js"),
            ("apps/web/a.ts", "#u/u", "apps/web/local/u.ts"),
            ("apps/web/a.ts", "#ai", "packages/ai/src/index.ts"),
            ("apps/web/a.ts", "#gone", "unresolved"),
            ("packages/ai/src/index.ts", "#d", "packages/ai/src/deep/x.ts"),
            ("packages/ai/src/index.ts", "@pi/ai/deep", "packages/ai/src/deep/x.ts"),
        ],
    );
    check(
        "libs/a/main.ts tools/x.ts",
        &[
            ("pnpm-workspace.yaml", "packages:\n  - libs/**\n"),
            ("libs/a/package.json", r#"{"name": "a", "source": "main.ts", "main": "dist/a.js"}"#),
        ],
        &[("tools/x.ts", "a", "libs/a/main.ts")],
    );
}

#[test]
fn tsconfig_paths_base_urls_and_what_they_extend() {
    check(
        "web/src/app.ts web/src/lib/x.ts web/src/only.ts shared/ui/button.tsx api/src/h.ts api/src/util/u.ts",
        &[
            (
                "config/base.json",
                "{ // shared\n \"compilerOptions\": { \"baseUrl\": \"../web/src\", \"paths\": { \"@ui/*\": [\"../../shared/ui/*\"] } } }",
            ),
            ("web/tsconfig.json", r#"{"extends": "../config/base", "files": []}"#),
            (
                "web/tsconfig.app.json",
                r#"{"compilerOptions": {"paths": {"@/*": ["./src/*"], "exact": ["./src/only"]},}}"#,
            ),
            (
                "api/tsconfig.json",
                r#"{"compilerOptions": {"baseUrl": ".", "paths": {"*": ["src/*", "src/util/*"]}}}"#,
            ),
        ],
        &[
            ("web/src/app.ts", "@ui/button", "shared/ui/button.tsx"),
            ("web/src/app.ts", "@/lib/x", "web/src/lib/x.ts"),
            ("web/src/app.ts", "exact", "web/src/only.ts"),
            ("web/src/app.ts", "lib/x", "web/src/lib/x.ts"),
            ("web/src/app.ts", "@/gone", "unresolved"),
            ("web/src/app.ts", "box", "external"),
            ("web/src/app.ts", "@other/x", "external"),
            ("api/src/h.ts", "u", "api/src/util/u.ts"),
            ("api/src/h.ts", "lodash", "external"),
        ],
    );
    check(
        "app/a.ts app/lib/x.ts",
        &[
            ("cfg/package.json", r#"{"name": "@repo/cfg"}"#),
            ("cfg/strict.json", r#"{"compilerOptions": {"strict": true}, "extends": "./strict.json"}"#),
            (
                "app/tsconfig.json",
                r#"{"extends": ["@repo/cfg/strict.json", "@repo/gone"], "compilerOptions": {"paths": {"~/*": ["./*"]}}}"#,
            ),
        ],
        &[("app/a.ts", "~/lib/x", "app/lib/x.ts")],
    );
}

#[test]
fn python_resolves_relative_absolute_source_folders_and_namespaces() {
    check(
        "app/__init__.py app/core/__init__.py app/core/io.py app/main.py tool.py ns/a/part.py typed.pyi",
        &[],
        &[
            ("app/main.py", ".core.io.read", "app/core/io.py"),
            ("app/main.py", ".core", "app/core/__init__.py"),
            ("app/main.py", ".gone", "app/__init__.py"),
            ("app/core/io.py", "..main.run", "app/main.py"),
            ("app/core/io.py", "....x", "unresolved"),
            ("tool.py", "app.core.io", "app/core/io.py"),
            ("tool.py", "ns.a.part.f", "ns/a/part.py"),
            ("tool.py", "ns.a", "folder ns/a/"),
            ("tool.py", "typed", "typed.pyi"),
            ("tool.py", "requests.adapters", "external"),
            ("app/core/io.py", "os.path", "external"),
            ("app/core/io.py", "io", "external"),
        ],
    );
    check(
        "one/src/pkg/__init__.py one/src/pkg/m.py two/lib/other/__init__.py two/tests/test_m.py scripts/helper.py \
         scripts/run.py scripts/logging.py",
        &[
            ("one/pyproject.toml", "[project]\nname = \"pkg\"\n"),
            ("two/setup.cfg", "[options]\npackage_dir =\n    =lib\n"),
        ],
        &[
            ("two/tests/test_m.py", "pkg.m.f", "one/src/pkg/m.py"),
            ("two/tests/test_m.py", "other", "two/lib/other/__init__.py"),
            ("scripts/run.py", "helper", "scripts/helper.py"),
            ("scripts/run.py", "logging", "external"),
        ],
    );
}

#[test]
fn go_resolves_modules_replacements_and_vendored_copies() {
    check(
        "main.go store/db.go docs/a.md tools/gen/g.go tools/gen/deep/d.go near/n.go vendor/example.org/v/v.go",
        &[
            ("go.mod", "module example.org/x\nreplace example.org/near => ./near\n"),
            ("tools/gen/go.mod", "module example.org/x/tools/gen\n"),
        ],
        &[
            ("main.go", "example.org/x/store", "folder store/"),
            ("main.go", "example.org/x", "folder "),
            ("main.go", "example.org/x/docs", "unresolved"),
            ("main.go", "example.org/x/tools/gen/deep", "folder tools/gen/deep/"),
            ("main.go", "example.org/near", "folder near/"),
            ("tools/gen/g.go", "example.org/near", "external"),
            ("main.go", "example.org/v", "folder vendor/example.org/v/"),
            ("main.go", "example.org/xy", "external"),
            ("main.go", "fmt", "external"),
            ("main.go", "C", "external"),
        ],
    );
}

#[test]
fn rust_resolves_modules_crates_of_the_workspace_and_dependencies() {
    check(
        "src/lib.rs src/a.rs src/a/b.rs src/c/mod.rs src/bin/tool.rs tests/all.rs tests/common/mod.rs build.rs \
         crates/cli/src/lib.rs crates/cli/src/args.rs crates/odd/code/root.rs crates/odd/code/m.rs odd/place.rs",
        &[
            (
                "Cargo.toml",
                "[package]\nname = \"main-crate\"\n[dependencies]\nserde = \"1\"\ngrep-cli.workspace = true\n\
                 odd = { path = \"crates/odd\" }\nshort = { package = \"grep-cli\", path = \"crates/cli\" }\n\
                 [workspace]\n[workspace.dependencies]\ngrep-cli = { path = \"crates/cli\" }\n",
            ),
            ("crates/cli/Cargo.toml", "[package]\nname = \"grep-cli\"\n"),
            ("crates/odd/Cargo.toml", "[package]\nname = \"odd\"\n[lib]\npath = \"code/root.rs\"\n"),
        ],
        &[
            ("src/a/b.rs", "crate::c::Thing", "src/c/mod.rs"),
            ("src/a.rs", "self::b::f", "src/a/b.rs"),
            ("src/a/b.rs", "super::g", "src/a.rs"),
            ("src/a/b.rs", "super::super::c::X", "src/c/mod.rs"),
            ("src/lib.rs", "self::a", "src/a.rs"),
            ("src/lib.rs", "a::b::f", "src/a/b.rs"),
            ("src/a.rs", "grep_cli::args::Args", "crates/cli/src/args.rs"),
            ("src/a.rs", "short::escape", "crates/cli/src/lib.rs"),
            ("src/a.rs", "odd::m::f", "crates/odd/code/m.rs"),
            ("crates/odd/code/m.rs", "crate::X", "crates/odd/code/root.rs"),
            ("src/a.rs", "std::fmt", "external"),
            ("src/a.rs", "serde::Serialize", "external"),
            ("src/a.rs", "undeclared::x", "unresolved"),
            ("src/a.rs", "Kind::A", "src/a.rs"),
            ("src/bin/tool.rs", "main_crate::c", "src/c/mod.rs"),
            ("tests/all.rs", "self::common", "tests/common/mod.rs"),
            ("tests/all.rs", "common::f", "tests/common/mod.rs"),
            ("tests/all.rs", "crate::common", "tests/common/mod.rs"),
            ("tests/all.rs", "main_crate::a::f", "src/a.rs"),
            ("build.rs", "crate::x", "build.rs"),
            ("src/lib.rs", "./../odd/place.rs", "odd/place.rs"),
        ],
    );
    check(
        "src/lib.rs src/a.rs",
        &[],
        &[("src/a.rs", "serde::x", "external"), ("src/a.rs", "crate::a::f", "src/a.rs")],
    );
}

#[test]
fn java_and_kotlin_resolve_by_packages() {
    check(
        "a/src/main/java/org/x/Cart.java a/src/main/java/org/x/tax/Rates.java b/src/main/java/org/x/Cart.java \
         b/src/main/java/org/x/Shop.java a/src/main/kotlin/org/x/Util.kt",
        &[],
        &[
            ("a/src/main/java/org/x/tax/Rates.java", "org.x.Cart", "a/src/main/java/org/x/Cart.java"),
            ("b/src/main/java/org/x/Shop.java", "org.x.Cart", "b/src/main/java/org/x/Cart.java"),
            (
                "b/src/main/java/org/x/Shop.java",
                "org.x.tax.Rates.standard",
                "a/src/main/java/org/x/tax/Rates.java",
            ),
            ("b/src/main/java/org/x/Shop.java", "org.x.tax.*", "folder a/src/main/java/org/x/tax/"),
            ("b/src/main/java/org/x/Shop.java", "org.x.Gone", "unresolved"),
            ("a/src/main/java/org/x/Cart.java", "org.x.Util", "a/src/main/kotlin/org/x/Util.kt"),
            ("a/src/main/kotlin/org/x/Util.kt", "org.x.tax.compute", "folder a/src/main/java/org/x/tax/"),
            ("a/src/main/java/org/x/Cart.java", "java.util.List", "external"),
            ("a/src/main/java/org/x/Cart.java", "org.junit.*", "external"),
        ],
    );
}

#[test]
fn c_resolves_beside_the_importer_then_by_the_end_of_the_path() {
    check(
        "src/a.c src/a.h include/lib/b.h other/include/lib/b.h src/string.h src/sub/c.hpp src/config.h",
        &[],
        &[
            ("src/a.c", "\"a.h\"", "src/a.h"),
            ("src/a.c", "\"lib/b.h\"", "include/lib/b.h"),
            ("src/a.c", "<lib/b.h>", "include/lib/b.h"),
            ("src/sub/c.hpp", "\"../a.h\"", "src/a.h"),
            ("src/sub/c.hpp", "<config.h>", "src/config.h"),
            ("src/a.c", "\"gone.h\"", "unresolved"),
            ("src/a.c", "<string.h>", "external"),
            ("src/sub/c.hpp", "<vector>", "external"),
            ("src/a.c", "<sys/types.h>", "external"),
            ("src/a.c", "\"../../../x.h\"", "unresolved"),
        ],
    );
}

#[test]
fn namespaces_resolve_by_what_files_declare() {
    check_declaring(
        &["Shop.Carts", "Shop.Tax"],
        "a.cs",
        &[],
        &[
            ("a.cs", "Shop.Carts", "namespace Shop.Carts"),
            ("a.cs", "Shop.Tax.Rates", "namespace Shop.Tax"),
            ("a.cs", "global::Shop.Tax.Map<string,int>", "namespace Shop.Tax"),
            ("a.cs", "Shop.Gone", "unresolved"),
            ("a.cs", "System.Linq", "external"),
            ("a.cs", "Shopping", "external"),
        ],
    );
}
