//! Text that resembles secrets and holds none.

use super::random::{Random, encode_base64};

/// A harmless text and what it resembles.
pub struct LookAlike {
    pub what: &'static str,
    pub form: &'static str,
    pub text: String,
}

/// Each template `rounds` times with other fillings.
pub fn look_alikes(seed: u64, rounds: usize) -> Vec<LookAlike> {
    let mut random = Random::new(seed);
    let mut all = Vec::new();
    for round in 0..rounds {
        for (what, form, make) in FILLED {
            all.push(LookAlike { what, form, text: make(&mut random) });
        }
        if round == 0 {
            for (what, form, texts) in FIXED {
                all.extend(texts.iter().map(|text| LookAlike { what, form, text: (*text).to_owned() }));
            }
        }
    }
    all
}

type Make = fn(&mut Random) -> String;

fn sri(r: &mut Random) -> String {
    format!("sha512-{}==", r.base64(86))
}

fn ulid(r: &mut Random) -> String {
    format!("01{}", r.run("0123456789ABCDEFGHJKMNPQRSTVWXYZ", 24))
}

const FILLED: &[(&str, &str, Make)] = &[
    ("git hash", "prose", |r| format!("commit {}\nDate: Mon Nov 30 2026", r.hex(40))),
    ("git hash", "prose", |r| format!("Fixed in {} by the token parser rewrite.", r.hex(7))),
    ("git hash", "prose", |r| format!("See {} for the password field change.", r.hex(40))),
    ("git hash", "shell", |r| format!("git checkout {} -- src/auth.rs", r.hex(40))),
    ("git hash", "json", |r| {
        format!("{{\"sha\": \"{}\", \"url\": \"https://example.com/c/{}\"}}", r.hex(40), r.hex(40))
    }),
    ("git hash", "yaml", |r| format!("- uses: actions/checkout@{} # v4", r.hex(40))),
    ("sha256", "prose", |r| format!("{}  release.tar.gz", r.hex(64))),
    ("sha256", "json", |r| format!("{{\"sha256\": \"{}\"}}", r.hex(64))),
    ("sha256", "yaml", |r| format!("image: registry.example.com/app@sha256:{}", r.hex(64))),
    ("sha256", "yaml", |r| format!("checksum/secret: {}", r.hex(64))),
    ("sha256", "shell", |r| format!("echo \"{}  file\" | sha256sum -c", r.hex(64))),
    ("sha512", "prose", |r| format!("SHA512 (file) = {}", r.hex(128))),
    ("md5", "header", |r| format!("ETag: \"{}\"", r.hex(32))),
    ("md5", "header", |r| format!("Content-MD5: {}==", r.base64(22))),
    ("digest", "header", |r| format!("Digest: SHA-256={}=", r.base64(43))),
    ("integrity", "json", |r| format!("\"integrity\": \"{}\"", sri(r))),
    ("integrity", "yaml", |r| format!("resolution: {{integrity: {}}}", sri(r))),
    ("integrity", "prose", |r| {
        format!("<script src=\"a.js\" integrity=\"sha384-{}\"></script>", r.base64(64))
    }),
    ("lock file", "json", |r| {
        format!(
            "\"node_modules/token-types\": {{\"version\": \"4.2.1\", \"resolved\": \"https://example.com/token-types-4.2.1.tgz\", \"integrity\": \"{}\"}}",
            sri(r)
        )
    }),
    ("lock file", "prose", |r| {
        format!("name = \"secrecy\"\nversion = \"0.8.0\"\nchecksum = \"{}\"", r.hex(64))
    }),
    ("lock file", "yaml", |r| {
        format!(
            "jsonwebtoken@9.0.2:\n  resolved \"https://example.com/jsonwebtoken-9.0.2.tgz#{}\"",
            r.hex(40)
        )
    }),
    ("go.sum", "prose", |r| format!("github.com/golang-jwt/jwt/v5 v5.2.1 h1:{}=", r.base64(43))),
    ("go.sum", "prose", |r| format!("golang.org/x/oauth2 v0.21.0/go.mod h1:{}=", r.base64(43))),
    ("uuid", "json", |r| format!("{{\"id\": \"{}\", \"parentId\": \"{}\"}}", r.uuid(), r.uuid())),
    ("uuid", "json", |r| format!("{{\"sessionId\":\"{}\",\"uuid\":\"{}\"}}", r.uuid(), r.uuid())),
    ("uuid", "header", |r| format!("X-Request-Id: {}", r.uuid())),
    ("uuid", "header", |r| format!("Idempotency-Key: {}", r.uuid())),
    ("uuid", "url", |r| format!("https://example.com/items/{}?tab=1", r.uuid())),
    ("uuid", "yaml", |r| format!("tenant_id: {}", r.uuid())),
    ("uuid", "prose", |r| format!("Request {} failed with status 503.", r.uuid())),
    ("ulid", "json", |r| format!("{{\"key\": \"{}\"}}", ulid(r))),
    ("ulid", "prose", |r| format!("The event {} was processed.", ulid(r))),
    ("trace id", "header", |r| format!("traceparent: 00-{}-{}-01", r.hex(32), r.hex(16))),
    ("trace id", "prose", |r| format!("trace_id={} span_id={} token refreshed", r.hex(32), r.hex(16))),
    ("image", "prose", |r| format!("![](data:image/png;base64,iVBORw0KGgo{})", r.base64(400))),
    ("image", "json", |r| format!("{{\"type\":\"image\",\"data\":\"/9j/4AAQSkZJRg{}\"}}", r.base64(600))),
    ("public key", "prose", |r| {
        format!("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{} user@example.com", r.base64(43))
    }),
    ("public key", "yaml", |r| format!("public_key: {}=", r.base64(43))),
    ("public key", "prose", |r| {
        let dashes = "-".repeat(5);
        format!("{dashes}BEGIN PUBLIC KEY{dashes}\n{}\n{dashes}END PUBLIC KEY{dashes}", r.base64(64))
    }),
    ("certificate", "prose", |r| {
        let dashes = "-".repeat(5);
        format!(
            "{dashes}BEGIN CERTIFICATE{dashes}\n{}\n{}\n{dashes}END CERTIFICATE{dashes}",
            r.base64(64),
            r.base64(64)
        )
    }),
    ("count", "json", |r| {
        format!("{{\"input_tokens\": {}, \"output_tokens\": {}}}", r.digits(5), r.digits(4))
    }),
    ("count", "yaml", |r| format!("max_tokens: 4{}", r.digits(3))),
    ("count", "shell", |r| format!("tool --max-tokens=4{} --key-size 2048", r.digits(3))),
    ("count", "prose", |r| {
        format!("The session used {} tokens and {} cache keys.", r.digits(6), r.digits(3))
    }),
    ("count", "header", |r| format!("X-RateLimit-Remaining-Tokens: {}", r.digits(6))),
    ("cursor", "json", |r| format!("{{\"nextPageToken\": \"{}\"}}", r.alnum(28))),
    ("cursor", "url", |r| format!("https://api.example.com/items?page_token={}&limit=5", r.alnum(28))),
    ("cache key", "json", |r| format!("{{\"cacheKey\": \"{}\"}}", r.hex(40))),
    ("cache key", "yaml", |r| format!("key: linux-cargo-{}", r.hex(64))),
    ("map key", "json", |r| format!("{{\"key\": \"{}\", \"size\": 12}}", r.hex(64))),
    ("websocket key", "header", |r| format!("Sec-WebSocket-Key: {}", encode_base64(r.alnum(16).as_bytes()))),
    ("bundle", "url", |r| format!("https://cdn.example.com/assets/index-{}.js", r.alnum(8))),
    ("bundle", "prose", |r| format!("<link href=\"/_next/static/css/{}.css\">", r.hex(16))),
    ("video", "url", |r| format!("https://video.example.com/watch?v={}&t=10", r.alnum(11))),
    ("document", "url", |r| format!("https://docs.example.com/document/d/{}/edit", r.alnum(44))),
    ("etag", "json", |r| format!("{{\"etag\": \"W/\\\"{}\\\"\"}}", r.hex(32))),
    ("version", "prose", |r| {
        format!("pkg-{}@{}.{}.{}-beta.1", r.word(), r.digits(1), r.digits(2), r.digits(1))
    }),
    ("package spec", "shell", |r| {
        format!("npm install @scope/{}-token@{}.1.0 left-pad@1.3.0", r.word(), r.digits(1))
    }),
    ("colour", "prose", |r| format!(".{} {{ color: #{}; background: #{}; }}", r.word(), r.hex(6), r.hex(8))),
    ("test name", "prose", |r| {
        format!("test auth::token::refresh_{}_token_{} ... ok", r.word(), r.digits(3))
    }),
    ("test name", "prose", |r| format!("def test_password_reset_{}_{}():", r.word(), r.digits(2))),
    ("timestamp", "json", |r| format!("{{\"token_issued_at\": \"2026-11-30T06:{}:04.123Z\"}}", r.digits(2))),
    ("address", "prose", |r| format!("0x{} is the contract.", r.hex(40))),
    ("number", "yaml", |r| format!("secret_version: {}", r.digits(4))),
    ("config", "prose", |r| format!("cache.size={}\ncache.policy=lru\nworkers={}", r.digits(3), r.digits(1))),
    ("tool call", "json", |r| {
        format!("{{\"type\":\"toolCall\",\"id\":\"toolu_01{}\",\"name\":\"read\"}}", r.alnum(22))
    }),
    ("tool call", "json", |r| {
        format!("{{\"id\":\"call_{}\",\"response\":\"resp_{}\"}}", r.alnum(24), r.hex(48))
    }),
    ("message id", "json", |r| {
        format!("{{\"id\":\"msg_01{}\",\"requestId\":\"req_011C{}\"}}", r.alnum(22), r.alnum(20))
    }),
    ("signature", "json", |r| format!("{{\"type\":\"thinking\",\"signature\":\"{}==\"}}", r.base64(200))),
];

