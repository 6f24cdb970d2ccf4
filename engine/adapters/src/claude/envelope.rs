//! The members that lines of all types share.

use engine::message::Json;

/// What a line says about the line before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Told<'e> {
    /// Nothing: the member is absent.
    #[default]
    Nothing,
    /// That there is none.
    Root,
    /// Its identifier.
    Id(&'e str),
}

/// One line's members, found in one pass.
#[derive(Debug, Default)]
pub(super) struct Envelope<'e> {
    pub(super) kind: Option<&'e str>,
    pub(super) subtype: &'e str,
    pub(super) uuid: Option<&'e str>,
    pub(super) parent: Told<'e>,
    pub(super) logical_parent: Option<&'e str>,
    pub(super) session: Option<&'e str>,
    pub(super) agent: Option<&'e str>,
    pub(super) cwd: Option<&'e str>,
    pub(super) version: Option<&'e str>,
    pub(super) request: Option<&'e str>,
    pub(super) time: Option<&'e Json<'e>>,
    pub(super) is_sidechain: bool,
    pub(super) is_meta: bool,
    pub(super) is_summary: bool,
    pub(super) is_api_error: bool,
    pub(super) has_structured_result: bool,
    pub(super) message: Option<&'e Json<'e>>,
    pub(super) attachment: Option<&'e Json<'e>>,
    pub(super) content: Option<&'e Json<'e>>,
    pub(super) compaction: Option<&'e Json<'e>>,
    pub(super) microcompaction: Option<&'e Json<'e>>,
}

impl<'e> Envelope<'e> {
    /// The members of an object; `None` where it is none. Of a repeated member the last counts.
    pub(super) fn of(json: &'e Json<'e>) -> Option<Envelope<'e>> {
        let mut envelope = Envelope::default();
        for (name, value) in json.as_object()? {
            envelope.take(name, value);
        }
        Some(envelope)
    }

    fn take(&mut self, name: &str, value: &'e Json<'e>) {
        let text = || value.as_str().filter(|text| !text.is_empty());
        match name {
            "type" => self.kind = text(),
            "subtype" => self.subtype = text().unwrap_or(""),
            "uuid" => self.uuid = text(),
            "parentUuid" => self.parent = text().map_or(Told::Root, Told::Id),
            "logicalParentUuid" => self.logical_parent = text(),
            "sessionId" => self.session = text(),
            "agentId" => self.agent = text(),
            "cwd" => self.cwd = text(),
            "version" => self.version = text(),
            "requestId" => self.request = text(),
            "timestamp" => self.time = Some(value),
            "isSidechain" => self.is_sidechain = value.is_true(),
            "isMeta" => self.is_meta = value.is_true(),
            "isCompactSummary" => self.is_summary = value.is_true(),
            "isApiErrorMessage" => self.is_api_error = value.is_true(),
            "toolUseResult" => self.has_structured_result = true,
            "message" => self.message = Some(value).filter(|value| value.as_object().is_some()),
            "attachment" => self.attachment = Some(value),
            "content" => self.content = Some(value),
            "compactMetadata" => self.compaction = Some(value),
            "microcompactMetadata" => self.microcompaction = Some(value),
            _ => {}
        }
    }
}
