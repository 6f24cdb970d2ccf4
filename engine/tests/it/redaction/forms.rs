//! Secrets in the six forms in which people write them.

use super::random::{Random, encode_base64};
use super::secrets::{SOURCES, Source, password, private_key};

/// A text that holds one secret.
pub struct Sample {
    pub kind: &'static str,
    pub form: &'static str,
    pub text: String,
    /// What must not be left of it.
    pub secret: String,
}

pub const FORMS: [&str; 6] = ["prose", "json", "yaml", "shell", "url", "header"];

/// Samples of every source in every form, and of what only some forms hold.
pub fn samples(seed: u64, rounds: usize) -> Vec<Sample> {
    let mut random = Random::new(seed);
    let mut samples = Vec::new();
    for _ in 0..rounds {
        for source in SOURCES {
            for form in FORMS {
                let secret = (source.make)(&mut random);
                let text = write(form, source, &secret, &mut random);
                samples.push(Sample { kind: source.kind, form, text, secret });
            }
        }
        for _ in 0..4 {
            samples.extend(structured(&mut random));
        }
    }
    samples
}

fn write(form: &str, source: &Source, s: &str, r: &mut Random) -> String {
    match form {
        "prose" => prose(source, s, r),
        "json" => json(source, s, r),
        "yaml" => yaml(source, s, r),
        "shell" => shell(source, s, r),
        "url" => url(source, s, r),
        _ => header(source, s, r),
    }
}

fn prose(source: &Source, s: &str, r: &mut Random) -> String {
    let phrase = source.phrase;
    match r.below(8) {
        0 => format!("The {phrase} is {s} and it expires next month."),
        1 => format!("My {phrase}: {s}\nPlease don't share it."),
        2 => format!("I changed the {phrase} to {s} yesterday."),
        3 => format!("Use `{s}` as the {phrase} for now."),
        4 => format!("Here is the {phrase} for staging: {s}"),
        5 => format!("The {phrase} was \"{s}\", but the server refused it."),
        6 => format!("- **{phrase}**: `{s}`"),
        _ => format!("For the demo, the {phrase} = {s}, then restart."),
    }
}

fn json(source: &Source, s: &str, r: &mut Random) -> String {
    let name = source.name;
    let camel = camel(name);
    match r.below(6) {
        0 => format!("{{\"{name}\": \"{s}\", \"retries\": 3}}"),
        1 => format!("{{\"{camel}\":\"{s}\"}}"),
        2 => format!("{{\n  \"auth\": {{\n    \"{name}\": \"{s}\"\n  }}\n}}"),
        3 => format!("{{\"content\":\"{{\\\"{camel}\\\": \\\"{s}\\\"}}\"}}"),
        4 => format!("{{\"name\": \"{}\", \"value\": \"{s}\"}}", name.to_uppercase()),
        _ => format!("{{\"text\":\"first line\\n{}={s}\\nlast line\"}}", name.to_uppercase()),
    }
}

fn yaml(source: &Source, s: &str, r: &mut Random) -> String {
    let name = source.name;
    match r.below(6) {
        0 => format!("service:\n  {name}: {s}\n  port: 80\n"),
        1 => format!("{name}: \"{s}\"\n"),
        2 => format!("{name}: '{s}'  # rotate\n"),
        3 => format!("env:\n  - name: {}\n    value: {s}\n", name.to_uppercase()),
        4 => format!("environment:\n  - {}={s}\n", name.to_uppercase()),
        _ => format!("{}: {s}", camel(name)),
    }
}

fn shell(source: &Source, s: &str, r: &mut Random) -> String {
    let (upper, dashed) = (source.name.to_uppercase(), source.name.replace('_', "-"));
    match r.below(8) {
        0 => format!("export {upper}={s}\n"),
        1 => format!("export {upper}='{s}'\nmake deploy"),
        2 => format!("{upper}=\"{s}\" ./run.sh"),
        3 => format!("tool --{dashed} '{s}' --verbose"),
        4 => format!("tool --{dashed}={s}"),
        5 => format!("{upper}={s}"),
        6 => format!("docker run -e {upper}={s} image"),
        _ => format!("set -x; {upper}='{s}'; echo done"),
    }
}

fn url(source: &Source, s: &str, r: &mut Random) -> String {
    let encoded = encode_url(s);
    match r.below(6) {
        0 => format!("https://api.example.com/v1/items?{}={encoded}&page=2", source.name),
        1 => format!("GET /v1/items?limit=5&{}={encoded} HTTP/1.1", source.name),
        2 => format!("https://deploy:{encoded}@git.example.com/org/repo.git"),
        3 => format!("postgres://app:{encoded}@db.example.com:5432/app?sslmode=require"),
        4 => format!("redis://:{encoded}@cache.example.com:6379/0"),
        _ => format!("curl 'https://api.example.com/?format=json&{}={encoded}'", camel(source.name)),
    }
}

