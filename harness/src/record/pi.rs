//! The real Pi coding agent, run once a job from its npm package, without a network.

use std::fs;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Instant;

use serde_json::{Value, json};

use crate::corpus::SCRIPTED_PROVIDER;
use crate::policy::{Draws, Parameters, decide};
use crate::scenario::Knowledge;
use crate::scenario::command::{Ended, Surroundings};

use super::agent::{Agent, Identity, Job, Ran};
use super::error::RecordError;
use super::outcome;
use super::request::{Api, Request};
use super::server::{Served, Server};
use super::wire::Wire;

/// What has to be installed, said wherever it is missing.
pub const INSTALL: &str = "npm install @earendil-works/pi-coding-agent@1.6.0 node@22";
/// Environment variable that names the folder which holds `node_modules`.
pub const PI_DIR_VARIABLE: &str = "SLUICE_PI_DIR";

const PACKAGE: &str = "node_modules/@earendil-works/pi-coding-agent";
const NODE: &str = "node_modules/node/bin/node";
const CLI: &str = "dist/bundle/cli.js";
/// The agent's tools, in the order in which they are declared to the model.
const TOOLS: &str = "read,grep,find,ls,bash,edit,write";
const PACK_EXTENSION: &str = include_str!("../../../engine/adapters/pi-extension/src/sluice.ts");
const WIRE_EXTENSION: &str = include_str!("../../../engine/adapters/pi-extension/src/wire-log.ts");
/// Names of the scripted model.
const SCRIPTED_MODEL: &str = "policy-1";

/// An installed Pi.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installation {
    /// Folder that holds `node_modules`.
    pub folder: PathBuf,
    /// Version of the agent.
    pub version: String,
    /// Version of Node.
    pub node_version: String,
}

impl Installation {
    /// Finds the agent and its Node below `folder`.
    ///
    /// # Errors
    /// One of them isn't there or doesn't run; what to install stands in the message.
    pub fn find(folder: &Path) -> Result<Self, RecordError> {
        let missing =
            |what: &str| RecordError::Usage(format!("{what}: {}: run `{INSTALL}` there", folder.display()));
        let folder = folder.canonicalize().map_err(|_| missing("no such folder for Pi"))?;
        let manifest = fs::read_to_string(folder.join(PACKAGE).join("package.json"));
        let manifest = manifest.map_err(|_| missing("the Pi coding agent isn't installed"))?;
        let manifest: Value =
            serde_json::from_str(&manifest).map_err(|_| missing("Pi's package.json isn't JSON"))?;
        let version = manifest["version"].as_str().ok_or_else(|| missing("Pi's package names no version"))?;
        let node = Command::new(folder.join(NODE)).arg("--version").stdin(Stdio::null()).output();
        let node = node.ok().filter(|output| output.status.success());
        let node = node.ok_or_else(|| missing("Pi's own Node 22 isn't installed"))?;
        let node_version = String::from_utf8_lossy(&node.stdout).trim().trim_start_matches('v').to_owned();
        Ok(Installation { version: version.to_owned(), node_version, folder })
    }
}

/// The model behind the agent.
pub enum ModelChoice {
    /// The scripted policy, served on loopback.
    Scripted(Parameters),
    /// Any other model that Pi can talk to.
    Other {
        /// Provider as Pi names it.
        provider: String,
        /// Model as the provider names it.
        model: String,
        /// Pi's `models.json`, which may hold a key: it is copied into the home and never stored.
        models_json: Option<PathBuf>,
        /// Names of environment variables that the agent may see, for keys.
        variables: Vec<String>,
    },
}

/// Pi with a model.
pub struct Pi {
    installation: Installation,
    model: ModelChoice,
    thinking: String,
}

/// What a model needs while one run lasts.
struct Serving {
    server: Option<Server>,
    wire_log: PathBuf,
}

impl Pi {
    /// Pi from an installation.
    pub fn new(installation: Installation, model: ModelChoice, thinking: String) -> Self {
        Pi { installation, model, thinking }
    }