const FIXED: &[(&str, &str, &[&str])] = &[
    (
        "placeholder",
        "shell",
        &[
            "export API_KEY=YOUR_API_KEY",
            "export TOKEN=<token>",
            "SECRET=xxxxxxxxxxxxxxxx",
            "DB_PASSWORD=changeme",
            "API_KEY=${API_KEY}",
            "TOKEN=$(cat token.txt)",
            "export GITHUB_TOKEN=$GH_TOKEN",
            "PASSWORD=\"$1\"",
            "curl -H \"Authorization: Bearer $TOKEN\" https://example.com",
            "curl -u \"$USER:$PASSWORD\" https://example.com",
            "API_KEY=your-api-key-here",
            "export OPENAI_API_KEY=sk-...",
            "STRIPE_KEY=sk_test_xxxxxxxxxxxxxxxx",
            "SECRET_KEY=replace-me",
            "TOKEN=",
            "PASSWORD=''",
            "API_TOKEN=\"{{ api_token }}\"",
            "export AWS_SECRET_ACCESS_KEY=<your-secret-key>",
            "read -s PASSWORD",
            "echo \"$PASSWORD\" | docker login --username me --password-stdin",
            "DB_PASSWORD_FILE=/run/secrets/db_password",
            "SSH_KEY=~/.ssh/id_ed25519",
            "ssh -i ~/.ssh/deploy_key host",
            "KEY=${KEY:-default}",
            "openssl rand -hex 32",
            "pass show email/work",
            "export TOKENIZERS_PARALLELISM=false",
            "gh auth login --with-token < token.txt",
            "vault kv get secret/app",
            "MAX_TOKENS=4096",
            "mysql -u root -p app",
            "ssh-keygen -t ed25519 -C user@example.com",
            "export PATH=$HOME/bin:$PATH",
            "git config --global credential.helper store",
        ],
    ),
    (
        "placeholder",
        "json",
        &[
            "{\"password\": \"********\"}",
            "{\"token\": null}",
            "{\"token\": \"\"}",
            "{\"api_key\": \"YOUR_API_KEY\"}",
            "{\"secret\": \"<secret>\"}",
            "{\"password\": \"changeme\"}",
            "{\"apiKey\": \"${API_KEY}\"}",
            "{\"client_secret\": \"xxx\"}",
            "{\"token\": \"string\"}",
            "{\"password\": {\"type\": \"string\"}}",
            "{\"password\": \"[REDACTED]\"}",
            "{\"access_token\": \"...\"}",
            "{\"token\": true}",
            "{\"passwordRequired\": true}",
            "{\"tokenType\": \"Bearer\"}",
            "{\"grant_type\": \"password\"}",
            "{\"type\": \"password\", \"name\": \"password\"}",
            "{\"key\": \"value\"}",
            "{\"key\": \"primary\"}",
            "{\"keys\": [\"a\", \"b\"]}",
            "{\"secretName\": \"my-app-secret\"}",
            "{\"password\": \"Enter your password\"}",
            "{\"forgotPassword\": \"Forgot your password?\"}",
            "{\"tokenUrl\": \"https://example.com/oauth/token\"}",
            "{\"author\": \"The Project Authors\"}",
            "{\"license\": \"MIT\", \"keywords\": [\"auth\", \"token\"]}",
            "{\"Authorization\": \"Bearer <token>\"}",
            "{\"auth\": \"none\"}",
            "{\"credentials\": \"include\"}",
            "{\"publicKey\": \"see docs\"}",
            "{\"role\":\"user\",\"content\":\"reset the password of the demo account\"}",
            "{\"cacheKey\": \"users:list:page:2\"}",
            "{\"sort_key\": \"created_at\"}",
        ],
    ),
    (
        "placeholder",
        "yaml",
        &[
            "password: ${DB_PASSWORD}",
            "secret: ${SECRET}",
            "token: \"\"",
            "password: changeme",
            "api_key: YOUR_API_KEY",
            "token: <token>",
            "password: !vault |",
            "secretKeyRef:\n  name: db\n  key: password",
            "token: ${{ secrets.GITHUB_TOKEN }}",
            "key: primary",
            "secretName: my-app-tls",
            "password: \"{{ vault_password }}\"",
            "auth: none",
            "type: password",
            "token_count: 12345",
            "password:\n  minLength: 8",
            "api_key: null",
            "tokens: 2400",
            "passwordPolicy: strict",
            "key: value",
            "secrets:\n  - db",
            "keyId: alias/main",
            "private: true",
            "credentials: ~",
            "api-key: env:API_KEY",
            "client_secret: op://vault/item/field",
            "hash_key: user_id",
            "primary_key: id",
            "token: $TOKEN",
        ],
    ),
    (
        "code",
        "prose",
        &[
            "token = next_token(line)",
            "let token = lexer.next()?;",
            "password: str",
            "password: Optional[str] = None",
            "fn token(&self) -> &str",
            "self.token = token",
            "const token = await getAccessToken();",
            "const password = req.body.password;",
            "if password != confirm_password:",
            "token: string;",
            "apiKey?: string;",
            "let key = map.keys().next();",
            "for key, value in items.items():",
            "key=lambda x: x[1]",
            "sorted(items, key=itemgetter(1))",
            "secret: Secret<String>,",
            "password = os.environ[\"DB_PASSWORD\"]",
            "api_key=os.getenv(\"OPENAI_API_KEY\")",
            "token = request.headers.get(\"Authorization\")",
            "return { token, user };",
            "assert token.kind == TokenKind.IDENT",
            "tokens.push(Token::new(kind, span));",
            "password_hash = hash_password(password)",
            "type Token = { kind: string; value: string };",
            "if (e.key === 'Enter') submit();",
            "e.t=n,e.key=r,e.ref=o,e.props=i",
            "!function(e,t){\"object\"==typeof exports?t(exports):t(e.lib={})}(this,function(e){});",
            "<input type=\"password\" name=\"password\" placeholder=\"Your password\" />",
            "<li key={item.id}>{item.name}</li>",
            "export const TOKEN_KEY = 'auth.token';",
            "localStorage.getItem('access_token')",
            "const STORAGE_KEY = \"user-settings-v2\";",
            "@pytest.fixture\ndef token(client):",
            "case Token::Plus => left + right,",
            "var keyCode = event.keyCode || event.which;",
            "enum Key { Up, Down, Left, Right }",
            "passwd: &mut passwd, buf: *mut c_char",
            "secret_word = choose_word(words)",
            "token.value.startsWith('sk-')",
            "if line.starts_with(\"-----BEGIN PRIVATE KEY-----\") {",
            "let re = Regex::new(r\"ghp_[A-Za-z0-9]{36}\").unwrap();",
            "headers={\"Authorization\": f\"Bearer {token}\"}",
            "headers: { Authorization: `Bearer ${token}` }",
            "auth = (username, password)",
            "requests.get(url, auth=auth)",
            "const { data: session } = useSession();",
            "private key: string;",
            "public static final String KEY = \"key\";",
            "hashKey(user.id)",
            "token_type: Literal[\"bearer\"]",
            "password: z.string().min(8)",
            "passwordField.sendKeys(password2);",
            "SELECT password FROM users WHERE id = $1",
            "CREATE TABLE t (token TEXT PRIMARY KEY)",
            "raise ValueError(\"invalid token\")",
            "throw new Error('missing api key');",
            "// the token is a base64-encoded string",
            "# password: at least 8 characters, 1 digit",
        ],
    ),
    (
        "english",
        "prose",
        &[
            "The token was rejected by the server.",
            "Your password is required.",
            "The password is case-sensitive and at least 12 characters long.",
            "The secret to success is preparation.",
            "API key rotation is described in docs/keys.md.",
            "Use the key `primary` for lookups.",
            "The key is to keep functions short.",
            "Reset your password at https://example.com/reset.",
            "A bearer of bad news.",
            "Basic authentication is deprecated.",
            "Tokens are counted with o200k_base.",
            "The private key never leaves the device.",
            "Press any key to continue.",
            "The session token expires in 3600 seconds.",
            "We hash the password with argon2id.",
            "The API key is read from OPENAI_API_KEY.",
            "Sign in with your GitHub credentials.",
            "The password field is optional in version 2.",
            "Secrets are stored in the keyring.",
            "An access token is issued per user.",
            "The author key was renamed to maintainers.",
            "Passwords must match.",
            "The token parser handles utf-8 and base64-url input.",
            "See the section on authorization in chapter 4.",
            "Cookies are disabled in this browser.",
            "The key size is 2048-bit, the hash is sha256.",
            "Two-factor authentication (2FA) uses TOTP tokens.",
            "The password is hashed on the client side.",
            "Set the token to an empty string to disable authentication.",
            "The passphrase is never written to disk.",
            "It is an open secret that tests are slow.",
        ],
    ),
    (
        "address",
        "url",
        &[
            "https://example.com/?page=2&key=primary",
            "https://example.com/oauth/token",
            "https://user@example.com/path",
            "git@github.com:org/repo.git",
            "https://example.com:8080/a@b",
            "postgres://user:password@localhost:5432/db",
            "postgres://user:${DB_PASSWORD}@db/app",
            "redis://localhost:6379/0",
            "https://example.com/reset?token=<token>",
            "https://example.com/api?api_key=YOUR_API_KEY",
            "mongodb://localhost:27017/test",
            "ssh://git@github.com/org/repo",
            "https://example.com/docs#access-token",
            "http://localhost:3000/api/auth/callback?code=abc",
            "https://example.com/keys/primary?sort=token",
            "file:///etc/passwd",
            "https://registry.example.com/@scope%2ftoken",
            "https://example.com/search?q=forgot+password&lang=en",
            "s3://bucket/key/with/slashes",
            "https://user:<password>@example.com/",
        ],
    ),
    (
        "header",
        "header",
        &[
            "Authorization: Bearer <token>",
            "Authorization: Basic <credentials>",
            "Authorization: Bearer ${TOKEN}",
            "WWW-Authenticate: Basic realm=\"example\"",
            "WWW-Authenticate: Bearer realm=\"example\", error=\"invalid_token\"",
            "Cookie: theme=dark; lang=en",
            "Set-Cookie: consent=accepted; Path=/; Max-Age=31536000",
            "Content-Type: application/json; charset=utf-8",
            "X-Api-Version: 2024-01-01",
            "Accept-Encoding: gzip, deflate, br",
            "X-Api-Key: YOUR_API_KEY",
            "X-Api-Key: {{api_key}}",
            "Access-Control-Allow-Headers: Authorization, X-Api-Key, X-Auth-Token",
            "anthropic-version: 2023-06-01",
            "Cache-Control: private, max-age=0",
            "Vary: Authorization, Cookie",
            "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36",
            "X-CSRF-Token: {{ csrf_token }}",
            "Strict-Transport-Security: max-age=63072000; includeSubDomains",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
            "Key-Id: alias/main",
            "X-Token-Type: refresh",
            "Authorization: AWS4-HMAC-SHA256 Credential=...",
            "Proxy-Authorization: Basic ****",
        ],
    ),
];