fn header(source: &Source, s: &str, r: &mut Random) -> String {
    let title: Vec<String> = source.name.split('_').map(|w| w[..1].to_uppercase() + &w[1..]).collect();
    match r.below(5) {
        0 => format!("X-{}: {s}\r\nAccept: */*\r\n", title.join("-")),
        1 => format!("curl -H 'X-{}: {s}' https://api.example.com/", title.join("-")),
        2 => format!("{{\"headers\": {{\"x-{}\": \"{s}\"}}}}", source.name.replace('_', "-")),
        3 => format!("> {}: {s}\n> Host: example.com", title.join("-")),
        _ => format!("headers = {{'X-{}': '{s}'}}", title.join("-")),
    }
}

/// Kinds that live in one form: key blocks, credentials of headers and connection strings.
fn structured(r: &mut Random) -> Vec<Sample> {
    let mut samples = Vec::new();
    let mut add =
        |kind, form, text: String, secret: String| samples.push(Sample { kind, form, text, secret });
    let key = private_key(r);
    add("private-key", "prose", format!("Here it is:\n\n{key}\n\nThanks"), key);
    let key = private_key(r).replace('\n', "\\n");
    add(
        "private-key",
        "json",
        format!("{{\"type\": \"service_account\", \"private_key\": \"{key}\\n\"}}"),
        key,
    );
    let key = private_key(r).replace('\n', "\n  ");
    add("private-key", "yaml", format!("tls:\n  key: |\n  {key}\n  port: 1\n"), key);
    let key = private_key(r);
    add("private-key", "shell", format!("cat > id <<EOF\n{key}\nEOF\n"), key);
    let basic = encode_base64(format!("{}:{}", r.word(), password(r)).as_bytes());
    add("basic-credential", "header", format!("Authorization: Basic {basic}\r\n"), basic);
    let basic = encode_base64(format!("{}:{}", r.word(), password(r)).as_bytes());
    add(
        "basic-credential",
        "json",
        format!("{{\"auths\": {{\"https://r.example.com\": {{\"auth\": \"{basic}\"}}}}}}"),
        basic,
    );
    let token = r.base64url(32) + "7";
    add("bearer-token", "header", format!("Authorization: Bearer {token}\n"), token);
    let token = r.hex(40);
    add(
        "bearer-token",
        "shell",
        format!("curl -H \"Authorization: Bearer {token}\" https://api.example.com/"),
        token,
    );
    let token = r.hex(40);
    add("authorization", "header", format!("authorization: token {token}"), token);
    let token = r.alnum(31) + "7";
    add("authorization", "json", format!("{{\"Authorization\": \"ApiKey {token}\"}}"), token);
    let session = r.alnum(31) + "7";
    add("cookie", "header", format!("Cookie: lang=en; sessionid={session}; theme=dark"), session);
    let session = r.base64url(40) + "7";
    add("cookie", "header", format!("Set-Cookie: sid={session}; Path=/; HttpOnly; Secure"), session);
    let secret = password(r);
    add(
        "connection-string",
        "prose",
        format!("Server=db;Database=app;User Id=sa;Password={secret};Encrypt=true"),
        secret,
    );
    let secret = password(r);
    add(
        "connection-string",
        "yaml",
        format!("dsn: \"host=db user=app password={secret} dbname=app\""),
        secret,
    );
    let secret = r.base64(85) + "7==";
    let text = format!(
        "DefaultEndpointsProtocol=https;AccountName=x;AccountKey={secret};EndpointSuffix=core.example"
    );
    add("azure-account-key", "shell", text, secret);
    let secret = encode_url(&(r.base64(42) + "7="));
    add(
        "azure-sas-signature",
        "url",
        format!("https://x.blob.example.net/c?sv=2022-11-02&sp=r&sig={secret}"),
        secret,
    );
    let secret = encode_url(&password(r));
    add(
        "connection-string",
        "url",
        format!("mongodb+srv://app:{secret}@cluster0.example.net/db?retryWrites=true"),
        secret,
    );
    let secret = encode_url(&password(r));
    add("connection-string", "url", format!("amqp://app:{secret}@mq:5672/%2f"), secret);
    let secret = password(r);
    add("command-password", "shell", format!("curl -s -u admin:{secret} https://api.example.com/"), secret);
    let secret = password(r);
    add("command-password", "shell", format!("PGPASSWORD={secret} psql -h db app"), secret);
    let secret = password(r);
    add("command-password", "shell", format!("mysql -u root -p'{secret}' app"), secret);
    let secret = r.alnum(12) + "7";
    add(
        "netrc-password",
        "prose",
        format!("machine api.example.com\n  login bot\n  password {secret}\n"),
        secret,
    );
    let secret = format!("T{}/B{}/{}7", r.upper(8), r.upper(8), r.alnum(23));
    add("slack-webhook", "url", format!("https://hooks.slack.com/services/{secret}"), secret);
    let secret = r.hex(32);
    add(
        "sentry-dsn",
        "url",
        format!("https://{secret}@o{}.ingest.sentry.io/{}", r.digits(6), r.digits(7)),
        secret,
    );
    let secret = password(r);
    add(
        "markup-password",
        "prose",
        format!("<server><username>bot</username><password>{secret}</password></server>"),
        secret,
    );
    samples
}

fn camel(name: &str) -> String {
    let mut out = String::new();
    for (at, word) in name.split('_').enumerate() {
        out.push_str(&if at == 0 { word.to_owned() } else { word[..1].to_uppercase() + &word[1..] });
    }
    out
}

fn encode_url(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~!*".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}