    fn names(&self) -> (&str, &str) {
        match &self.model {
            ModelChoice::Scripted(_) => (SCRIPTED_PROVIDER, SCRIPTED_MODEL),
            ModelChoice::Other { provider, model, .. } => (provider, model),
        }
    }

    fn start_model(&self, job: &Job<'_>, agent_folder: &Path) -> Result<Serving, RecordError> {
        let models = agent_folder.join("models.json");
        let wire_log = agent_folder.join("wire.jsonl");
        match &self.model {
            ModelChoice::Scripted(parameters) => {
                let knowledge = Arc::new(job.scenario.knowledge()?);
                let model = scripted(knowledge, parameters.clone(), job);
                let server = Server::start(job.session_id, model)
                    .map_err(|error| RecordError::Usage(format!("loopback server: {error}")))?;
                write_private(&models, &scripted_provider(&server).to_string())?;
                Ok(Serving { server: Some(server), wire_log })
            }
            ModelChoice::Other { models_json, .. } => {
                if let Some(source) = models_json {
                    let text = fs::read_to_string(source).map_err(|error| RecordError::io(source, error))?;
                    write_private(&models, &text)?;
                }
                Ok(Serving { server: None, wire_log })
            }
        }
    }

    fn surroundings(&self, job: &Job<'_>, agent_folder: &Path, serving: &Serving) -> Surroundings {
        let mut surroundings = job.surroundings.clone();
        surroundings.set("PI_CODING_AGENT_DIR", agent_folder);
        // Pi tells the model where its documents lie: under the neutral home, too.
        surroundings.set("PI_PACKAGE_DIR", package_link(job.home));
        for (name, value) in [("PI_OFFLINE", "1"), ("PI_TELEMETRY", "0"), ("PI_SKIP_VERSION_CHECK", "1")] {
            surroundings.set(name, value);
        }
        if let ModelChoice::Other { variables, .. } = &self.model {
            surroundings.set("SLUICE_WIRE_FILE", &serving.wire_log);
            for name in variables {
                if let Some(value) = std::env::var_os(name) {
                    surroundings.set(name, value);
                }
            }
        }
        if job.pack.is_some() {
            surroundings.set("SLUICE_PACK_FILE", agent_folder.join("pack.json"));
        }
        surroundings
    }

    fn arguments(&self, job: &Job<'_>, agent_folder: &Path) -> Vec<String> {
        let (provider, model) = self.names();
        let text = |path: PathBuf| path.to_string_lossy().into_owned();
        let mut arguments = vec![
            text(self.installation.folder.join(NODE)),
            text(package_link(job.home).join(CLI)),
            "--print".to_owned(),
            "--model".to_owned(),
            format!("{provider}/{model}"),
        ];
        let pairs = [
            ("--thinking", self.thinking.clone()),
            ("--tools", TOOLS.to_owned()),
            ("--session-dir", text(session_folder(job.home))),
            ("--session-id", job.session_id.to_owned()),
        ];
        for (flag, value) in pairs {
            arguments.extend([flag.to_owned(), value]);
        }
        arguments.extend(
            ["--no-extensions", "--no-skills", "--no-prompt-templates", "--approve"].map(String::from),
        );
        let mut extensions = Vec::new();
        if job.pack.is_some() {
            extensions.push("sluice.ts");
        }
        if matches!(self.model, ModelChoice::Other { .. }) {
            extensions.push("wire-log.ts");
        }
        for name in extensions {
            arguments.extend(["--extension".to_owned(), text(agent_folder.join(name))]);
        }
        arguments.extend(["--".to_owned(), job.scenario.prompt.trim().to_owned()]);
        arguments
    }
}

impl Agent for Pi {
    fn identity(&self) -> Identity {
        let (provider, model) = self.names();
        Identity {
            agent: "pi".to_owned(),
            agent_version: self.installation.version.clone(),
            node_version: self.installation.node_version.clone(),
            provider: provider.to_owned(),
            model: model.to_owned(),
            thinking_level: self.thinking.clone(),
            tier: match self.model {
                ModelChoice::Scripted(_) => "recorded-scripted",
                ModelChoice::Other { .. } => "recorded-model",
            },
        }
    }

