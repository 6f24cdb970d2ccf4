//! Secrets of many kinds, put together at run time.

use super::random::{Random, encode_base64};

/// One kind of secret: what it looks like and what people call it.
pub struct Source {
    pub kind: &'static str,
    /// As a sentence calls it.
    pub phrase: &'static str,
    /// As a variable, lower case with underscores.
    pub name: &'static str,
    pub make: fn(&mut Random) -> String,
}

const fn source(
    kind: &'static str,
    phrase: &'static str,
    name: &'static str,
    make: fn(&mut Random) -> String,
) -> Source {
    Source { kind, phrase, name, make }
}

/// A password as a person makes one up.
fn human_password(r: &mut Random) -> String {
    let word = r.word();
    let digits = r.digits(2);
    let mark = r.pick(&["!", "@", "#", "%", "*", "-", "_", "."]);
    let capital = word[..1].to_uppercase() + &word[1..];
    match r.below(4) {
        0 => format!("{word}{mark}{digits}"),
        1 => format!("{capital}{digits}{mark}"),
        2 => format!("{}{digits}-{}!", word.replace('e', "3").replace('a', "4"), r.alnum(3)),
        _ => format!("{capital}{mark}{}{digits}", r.word()),
    }
}

/// A password as a manager makes one up.
fn strong_password(r: &mut Random) -> String {
    let mark = r.pick(&["!", "#", "*", "-", "_", "."]);
    format!("{}{mark}{}4{}", r.alnum(6), r.alnum(5), r.alnum(3))
}

fn jwt(r: &mut Random) -> String {
    let header = encode_base64(format!("{{\"alg\":\"HS256\",\"kid\":\"{}\"}}", r.hex(6)).as_bytes());
    let body = encode_base64(format!("{{\"sub\":\"{}\",\"iat\":1{}}}", r.digits(9), r.digits(9)).as_bytes());
    let plain = |text: String| text.trim_end_matches('=').replace('+', "-").replace('/', "_");
    format!("{}.{}.{}", plain(header), plain(body), r.base64url(43))
}

fn with_digit(mut text: String) -> String {
    text.push('7');
    text
}

