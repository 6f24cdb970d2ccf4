//! What may be indexed at all. There is no default policy: a caller states one, even an empty one.

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use sha2::{Digest, Sha256};

use super::hex::to_hex;
use super::protected::{DERIVED, SECRET, SECRET_FILES};

/// Version of the built-in lists and of the digest; a change of either raises it.
const POLICY_VERSION: u32 = 2;

/// Which paths are kept out of the index and out of everything made from it.
///
/// The built-in lists (secrets, version control, build output, dependencies, the engine's own state) always hold. A caller
/// adds patterns in the syntax of `.gitignore`, relative to the root. The type has no `Default`: an index without a stated
/// policy doesn't compile.
#[derive(Debug, Clone)]
pub struct ExcludePolicy {
    patterns: Vec<String>,
    secret: Gitignore,
    secret_files: Gitignore,
    derived: Gitignore,
    stated: Gitignore,
}

/// Why a path is excluded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exclusion {
    /// May hold a secret, or is version control's or the engine's own state.
    Protected,
    /// Build output or somebody else's code.
    Derived,
    /// Excluded by a pattern of the caller.
    Stated,
}

/// A pattern that can't be read.
#[derive(Debug, thiserror::Error)]
#[error("exclude pattern {pattern:?}: {message}: use the syntax of .gitignore")]
pub struct PolicyError {
    /// The pattern as given.
    pub pattern: String,
    /// What is wrong with it.
    pub message: String,
}

impl ExcludePolicy {
    /// The built-in lists and nothing else, stated on purpose.
    pub fn built_in_only() -> ExcludePolicy {
        let none: [&str; 0] = [];
        ExcludePolicy::with_patterns(none).expect("an empty list of patterns can be read")
    }

    /// The built-in lists and `patterns`, in the syntax of `.gitignore`. Order and repeats don't matter, except that a
    /// negated pattern (`!keep`) is refused: exclusion only ever grows.
    pub fn with_patterns<P: AsRef<str>>(
        patterns: impl IntoIterator<Item = P>,
    ) -> Result<ExcludePolicy, PolicyError> {
        let mut stated: Vec<String> = patterns.into_iter().map(|p| normalise(p.as_ref())).collect();
        stated.retain(|p| !p.is_empty());
        stated.sort();
        stated.dedup();
        if let Some(negated) = stated.iter().find(|p| p.starts_with('!')) {
            return Err(PolicyError {
                pattern: negated.clone(),
                message: "a negated pattern would let a path in again".to_owned(),
            });
        }
        Ok(ExcludePolicy {
            secret: build(SECRET.iter().copied())?,
            secret_files: build(SECRET_FILES.iter().copied())?,
            derived: build(DERIVED.iter().copied())?,
            stated: build(stated.iter().map(String::as_str))?,
            patterns: stated,
        })
    }

    /// Why the path (relative, forward slashes) is excluded, or `None`. A path below an excluded folder is excluded.
    pub fn excludes(&self, path: &str, is_dir: bool) -> Option<Exclusion> {
        let hit = |list: &Gitignore| list.matched_path_or_any_parents(path, is_dir).is_ignore();
        let secret_file = !is_dir && self.secret_files.matched(path, false).is_ignore();
        if secret_file || hit(&self.secret) {
            Some(Exclusion::Protected)
        } else if hit(&self.derived) {
            Some(Exclusion::Derived)
        } else if hit(&self.stated) {
            Some(Exclusion::Stated)
        } else {
            None
        }
    }

    /// The stated patterns, sorted, each once.
    pub fn patterns(&self) -> &[String] {
        &self.patterns
    }

    /// SHA-256 over version and patterns, lower-case hex: two policies with one digest exclude the same paths.
    pub fn digest(&self) -> String {
        let mut hash = Sha256::new();
        hash.update(format!("sluice exclude policy {POLICY_VERSION}\n"));
        for pattern in SECRET
            .iter()
            .chain(SECRET_FILES)
            .chain(DERIVED)
            .copied()
            .chain(self.patterns.iter().map(String::as_str))
        {
            hash.update(pattern);
            hash.update("\n");
        }
        to_hex(&hash.finalize())
    }
}