    fn run(&self, job: &Job<'_>) -> Result<Ran, RecordError> {
        let agent_folder = job.home.join(".pi/agent");
        fs::create_dir_all(&agent_folder).map_err(|error| RecordError::io(&agent_folder, error))?;
        let link = package_link(job.home);
        symlink(self.installation.folder.join(PACKAGE), &link)
            .map_err(|error| RecordError::io(&link, error))?;
        write_private(&agent_folder.join("settings.json"), &settings().to_string())?;
        write_private(&agent_folder.join("sluice.ts"), PACK_EXTENSION)?;
        write_private(&agent_folder.join("wire-log.ts"), WIRE_EXTENSION)?;
        if let Some(pack) = job.pack {
            let value = json!({ "text": pack.text, "manifest": pack.manifest });
            write_private(&agent_folder.join("pack.json"), &value.to_string())?;
        }
        let serving = self.start_model(job, &agent_folder)?;
        let surroundings = self.surroundings(job, &agent_folder, &serving);
        let started = Instant::now();
        let ended = surroundings.run(&self.arguments(job, &agent_folder), job.root, job.limit);
        let wall_seconds = started.elapsed().as_secs_f64();
        let Serving { server, wire_log } = serving;
        let served = server.map(Server::finish);
        let ended = ended?;
        let session = read_session(&session_folder(job.home))?;
        let (wire, faults) = match served {
            Some(Served { wire, faults }) => (wire, faults),
            None => read_wire_log(&wire_log, session.as_deref().unwrap_or_default()),
        };
        let failure = why_void(&ended, session.as_deref(), &faults, wire.len());
        Ok(Ran { session, wire, failure, wall_seconds })
    }
}

fn scripted(knowledge: Arc<Knowledge>, parameters: Parameters, job: &Job<'_>) -> super::server::Model {
    let draws =
        Draws { seed: parameters.seed, scenario: job.scenario.id.clone(), repetition: job.repetition };
    Box::new(move |view| decide(view, &knowledge, &parameters, &draws))
}

/// Prices are made up, per million tokens: they only give every arm the same yardstick.
fn scripted_provider(server: &Server) -> Value {
    json!({ "providers": { SCRIPTED_PROVIDER: {
        "baseUrl": server.url(), "api": "anthropic-messages", "apiKey": server.token(),
        "models": [{
            "id": SCRIPTED_MODEL, "name": "Scripted policy", "reasoning": false, "input": ["text"],
            "contextWindow": 200_000, "maxTokens": 8192,
            "cost": { "input": 3.0, "output": 15.0, "cacheRead": 0.3, "cacheWrite": 3.75 },
        }],
    } } })
}

/// Nothing but the requests of the run: no telemetry, no cache warming; a failed request is tried again quickly.
fn settings() -> Value {
    json!({
        "enableInstallTelemetry": false, "cacheWarming": "off", "quietStartup": true,
        "retry": { "enabled": true, "maxRetries": 2, "baseDelayMs": 200 },
    })
}

fn package_link(home: &Path) -> PathBuf {
    home.join(".pi/package")
}

fn session_folder(home: &Path) -> PathBuf {
    home.join(".pi/sessions")
}

fn write_private(path: &Path, text: &str) -> Result<(), RecordError> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600);
    let mut file = options.open(path).map_err(|error| RecordError::io(path, error))?;
    std::io::Write::write_all(&mut file, text.as_bytes()).map_err(|error| RecordError::io(path, error))?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).map_err(|error| RecordError::io(path, error))
}

/// The one session that the run left; with several, the run is as good as none.
fn read_session(folder: &Path) -> Result<Option<String>, RecordError> {
    if !folder.is_dir() {
        return Ok(None);
    }
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(|error| RecordError::io(folder, error))? {
        let path = entry.map_err(|error| RecordError::io(folder, error))?.path();
        if path.extension().is_some_and(|ending| ending == "jsonl") {
            found.push(path);
        }
    }
    match found.as_slice() {
        [path] => fs::read_to_string(path).map(Some).map_err(|error| RecordError::io(path, error)),
        _ => Ok(None),
    }
}

