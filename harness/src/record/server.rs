//! The loopback model server: answers as the scripted model, counts, and keeps every request. One server a run.
//!
//! It binds 127.0.0.1 on a free port and wants a random token as the api key, so nothing else on the machine is answered.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::io::{self, Read};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tiny_http::{Header, Method, Request as Incoming, Response, Server as Http};

use crate::policy::{Action, Transcript};

use super::reply::{self, Envelope};
use super::request::{Api, Request};
use super::usage::PrefixCache;
use super::wire::Wire;

/// How often the server looks whether it should stop.
const POLL: Duration = Duration::from_millis(20);
/// Largest request body that is read.
const MAX_BODY: u64 = 64 << 20;

/// The model behind the server.
pub type Model = Box<dyn Fn(&Transcript) -> Action + Send>;

/// A running server.
pub struct Server {
    address: SocketAddr,
    token: String,
    stop: Arc<AtomicBool>,
    thread: JoinHandle<Served>,
}

/// What a server saw.
#[derive(Debug, Default)]
pub struct Served {
    /// Its requests.
    pub wire: Wire,
    /// Requests that it couldn't answer, in order.
    pub faults: Vec<String>,
}

impl Server {
    /// Starts a server whose replies have identifiers that begin with `run`.
    ///
    /// # Errors
    /// No free port on the loopback interface.
    pub fn start(run: &str, model: Model) -> io::Result<Self> {
        let http = Http::http("127.0.0.1:0").map_err(io::Error::other)?;
        let address = http.server_addr().to_ip().ok_or_else(|| io::Error::other("no loopback address"))?;
        let token = random_token();
        let stop = Arc::new(AtomicBool::new(false));
        let mut session = Session {
            run: run.to_owned(),
            token: token.clone(),
            model,
            cache: PrefixCache::default(),
            served: Served::default(),
        };
        let stopped = Arc::clone(&stop);
        let thread = thread::spawn(move || {
            while !stopped.load(Ordering::Acquire) {
                match http.recv_timeout(POLL) {
                    Ok(Some(request)) => session.answer(request),
                    Ok(None) => {}
                    Err(error) => session.served.faults.push(format!("loopback server: {error}")),
                }
            }
            session.served
        });
        Ok(Server { address, token, stop, thread })
    }

    /// `http://127.0.0.1:PORT`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The api key it wants.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// Stops it.
    pub fn finish(self) -> Served {
        self.stop.store(true, Ordering::Release);
        self.thread.join().unwrap_or_else(|_| Served {
            faults: vec!["loopback server: it stopped by itself".to_owned()],
            ..Served::default()
        })
    }
}

/// 128 bits that nobody else knows: the standard library seeds its hash maps from the system's randomness.
pub(super) fn random_token() -> String {
    let word = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", word(), word())
}

struct Session {
    run: String,
    token: String,
    model: Model,
    cache: PrefixCache,
    served: Served,
}

impl Session {
    fn answer(&mut self, mut incoming: Incoming) {
        let (status, kind, body) = match self.handle(&mut incoming) {
            Ok((kind, body)) => (200, kind, body),
            Err((status, message)) => {
                let error = serde_json::json!({ "type": "error", "error": { "type": "invalid_request_error", "message": message } });
                self.served.faults.push(message);
                (status, "application/json", error.to_string())
            }
        };
        let header = Header::from_bytes("content-type", kind).expect("a constant header is valid");
        let response = Response::from_string(body).with_status_code(status).with_header(header);
        if let Err(error) = incoming.respond(response) {
            self.served.faults.push(format!("loopback server: {error}"));
        }
    }

    fn handle(&mut self, incoming: &mut Incoming) -> Result<(&'static str, String), (u16, String)> {
        let path = incoming.url().split('?').next().unwrap_or_default().to_owned();
        if !authorised(incoming, &self.token) {
            return Err((401, "loopback server: a request without the run's key".to_owned()));
        }
        let api = match path.as_str() {
            "/v1/messages" => Api::Anthropic,
            "/v1/chat/completions" => Api::OpenAi,
            _ if *incoming.method() == Method::Get => {
                return Ok(("application/json", r#"{"data":[]}"#.to_owned()));
            }
            _ => return Err((404, format!("loopback server: no such path: {path}"))),
        };
        let mut body = Vec::new();
        let read = incoming.as_reader().take(MAX_BODY).read_to_end(&mut body);
        read.map_err(|error| (400, format!("loopback server: {error}")))?;
        let request = Request::parse(api, &body).map_err(|message| (400, message))?;
        Ok(("text/event-stream", self.reply(&path, &request)))
    }

    fn reply(&mut self, path: &str, request: &Request) -> String {
        let action = (self.model)(&request.transcript);
        let usage = self.cache.account(request, &reply::counted_text(&action));
        let id = format!("msg_{}_{:04}", self.run, self.served.wire.len());
        let envelope = Envelope { id: &id, model: &request.model, usage };
        let body = reply::stream(request.api, &action, &envelope);
        self.served.wire.push(path, request, Some(id), Some(reply::usage_json(request.api, usage)));
        body
    }
}

fn authorised(incoming: &Incoming, token: &str) -> bool {
    incoming.headers().iter().any(|header| {
        let value = header.value.as_str();
        (header.field.equiv("x-api-key") && value == token)
            || (header.field.equiv("authorization") && value.strip_prefix("Bearer ") == Some(token))
    })
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::net::TcpStream;

    use super::*;

    fn post(server: &Server, path: &str, key: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(server.address).unwrap();
        write!(
            stream,
            "POST {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n{key}\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    fn server() -> Server {
        Server::start("ab12", Box::new(|_| Action::Answer { say: "done".to_owned() })).unwrap()
    }

    const BODY: &str = r#"{"model":"m","messages":[{"role":"user","content":"hello"}]}"#;

    #[test]
    fn answers_and_keeps_requests_of_both_formats_without_headers() {
        let server = server();
        let key = format!("x-api-key: {}", server.token());
        let bearer = format!("authorization: Bearer {}", server.token());
        assert!(post(&server, "/v1/messages?beta=true", &key, BODY).contains("event: message_stop"));
        assert!(post(&server, "/v1/chat/completions", &bearer, BODY).contains("data: [DONE]"));
        let token = server.token().to_owned();
        let served = server.finish();
        assert!(served.faults.is_empty(), "{:?}", served.faults);
        let stored = served.wire.to_jsonl() + &served.wire.blocks_jsonl();
        assert!(stored.contains("msg_ab12_0001") && stored.contains("hello"));
        assert!(!stored.contains(&token));
    }

    #[test]
    fn refuses_strangers_and_garbage_and_says_so() {
        let server = server();
        assert!(post(&server, "/v1/messages", "x-api-key: guess", BODY).starts_with("HTTP/1.1 401"));
        let key = format!("x-api-key: {}", server.token());
        assert!(post(&server, "/v1/messages", &key, "{").starts_with("HTTP/1.1 400"));
        assert!(post(&server, "/v1/other", &key, BODY).starts_with("HTTP/1.1 404"));
        let served = server.finish();
        assert_eq!((served.faults.len(), served.wire.len()), (3, 0));
    }

    #[test]
    fn tokens_differ() {
        assert_ne!(random_token(), random_token());
    }
}