/// Lets `./a` and `a\b` mean what their author meant.
fn normalise(pattern: &str) -> String {
    let pattern = pattern.trim().replace('\\', "/");
    pattern.strip_prefix("./").map_or(pattern.clone(), |rest| format!("/{rest}"))
}

/// Protection must not depend on letter case: `.ENV` on a file system that ignores case is `.env`.
fn build<'a>(patterns: impl Iterator<Item = &'a str>) -> Result<Gitignore, PolicyError> {
    let mut builder = GitignoreBuilder::new("");
    let fail = |pattern: &str, e: ignore::Error| PolicyError {
        pattern: pattern.to_owned(),
        message: e.to_string().to_lowercase(),
    };
    builder.case_insensitive(true).map_err(|e| fail("", e))?;
    for pattern in patterns {
        builder.add_line(None, pattern).map_err(|e| fail(pattern, e))?;
    }
    builder.build().map_err(|e| fail("", e))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(patterns: &[&str]) -> ExcludePolicy {
        ExcludePolicy::with_patterns(patterns).unwrap()
    }

    #[test]
    fn secrets_and_state_are_protected_whatever_is_stated() {
        let policy = policy(&[]);
        let protected = "
            .env app/.env.local APP/.ENV .env-prod .env_staging deploy/prod.env .envrc
            config/credentials.json auth.json home/.aws-backup/credentials client_secret_1.json
            acme-firebase-adminsdk-x1y2.json keys/my_service_account.json .dockercfg .dockerconfigjson .yarnrc.yml
            .vault_pass .vault_pass.txt .vault-password .vault-token
            kubeconfig ops/kubeconfig.yaml prod.kubeconfig
            infra/terraform.tfstate infra/terraform.tfstate.backup prod.tfvars prod.auto.tfvars prod.tfvars.json
            deploy/id_ed25519 id_rsa id_rsa.bak id_rsa_old id_dsa.1 id_ecdsa_sk ID_RSA id_rsa.pub.key
            certs/server.key certs/server.key.bak certs/server.pem certs/server.pem.old AuthKey_X1.p8
            release.asc secret.gpg a.keytab a.pkcs12
            .git/config .sluice/index.sqlite home/.ssh/config home/.ssh/id_rsa.pub
        ";
        for path in protected.split_whitespace() {
            assert_eq!(policy.excludes(path, false), Some(Exclusion::Protected), "{path}");
        }
        let free = "
            src/env.rs docs/environment.md src/tokens.rs auth/login.ts keys.ts deploy/id_rsa.pub id_ed25519.pub
            src/credentials/store.ts src/credentials.ts kubeconfig/load.go cmd/kubeconfig.go vault_pass.rs
            environment.ts src/key.ts src/pem.rs terraform/main.tf ascii.rs
        ";
        for path in free.split_whitespace() {
            assert_eq!(policy.excludes(path, false), None, "{path}");
        }
        assert_eq!(policy.excludes("src/credentials", true), None, "a folder of that name is program text");
    }

    #[test]
    fn build_output_is_excluded_as_a_folder_only() {
        let policy = policy(&[]);
        assert_eq!(policy.excludes("web/node_modules/a/index.js", false), Some(Exclusion::Derived));
        assert_eq!(policy.excludes("target/debug/x.rs", false), Some(Exclusion::Derived));
        assert_eq!(policy.excludes("src/target.rs", false), None);
    }

    #[test]
    fn a_question_mark_is_one_character() {
        let policy = policy(&["a?b.ts"]);
        assert_eq!(policy.excludes("axb.ts", false), Some(Exclusion::Stated));
        assert_eq!(policy.excludes("b.ts", false), None);
    }

    #[test]
    fn digest_ignores_order_and_repeats_and_sees_a_change() {
        assert_eq!(policy(&["b", "a", "a"]).digest(), policy(&["a", "b"]).digest());
        assert_ne!(policy(&["a"]).digest(), policy(&[]).digest());
    }

    #[test]
    fn a_negated_pattern_is_refused() {
        let error = ExcludePolicy::with_patterns(["!.env"]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "exclude pattern \"!.env\": a negated pattern would let a path in again: use the syntax of .gitignore"
        );
    }
}