/// Requests that the logging extension wrote. Identifiers come from the session's replies, in order, if none is missing.
fn read_wire_log(path: &Path, session: &str) -> (Wire, Vec<String>) {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) => return (Wire::default(), vec![format!("no log of requests: {error}")]),
    };
    let identifiers = outcome::read(session, "").response_ids;
    let complete = identifiers.len() == text.lines().count();
    let mut wire = Wire::default();
    let mut faults = Vec::new();
    for (index, line) in text.lines().enumerate() {
        match logged_request(line) {
            Ok((path, request)) => {
                let id = identifiers.get(index).filter(|_| complete).cloned().flatten();
                wire.push(path, &request, id, None);
            }
            Err(fault) => faults.push(fault),
        }
    }
    (wire, faults)
}

fn logged_request(line: &str) -> Result<(&'static str, Request), String> {
    // Raw, because the payload's bytes in source order are what is stored.
    #[derive(serde::Deserialize)]
    struct Logged<'a> {
        api: Option<String>,
        #[serde(borrow)]
        payload: &'a serde_json::value::RawValue,
    }
    let logged: Logged<'_> =
        serde_json::from_str(line).map_err(|error| format!("log of requests: {error}"))?;
    let (path, api) = match logged.api.as_deref() {
        Some("anthropic-messages") => ("/v1/messages", Api::Anthropic),
        Some("openai-completions") => ("/v1/chat/completions", Api::OpenAi),
        other => {
            let other = other.unwrap_or("none");
            return Err(format!(
                "requests of the api `{other}` can't be stored: use anthropic-messages or openai-completions"
            ));
        }
    };
    Ok((path, Request::parse(api, logged.payload.get().as_bytes())?))
}

/// Why a run says nothing about its arm, if so.
fn why_void(ended: &Ended, session: Option<&str>, faults: &[String], requests: usize) -> Option<String> {
    if ended.timed_out {
        return Some("the agent ran out of time".to_owned());
    }
    if let Some(fault) = faults.first() {
        return Some(fault.clone());
    }
    let Some(session) = session else {
        return Some(format!("the agent left no session (exit {})", exit(ended)));
    };
    if ended.exit_code != Some(0) {
        return Some(format!("the agent ended with exit {}", exit(ended)));
    }
    let read = outcome::read(session, "");
    if read.replies == 0 || requests == 0 {
        return Some("the model was never asked".to_owned());
    }
    read.broken_end
}

fn exit(ended: &Ended) -> String {
    ended.exit_code.map_or_else(|| "by a signal".to_owned(), |code| code.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_installation_says_what_to_install() {
        let folder = tempfile::tempdir().unwrap();
        let error = Installation::find(folder.path()).unwrap_err().to_string();
        assert!(error.contains(INSTALL), "{error}");
    }

    #[test]
    fn a_run_without_a_proper_end_is_void() {
        let ended = |exit_code, timed_out| Ended {
            exit_code,
            timed_out,
            stdout_tail: String::new(),
            stderr_tail: String::new(),
        };
        let session = json!({ "type": "message", "message": { "role": "assistant", "stopReason": "stop" } })
            .to_string();
        let void = |ended: Ended, session, requests| why_void(&ended, session, &[], requests);
        assert_eq!(void(ended(Some(0), false), Some(session.as_str()), 1), None);
        assert!(void(ended(None, true), Some(session.as_str()), 1).is_some());
        assert!(void(ended(Some(1), false), Some(session.as_str()), 1).is_some());
        assert!(void(ended(Some(0), false), None, 1).is_some());
        assert!(void(ended(Some(0), false), Some(session.as_str()), 0).is_some());
        assert!(why_void(&ended(Some(0), false), Some(&session), &["x".to_owned()], 1).is_some());
    }

    #[test]
    fn a_log_line_of_another_api_is_refused() {
        assert!(
            logged_request(r#"{"api":"openai-responses","payload":{}}"#)
                .unwrap_err()
                .contains("can't be stored")
        );
        let line = r#"{"api":"openai-completions","payload":{"model":"m","messages":[]}}"#;
        assert_eq!(logged_request(line).unwrap().0, "/v1/chat/completions");
    }
}
