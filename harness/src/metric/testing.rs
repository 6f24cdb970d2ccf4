//! Pieces of activity for the worked examples.

use engine::message::Usage;

use crate::corpus::{Action, Call, CallResult, Hunk, Request};

pub(super) fn request(usage: Usage) -> Request {
    Request {
        entry: 0,
        provider: "p".to_owned(),
        model: "m".to_owned(),
        response_id: None,
        usage,
        failed: false,
    }
}

pub(super) fn call(request: usize, tool: &str, action: Action, result: &str) -> Call {
    let arguments = format!("{action:?}");
    let result = Some(CallResult { entry: 0, text: result.to_owned(), is_error: false });
    Call { request, tool: tool.to_owned(), action, arguments, result }
}

pub(super) fn read(request: usize, path: &str, result: &str) -> Call {
    call(request, "read", Action::Read { path: path.to_owned() }, result)
}

pub(super) fn edit(request: usize, path: &str, old: &str, new: &str) -> Call {
    let hunks = vec![Hunk { old: old.to_owned(), new: new.to_owned() }];
    call(request, "edit", Action::Edit { path: path.to_owned(), hunks }, "replaced")
}
