//! Who someone is. Recognised by [`crate::privacy::person`].

use super::kind::{Class, Kind, Shape};

const fn personal(
    name: &'static str,
    positive: &'static [&'static str],
    negative: &'static [&'static str],
) -> Kind {
    Kind { name, class: Class::Personal, shape: Shape::Own, positive, negative }
}

pub(super) static KINDS: &[Kind] = &[
    personal(
        "user-name",
        &[
            "/home/«marisol»/src",
            "/Users/«marisol.k»/Library",
            "C:\\Users\\«Marisol Kent»\\AppData",
            "\"C:\\\\Users\\\\«marisol»\\\\src\"",
            "projects/-home-«marisol»-src-app",
            "sessions/--Users-«marisol»-src--",
            "cd /mnt/c/Users/«marisol»/src",
            "file:///home/«marisol»",
        ],
        &[
            "/home/user/src",
            "/Users/user/src",
            "/Users/Shared/x",
            "C:\\Users\\user\\x",
            "https://example.com/home/about",
            "src/home/page.tsx",
            "-home-user-src",
            "/home/runner/work",
            "/home/$USER/x",
            "my-home-page-1",
            "C:\\Users\\Public\\x",
        ],
    ),
    personal(
        "e-mail",
        &["write to «marisol@kent-works.org» now", "\"mail\":\"«m.kent+git@mail.kent-works.co.uk»\""],
        &[
            "git@github.com:org/repo",
            "user@example.com",
            "name@1.2.3",
            "@scope/package@4.5.6-beta.1",
            "noreply@anthropic.com",
            "logo@2x.png",
            "https://user@kent-works.org/x",
            "@app.route",
            "actions/checkout@v4.1.0",
        ],
    ),
    personal(
        "person-name",
        &[
            "Author: «Marisol Kent» <m@kent-works.org>",
            "Signed-off-by: «Ann-Marie O'Hara» <am@kent-works.org>",
        ],
        &["Co-Authored-By: Claude <noreply@anthropic.com>", "Author: Dev One <user@example.com>"],
    ),
];
