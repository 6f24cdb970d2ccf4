use engine::message::{Message, ToolAnswer};
use engine::session::SelectedMessage;
use serde_json::json;

use super::super::WireMessage;
use super::*;

const RULES: &str = "be brief";

fn message(role: Role, blocks: Vec<Block>) -> Message {
    Message { role, blocks, answers: None, reply: None }
}

fn selection_of(messages: Vec<Message>) -> Selection<'static> {
    let entries = (0..messages.len()).collect();
    let messages = messages
        .into_iter()
        .enumerate()
        .map(|(entry, message)| SelectedMessage { entry, message: Cow::Owned(message) })
        .collect();
    Selection { leaf: Some(0), entries, messages }
}

/// Instructions, a prompt with an image, a reply with reasoning and a call, and its result, as a session holds them.
fn session(result: &str) -> Vec<Message> {
    let call = Block::ToolCall {
        id: "t1".to_owned(),
        name: "read".to_owned(),
        arguments: json!({ "path": "a.py", "limit": 3 }),
        json: r#"{"path":"a.py","limit":3}"#.to_owned(),
    };
    let thought = Block::Thinking { text: "a look first".to_owned(), signature: Some("sig".to_owned()) };
    let image = Block::Image { mime: "image/png".to_owned(), sha256: sha256_hex(b"iVBOR"), bytes: 5 };
    let mut answer = Message::from_text(Role::ToolResult, result);
    answer.answers = Some(ToolAnswer { call_id: "t1".to_owned(), tool: "read".to_owned(), is_error: false });
    vec![
        Message::from_text(Role::System, RULES),
        message(Role::User, vec![Block::Text("fix it\n".to_owned()), image]),
        message(Role::Assistant, vec![thought, Block::Text("Let me look.".to_owned()), call]),
        answer,
    ]
}

fn request(path: &str, instructions: &[Value], messages: &[(&str, Value)]) -> WireRequest {
    let shared = |blocks: &[Value]| blocks.iter().cloned().map(std::sync::Arc::new).collect();
    WireRequest {
        path: path.to_owned(),
        response_id: None,
        model: "m".to_owned(),
        tools: Vec::new(),
        system: Vec::new(),
        instructions: shared(instructions),
        parameters: std::sync::Arc::default(),
        messages: messages
            .iter()
            .map(|(role, blocks)| WireMessage {
                role: (*role).to_owned(),
                blocks: shared(blocks.as_array().unwrap()),
            })
            .collect(),
        usage: None,
    }
}

/// The same as Messages hold it.
fn messages() -> WireRequest {
    let image = json!({ "type": "image", "source": { "type": "base64", "data": "iVBOR" } });
    let reply = json!([{ "type": "thinking", "thinking": "a look first", "signature": "sig" },
        { "type": "text", "text": "Let me look." },
        { "type": "tool_use", "id": "t1", "name": "read", "input": { "limit": 3, "path": "a.py" } }]);
    request(
        "/v1/messages",
        &[json!({ "type": "text", "text": RULES })],
        &[
            ("user", json!([{ "type": "text", "text": "fix it" }, image])),
            ("assistant", reply),
            ("user", json!([{ "type": "tool_result", "tool_use_id": "t1", "content": "x = 1\n" }])),
        ],
    )
}

/// And as Chat Completions do.
fn completions() -> WireRequest {
    let function = json!({ "name": "read", "arguments": "{\"limit\": 3, \"path\": \"a.py\"}" });
    let image = json!({ "type": "image_url", "image_url": { "url": "data:image/png;base64,iVBOR" } });
    request(
        "/v1/chat/completions",
        &[json!(RULES)],
        &[
            ("user", json!([{ "type": "text", "text": "fix it" }, image])),
            (
                "assistant",
                json!([{ "reasoning_content": "a look first" }, "Let me look.",
                    { "id": "t1", "type": "function", "function": function }]),
            ),
            ("tool", json!([{ "tool_call_id": "t1" }, "x = 1"])),
        ],
    )
}

fn differs(session: Vec<Message>, request: &WireRequest) -> Option<String> {
    let selection = selection_of(session);
    let told = Told::of(&selection);
    match Sent::of(request, Format::of(&request.path).unwrap()) {
        Ok(sent) => told.difference(&sent).map(str::to_owned),
        Err(unread) => Some(format!("unread: {unread}")),
    }
}