pub const SOURCES: &[Source] = &[
    source("aws-access-key-id", "AWS access key id", "aws_access_key_id", |r| {
        format!("{}{}", r.pick(&["AKIA", "ASIA"]), r.upper(16))
    }),
    source("aws-secret-access-key", "AWS secret access key", "aws_secret_access_key", |r| {
        with_digit(r.base64(39))
    }),
    source("gcp-api-key", "Google API key", "google_api_key", |r| format!("{}{}", "AIza", r.base64url(35))),
    source("gcp-client-secret", "Google client secret", "google_client_secret", |r| {
        format!("{}{}", "GOCSPX-", r.base64url(28))
    }),
    source("gcp-refresh-token", "Google refresh token", "refresh_token", |r| {
        format!("1//0{}", r.base64url(60))
    }),
    source("gcp-access-token", "Google access token", "access_token", |r| {
        format!("ya29.{}", r.base64url(90))
    }),
    source("azure-client-secret", "Azure client secret", "azure_client_secret", |r| {
        format!("{}8Q~{}", r.alnum(3), r.alnum(34))
    }),
    source("azure-storage-key", "Azure storage account key", "azure_storage_account_key", |r| {
        format!("{}==", with_digit(r.base64(85)))
    }),
    source("digitalocean-token", "DigitalOcean token", "digitalocean_token", |r| {
        format!("dop_v1_{}", r.hex(64))
    }),
    source("cloudflare-token", "Cloudflare API token", "cloudflare_api_token", |r| with_digit(r.alnum(39))),
    source("heroku-api-key", "Heroku API key", "heroku_api_key", Random::uuid),
    source("netlify-token", "Netlify token", "netlify_auth_token", |r| {
        format!("nfp_{}", with_digit(r.alnum(35)))
    }),
    source("vercel-token", "Vercel token", "vercel_token", |r| with_digit(r.alnum(23))),
    source("github-token", "GitHub token", "github_token", |r| {
        format!("{}{}", r.pick(&["ghp_", "gho_", "ghu_", "ghs_", "ghr_"]), with_digit(r.alnum(35)))
    }),
    source("github-fine-grained-token", "GitHub token", "gh_token", |r| {
        format!("github_pat_{}_{}", r.alnum(22), with_digit(r.alnum(58)))
    }),
    source("gitlab-token", "GitLab token", "gitlab_token", |r| format!("glpat-{}", r.base64url(20))),
    source("bitbucket-token", "Bitbucket app password", "bitbucket_app_password", |r| {
        format!("ATBB{}", with_digit(r.alnum(31)))
    }),
    source("npm-token", "npm token", "npm_token", |r| format!("npm_{}", with_digit(r.alnum(35)))),
    source("pypi-token", "PyPI token", "pypi_token", |r| format!("pypi-AgEIcHlwaS5vcmc{}", r.base64url(120))),
    source("crates-io-token", "crates.io token", "cargo_registry_token", |r| {
        format!("cio{}", with_digit(r.alnum(31)))
    }),
    source("rubygems-key", "RubyGems API key", "rubygems_api_key", |r| format!("rubygems_{}", r.hex(48))),
    source("nuget-key", "NuGet API key", "nuget_api_key", |r| format!("oy2{}", r.lower(43))),
    source("docker-token", "Docker Hub token", "dockerhub_token", |r| {
        format!("dckr_pat_{}", r.base64url(27))
    }),
    source("slack-token", "Slack bot token", "slack_bot_token", |r| {
        format!("xoxb-{}-{}-{}", r.digits(12), r.digits(12), r.alnum(24))
    }),
    source("discord-bot-token", "Discord bot token", "discord_token", |r| {
        format!("MT{}.{}.{}", with_digit(r.alnum(23)), r.alnum(6), r.base64url(38))
    }),
    source("telegram-bot-token", "Telegram bot token", "telegram_bot_token", |r| {
        format!("7{}:AA{}", r.digits(9), r.base64url(33))
    }),
    source("stripe-key", "Stripe secret key", "stripe_secret_key", |r| {
        format!("{}{}", r.pick(&["sk_live_", "sk_test_", "rk_live_"]), with_digit(r.alnum(24)))
    }),
    source("stripe-webhook-secret", "Stripe webhook secret", "stripe_webhook_secret", |r| {
        format!("whsec_{}", with_digit(r.alnum(31)))
    }),
    source("square-token", "Square access token", "square_access_token", |r| {
        format!("sq0atp-{}", r.base64url(22))
    }),
    source("paypal-secret", "PayPal client secret", "paypal_client_secret", |r| {
        format!("E{}", with_digit(r.base64url(78)))
    }),
    source("twilio-auth-token", "Twilio auth token", "twilio_auth_token", |r| r.hex(32)),
    source("twilio-key", "Twilio API key", "twilio_api_key", |r| format!("SK{}", r.hex(32))),
    source("sendgrid-key", "SendGrid API key", "sendgrid_api_key", |r| {
        format!("SG.{}.{}", r.base64url(22), r.base64url(43))
    }),
    source("mailgun-key", "Mailgun API key", "mailgun_api_key", |r| format!("key-{}", r.hex(32))),
    source("mailchimp-key", "Mailchimp API key", "mailchimp_api_key", |r| {
        format!("{}-us{}", r.hex(32), 1 + r.below(20))
    }),
    source("anthropic-key", "Anthropic API key", "anthropic_api_key", |r| {
        format!("sk-ant-api03-{}AA", r.base64url(93))
    }),
    source("openai-key", "OpenAI API key", "openai_api_key", |r| {
        format!("sk-proj-{}T3BlbkFJ{}", r.base64url(58), r.base64url(58))
    }),
    source("openai-legacy-key", "OpenAI API key", "openai_key", |r| {
        format!("sk-{}", with_digit(r.alnum(47)))
    }),
    source("huggingface-token", "Hugging Face token", "hf_token", |r| {
        format!("hf_{}", r.run("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", 34))
    }),
    source("groq-key", "Groq API key", "groq_api_key", |r| format!("gsk_{}", with_digit(r.alnum(51)))),
    source("replicate-token", "Replicate token", "replicate_api_token", |r| {
        format!("r8_{}", with_digit(r.alnum(36)))
    }),
    source("deepseek-key", "DeepSeek API key", "deepseek_api_key", |r| format!("sk-{}", r.hex(32))),
    source("xai-key", "xAI API key", "xai_api_key", |r| format!("xai-{}", with_digit(r.alnum(79)))),
    source("linear-key", "Linear API key", "linear_api_key", |r| {
        format!("lin_api_{}", with_digit(r.alnum(39)))
    }),
    source("notion-token", "Notion token", "notion_token", |r| {
        format!("ntn_{}{}", r.digits(11), r.alnum(35))
    }),
    source("figma-token", "Figma token", "figma_token", |r| format!("figd_{}", r.base64url(40))),
    source("databricks-token", "Databricks token", "databricks_token", |r| format!("dapi{}", r.hex(32))),
    source("datadog-key", "Datadog API key", "datadog_api_key", |r| r.hex(32)),
    source("newrelic-key", "New Relic API key", "new_relic_api_key", |r| format!("NRAK-{}", r.upper(27))),
    source("grafana-token", "Grafana token", "grafana_token", |r| {
        format!("glsa_{}_{}", with_digit(r.alnum(31)), r.hex(8))
    }),
    source("vault-token", "Vault token", "vault_token", |r| format!("hvs.{}", r.base64url(90))),
    source("terraform-token", "Terraform token", "tfe_token", |r| {
        format!("{}.atlasv1.{}", r.alnum(14), r.base64url(67))
    }),
    source("doppler-token", "Doppler token", "doppler_token", |r| {
        format!("dp.pt.{}", with_digit(r.alnum(42)))
    }),
    source("age-secret-key", "age secret key", "age_secret_key", |r| {
        format!("AGE-SECRET-KEY-1{}", r.upper(58))
    }),
    source("jwt", "session token", "id_token", jwt),
    source("password", "database password", "db_password", human_password),
    source("password", "admin password", "admin_password", strong_password),
    source("password", "password", "password", strong_password),
    source("passphrase", "passphrase", "ssh_passphrase", |r| with_digit(r.alnum(15))),
    source("api-key", "API key", "api_key", |r| with_digit(r.alnum(31))),
    source("api-key", "API key", "weather_api_key", |r| r.hex(32)),
    source("token", "access token", "access_token", |r| with_digit(r.base64url(39))),
    source("token", "deploy token", "deploy_token", |r| with_digit(r.lower(19))),
    source("client-secret", "client secret", "client_secret", |r| with_digit(r.alnum(39))),
    source("signing-secret", "signing secret", "signing_secret", |r| r.hex(64)),
    source("encryption-key", "encryption key", "encryption_key", |r| {
        format!("{}=", with_digit(r.base64(42)))
    }),
];

/// A PEM block, whose lines a form may escape.
pub fn private_key(r: &mut Random) -> String {
    let kind = r.pick(&["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "]);
    let dashes = "-".repeat(5);
    let mut text = format!("{dashes}BEGIN {kind}PRIVATE KEY{dashes}\n");
    for _ in 0..2 + r.below(8) {
        text.push_str(&r.base64(64));
        text.push('\n');
    }
    text.push_str(&format!("{}==\n{dashes}END {kind}PRIVATE KEY{dashes}", r.base64(22)));
    text
}

pub fn password(r: &mut Random) -> String {
    if r.below(2) == 0 { human_password(r) } else { strong_password(r) }
}