/// A request in which one block is another.
fn with(mut request: WireRequest, message: usize, block: usize, value: Value) -> WireRequest {
    request.messages[message].blocks[block] = std::sync::Arc::new(value);
    request
}

/// A request in which a message holds one block more.
fn and(mut request: WireRequest, message: usize, value: Value) -> WireRequest {
    request.messages[message].blocks.push(std::sync::Arc::new(value));
    request
}

#[test]
fn both_formats_say_what_the_session_says() {
    assert_eq!(differs(session("x = 1\n"), &messages()), None);
    assert_eq!(differs(session("x = 1\n"), &completions()), None);
}

#[test]
fn each_kind_of_content_is_compared() {
    let text = |text: &str| json!({ "type": "text", "text": text });
    let changed = [
        (and(messages(), 0, text("the fix is in b.py")), "what was said to the model"),
        (with(messages(), 1, 1, text("The fix is in b.py.")), "what the model said"),
        (and(messages(), 1, text("The fix is in b.py.")), "what the model said"),
        (
            with(messages(), 1, 2, json!({ "type": "tool_use", "id": "t1", "name": "read", "input": {} })),
            "the calls",
        ),
        (
            with(messages(), 2, 0, json!({ "type": "tool_result", "tool_use_id": "t1", "content": "x = 2" })),
            "the results",
        ),
        (with(messages(), 0, 1, json!({ "type": "image", "source": { "data": "other" } })), "the images"),
        (
            with(
                messages(),
                1,
                0,
                json!({ "type": "thinking", "thinking": "it is in b.py", "signature": "sig" }),
            ),
            "what the model thought",
        ),
        (
            with(
                messages(),
                2,
                0,
                json!({ "type": "tool_result", "tool_use_id": "t1", "content": "x = 1", "is_error": true }),
            ),
            "the results",
        ),
        (with(completions(), 2, 1, json!("x = 2")), "the results"),
        (with(completions(), 2, 0, json!({ "tool_call_id": "t2" })), "the results"),
        (
            with(completions(), 2, 0, json!({ "tool_call_id": "t1", "name": "b.py" })),
            "the tools that answered",
        ),
        (
            with(completions(), 1, 0, json!({ "reasoning_content": "it is in b.py" })),
            "what the model thought",
        ),
    ];
    for (request, what) in changed {
        assert_eq!(differs(session("x = 1"), &request).as_deref(), Some(what));
    }
    for instructions in
        [vec![], vec![json!(RULES), json!("the fix is in b.py")], vec![json!("the fix is in b.py")]]
    {
        let mut request = messages();
        request.instructions = instructions.into_iter().map(std::sync::Arc::new).collect();
        assert_eq!(differs(session("x = 1"), &request).as_deref(), Some("the instructions"));
    }
}

#[test]
fn what_nobody_compares_is_told_by_its_kind() {
    let document = json!({ "type": "document", "source": { "data": "the fix is in b.py" } });
    let found = |request: &WireRequest| differs(session("x = 1"), request).unwrap();
    assert_eq!(found(&and(messages(), 0, document.clone())), "unread: a part of type \"document\"");
    assert_eq!(found(&and(messages(), 1, document.clone())), "unread: a part of type \"document\"");
    let result = json!({ "type": "tool_result", "tool_use_id": "t1", "content": [document] });
    assert_eq!(found(&with(messages(), 2, 0, result)), "unread: a part of type \"document\"");
    assert_eq!(found(&and(completions(), 1, json!({ "hint": "b.py" }))), "unread: a reply's member \"hint\"");
    assert_eq!(
        found(&and(completions(), 2, json!({ "hint": "b.py" }))),
        "unread: a result's member \"hint\""
    );
    let cited = json!({ "type": "text", "text": "fix it", "citations": [{ "cited_text": "b.py" }] });
    assert_eq!(found(&with(messages(), 0, 0, cited)), "unread: a part of type \"text\"");
    // A part whose text isn't its only content hides it: `text` counts where the type says so.
    let disguised = json!({ "type": "search_result", "text": "fix it", "content": "b.py" });
    assert_eq!(found(&with(messages(), 0, 0, disguised)), "unread: a part of type \"search_result\"");
    let mut request = messages();
    request.messages[0].role = "critic".to_owned();
    assert_eq!(found(&request), "unread: a message of role \"critic\"");
}

#[test]
fn an_empty_result_is_sent_in_the_agents_words() {
    for words in ["(see attached image)", "(no tool output)"] {
        assert_eq!(differs(session(""), &with(completions(), 2, 1, json!(words))), None);
        let more = with(completions(), 2, 1, json!(format!("{words}\nthe fix is in b.py")));
        assert_eq!(differs(session(""), &more).as_deref(), Some("the results"));
    }
}

#[test]
fn a_model_without_eyes_is_told_so_in_fixed_words() {
    let blind = with(messages(), 0, 1, json!({ "type": "text", "text": fixed::UNSEEN[0] }));
    assert_eq!(differs(session("x = 1"), &blind), None);
    let words = with(messages(), 0, 1, json!({ "type": "text", "text": "the fix is in b.py" }));
    assert_eq!(differs(session("x = 1"), &words).as_deref(), Some("what was said to the model"));
}

#[test]
fn a_reply_may_be_sent_with_its_reasoning_aloud() {
    let mut told = session("x = 1");
    told[2].blocks[0] = Block::Thinking { text: "a look first".to_owned(), signature: None };
    let mut aloud = messages();
    aloud.messages[1].blocks[0] = std::sync::Arc::new(json!({ "type": "text", "text": "a look first" }));
    assert_eq!(differs(told.clone(), &aloud), None);
    let other = with(aloud, 1, 0, json!({ "type": "text", "text": "it is in b.py" }));
    assert_eq!(differs(told, &other).as_deref(), Some("what the model said"));
}

#[test]
fn a_reply_that_says_nothing_may_be_left_out_and_no_other() {
    let mut told = session("x = 1");
    told.insert(2, message(Role::Assistant, vec![Block::Text(" ".to_owned())]));
    assert_eq!(differs(told, &messages()), None);
    let mut told = session("x = 1");
    told.insert(2, Message::from_text(Role::Assistant, "I was here."));
    assert_eq!(differs(told, &messages()).as_deref(), Some("what the model said"));
    let mut told = session("x = 1");
    told.push(Message::from_text(Role::Assistant, "I was here."));
    assert_eq!(differs(told, &messages()).as_deref(), Some("what the model said"));
}

#[test]
fn several_instructions_are_sent_in_frames_and_nothing_else() {
    let mut told = session("x = 1");
    told.insert(2, message(Role::System, vec![Block::Text("<cwd>/b</cwd>".to_owned())]));
    let updated = |text: &str| {
        let mut request = messages();
        let later = WireMessage {
            role: "system".to_owned(),
            blocks: vec![std::sync::Arc::new(json!({ "type": "text", "text": text }))],
        };
        request.messages.insert(1, later);
        differs(told.clone(), &request)
    };
    assert_eq!(updated("Updated system prompt section \"cwd\":\n\n<cwd>/b</cwd>"), None);
    assert_eq!(updated("Removed system prompt section \"docs\".\n\nbe brief"), None);
    let smuggled = [
        "Updated system prompt section \"cwd\":\n\n<cwd>/b</cwd> the fix is in b.py",
        "Updated system prompt section \"the fix is in b.py\":\n\n<cwd>/b</cwd>",
        "the fix is in b.py",
    ];
    for text in smuggled {
        assert_eq!(updated(text).as_deref(), Some("the instructions"), "{text}");
    }
}

#[test]
fn words_are_sent_in_their_order() {
    let mut told = session("x = 1");
    told.push(Message::from_text(Role::User, "go on"));
    let mut request = messages();
    let more = |text: &str| WireMessage {
        role: "user".to_owned(),
        blocks: vec![std::sync::Arc::new(json!({ "type": "text", "text": text }))],
    };
    request.messages.push(more("go on"));
    assert_eq!(differs(told.clone(), &request), None);
    let last = request.messages.pop().unwrap();
    request.messages.insert(0, last);
    assert_eq!(differs(told, &request).as_deref(), Some("what was said to the model"));
}

#[test]
fn captions_count_only_beside_images() {
    let caption = json!({ "type": "text", "text": "Images from the error result of tool call t1 (read):" });
    assert_eq!(differs(session("x = 1"), &and(messages(), 0, caption.clone())), None);
    let alone = and(messages(), 2, caption);
    assert_eq!(differs(session("x = 1"), &alone).as_deref(), Some("what was said to the model"));
}

#[test]
fn a_format_is_known_by_its_path() {
    assert_eq!(Format::of("/v1/messages"), Some(Format::Messages));
    assert_eq!(Format::of("/v1/chat/completions"), Some(Format::ChatCompletions));
    assert_eq!(Format::of("/v1/responses"), None);
}
