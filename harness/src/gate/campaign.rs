//! From files to an answer: declarations, corpora and certificates read, evidence measured, features judged.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use engine::learn::SHIPPED_ARTIFACT;
use engine::learn::seal::{Ground, Revocations, SealError, Sealed};
use engine::message::sha256_hex;
use indicatif::{ProgressBar, ProgressStyle};
use jiff::civil::Date;

use super::certificate::{self, ArmEngine, Certificate, CertifiedPack};
use super::document;
use super::evidence::{CorpusEvidence, Labels};
use super::look::Look;
use super::policy::{Policy, Section};
use super::revocation;
use super::run::{Answer, Matter, Request, answer, selected};
use crate::corpus::{Corpus, Fault, FaultCode, Row, Scope, reroll_account};
use crate::failure::{Failure, read_bytes, read_text};
use crate::measure::{Campaign, REPEATS, Regraded};
use crate::metric::MetricFrame;
use crate::metric::price::PricePack;
use crate::qualify::asked;
use crate::scenario::ScenarioSet;
use crate::variant::{Arms, Declared, Feature, FeatureSet, OpenEngine, VariantSet};
use crate::workspace::WorkspaceRoot;

/// Where everything lies.
#[derive(Debug, Clone)]
pub struct Paths {
    /// The pre-registered policy.
    pub policy: PathBuf,
    /// Declared features.
    pub features: PathBuf,
    /// Declared variants.
    pub variants: PathBuf,
    /// Tasks, fixtures and price packs.
    pub scenarios: PathBuf,
    /// Folder of the corpora that features name.
    pub corpora: PathBuf,
    /// Corpora named instead.
    pub named: Vec<PathBuf>,
    /// Folder of certificates.
    pub certificates: PathBuf,
}

impl Paths {
    /// The defaults of a project.
    pub fn of(root: &WorkspaceRoot) -> Paths {
        let scenarios = root.scenarios();
        Paths {
            policy: scenarios.join("gate.toml"),
            features: scenarios.join("features.toml"),
            variants: scenarios.join("variants.toml"),
            scenarios,
            corpora: root.corpora(),
            named: Vec::new(),
            certificates: root.certificates(),
        }
    }
}

/// A line on standard error saying what goes on; silent where that isn't a terminal.
#[derive(Debug)]
pub struct Progress(ProgressBar);

impl Progress {
    /// A line that shows only where `visible`.
    pub fn new(visible: bool) -> Progress {
        if !visible {
            return Progress(ProgressBar::hidden());
        }
        let bar = ProgressBar::new_spinner();
        bar.set_style(ProgressStyle::default_spinner());
        bar.enable_steady_tick(Duration::from_millis(120));
        Progress(bar)
    }

    fn step(&self, what: String) {
        self.0.set_message(what);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// The declarations, read, and a date.
pub struct Session {
    paths: Paths,
    policy: Policy,
    variants: VariantSet,
    features: FeatureSet,
    scenarios: ScenarioSet,
    as_of: Date,
    engines: Box<dyn OpenEngine + Send>,
}

/// What is asked of a session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Asked<'a> {
    /// One feature instead of all.
    pub feature: Option<&'a str>,
    /// Whether that feature is to be promoted.
    pub promoting: bool,
    /// Whether the graders are run again; a promotion runs them in any case.
    pub graders: bool,
}

/// What became of a certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CertificateState {
    /// The evidence gives the same certificate.
    Valid,
    /// It doesn't count (any more): expired, of another engine or policy, or without its evidence at hand.
    Void(String),
    /// The evidence is at hand and doesn't give it.
    Refuted(String),
}

/// A certificate that was looked into.
#[derive(Debug, Clone, PartialEq)]
pub struct Verified {
    /// What it says.
    pub certificate: Certificate,
    /// What became of it.
    pub state: CertificateState,
    /// Whether it seals the shipped model, or why not; none for a certificate without a model, and for one that doesn't count.
    pub seal: Option<Result<(), SealError>>,
}

impl CertificateState {
    /// `valid`, `void` or `refuted`.
    pub fn word(&self) -> &'static str {
        match self {
            CertificateState::Valid => "valid",
            CertificateState::Void(_) => "void",
            CertificateState::Refuted(_) => "refuted",
        }
    }

    /// Why, in one line.
    pub fn why(&self) -> &str {
        match self {
            CertificateState::Valid => "the evidence gives the same certificate",
            CertificateState::Void(why) | CertificateState::Refuted(why) => why,
        }
    }
}

impl Session {
    /// Reads the declarations.
    ///
    /// # Errors
    /// 64 for what a declaration may not say, 74 for what can't be read.
    pub fn open(paths: &Paths, as_of: Date) -> Result<Session, Failure> {
        let policy = Policy::load(&paths.policy)?;
        let variants = VariantSet::load(&paths.variants)?;
        let features = FeatureSet::load(&paths.features, &variants)?;
        let scenarios = ScenarioSet::load(&paths.scenarios)?;
        let engines = Box::new(Declared);
        Ok(Session { paths: paths.clone(), policy, variants, features, scenarios, as_of, engines })
    }

    /// The same with other engines than the declared ones in the replay.
    #[must_use]
    pub fn with_engines(self, engines: Box<dyn OpenEngine + Send>) -> Session {
        Session { engines, ..self }
    }

    /// Measures and judges: the answer, and what `beside` makes of the values behind it meanwhile. Runs on the current rayon
    /// pool; neither depends on its size.
    ///
    /// # Errors
    /// 64 for an unknown feature, 65 for a folder that is no corpus, 74 for what can't be read.
    pub fn answer<T: Send>(
        &self,
        asked: Asked<'_>,
        progress: &Progress,
        beside: impl FnOnce(&MetricFrame) -> T + Send,
    ) -> Result<(Answer, T), Failure> {
        let Asked { feature, promoting, graders } = asked;
        let mut request =
            Request { selected: feature.map(str::to_owned), promoting, certified: BTreeMap::new() };
        let mut evidence = Vec::new();
        for (folder, feature) in self.sources(&request)? {
            evidence.push(self.evidence(&folder, feature, graders || promoting, progress)?);
            if promoting {
                self.look(&Corpus::load(&folder)?.0, feature).record_again(&folder)?;
            }
        }
        progress.step("judging".to_owned());
        let values = match &evidence[..] {
            [only] => Cow::Borrowed(&only.frame),
            several => {
                let frames = several.iter().map(|corpus| corpus.frame.clone());
                Cow::Owned(frames.reduce(MetricFrame::join).unwrap_or_default())
            }
        };
        let (judged, told) = rayon::join(|| self.judge(&evidence, &request, self.as_of), || beside(&values));
        let mut answer = judged?;
        for feature in &answer.certifiable {
            if let Some(name) = self.certified(feature, progress)? {
                request.certified.insert(feature.clone(), name);
            }
        }
        if !request.certified.is_empty() {
            answer = self.judge(&evidence, &request, self.as_of)?;
        }
        Ok((answer, told))
    }

    fn look(&self, corpus: &Corpus, feature: &Feature) -> Look {
        let policy = self.policy.sections.get(&feature.id).map(|section| section.sha256.as_str());
        Look::at(corpus, policy.unwrap_or_default(), &feature.id, &self.as_of.to_string())
    }

    /// Makes a certificate again from the evidence it names and compares; where it counts and is of a learned model, the
    /// model that ships is sealed with it.
    ///
    /// # Errors
    /// 65 for an altered certificate, 74 for what can't be read.
    pub fn verify(&self, file: &Path, progress: &Progress) -> Result<Verified, Failure> {
        let text = read_text(file)?;
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let certificate = certificate::open(&name, &text)?;
        let beside = file.parent().unwrap_or(Path::new(""));
        let mut revoked = None;
        for folder in [beside, self.paths.certificates.as_path()] {
            revoked = revoked.or(revocation::told(&revocation::load(folder)?, &name));
        }
        let state = match revoked {
            Some(why) => CertificateState::Void(why),
            None => self.recompute(&certificate, &name, progress)?,
        };
        let of_a_model = state == CertificateState::Valid && certificate.model_artifact_sha256.is_some();
        let seal = if of_a_model { Some(self.seal(&certificate, (&name, &text))?) } else { None };
        Ok(Verified { certificate, state, seal })
    }

    /// Seals the shipped model with a certificate that counts, in the candidate's own configuration.
    fn seal(&self, certificate: &Certificate, file: (&str, &str)) -> Result<Result<(), SealError>, Failure> {
        let ground = Ground {
            configuration: &certificate.configuration,
            as_of: certificate::today(self.as_of)?,
            revocations: &Revocations::default(),
        };
        Ok(Sealed::verify(SHIPPED_ARTIFACT, file, &ground).map(|_| ()))
    }

    fn recompute(
        &self,
        certificate: &Certificate,
        name: &str,
        progress: &Progress,
    ) -> Result<CertificateState, Failure> {
        let void = |why: &str| Ok(CertificateState::Void(why.to_owned()));
        let feature = self.features.get(&certificate.feature);
        let section = self.policy.sections.get(&certificate.feature);
        let (Some(feature), Some(section)) = (feature, section) else {
            return void("its feature isn't declared any more");
        };
        let Some(arms) = &feature.arms else { return void("its feature has no arms any more") };
        let Some(candidate) = self.variants.get(&arms.candidate) else {
            return void("its candidate isn't declared any more");
        };
        let engine = ArmEngine::of(candidate);
        if let Some(why) = certificate::refusal(certificate, section, &engine, self.as_of)? {
            return void(&why);
        }
        let mut evidence = Vec::new();
        for certified in &certificate.corpora {
            let Some(folder) = self.corpus_by_hash(&certified.sha256)? else {
                return Ok(CertificateState::Void(format!(
                    "corpus {} ({}) isn't at hand",
                    certified.name, certified.sha256
                )));
            };
            evidence.push(self.evidence(&folder, feature, true, progress)?);
        }
        let issued = certificate.issued.parse::<Date>().map_err(|error| {
            Failure::bad_data(format!("certificate {name}: issued \"{}\": {error}", certificate.issued))
        })?;
        let request =
            Request { selected: Some(feature.id.clone()), promoting: true, certified: BTreeMap::new() };
        let answer = self.judge(&evidence, &request, issued)?;
        Ok(match answer.certificate {
            None => CertificateState::Refuted(format!("its evidence gives {}", answer.document.result)),
            Some(again) if again.to_file().0 == name => CertificateState::Valid,
            Some(_) => CertificateState::Refuted("its evidence gives another certificate".to_owned()),
        })
    }

    /// The name of a certificate that counts for a feature, the first by name.
    fn certified(&self, feature: &str, progress: &Progress) -> Result<Option<String>, Failure> {
        let revoked = revocation::load(&self.paths.certificates)?;
        for file in json_files(&self.paths.certificates)? {
            let text = read_text(&file)?;
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let Ok(certificate) = certificate::open(&name, &text) else { continue };
            if certificate.feature == feature
                && revoked.of(&name).is_none()
                && self.recompute(&certificate, &name, progress)? == CertificateState::Valid
            {
                return Ok(Some(name));
            }
        }
        Ok(None)
    }

    fn corpus_by_hash(&self, sha256: &str) -> Result<Option<PathBuf>, Failure> {
        let mut folders: BTreeSet<PathBuf> = self.paths.named.iter().cloned().collect();
        folders.extend(subfolders(&self.paths.corpora)?);
        for folder in folders.into_iter().filter(|folder| folder.join("corpus.toml").is_file()) {
            if Corpus::load(&folder)?.0.sha256 == sha256 {
                return Ok(Some(folder));
            }
        }
        Ok(None)
    }

    /// Corpus folders to read and the feature each is evidence for.
    fn sources(&self, request: &Request) -> Result<Vec<(PathBuf, &Feature)>, Failure> {
        let judged = selected(&self.features, request)?;
        let mut sources = Vec::new();
        if self.paths.named.is_empty() {
            for feature in judged.iter().filter(|feature| feature.arms.is_some()) {
                sources.extend(feature.corpora.iter().map(|name| (self.paths.corpora.join(name), *feature)));
            }
            return Ok(sources);
        }
        for folder in &self.paths.named {
            let (corpus, _) = Corpus::load(folder)?;
            let recorded_for = &corpus.manifest.feature;
            match self.features.get(recorded_for) {
                Some(feature) if judged.iter().any(|judged| judged.id == feature.id) => {
                    sources.push((folder.clone(), feature));
                }
                Some(_) => {}
                None => {
                    return Err(Failure::usage(format!(
                        "{}: recorded for feature {recorded_for}, which {} doesn't declare",
                        folder.display(),
                        self.paths.features.display()
                    )));
                }
            }
        }
        Ok(sources)
    }

    /// Reads, checks, measures and replays one corpus.
    fn evidence(
        &self,
        folder: &Path,
        feature: &Feature,
        graders: bool,
        progress: &Progress,
    ) -> Result<CorpusEvidence, Failure> {
        let (corpus, load_faults) = Corpus::load(folder)?;
        let section = self.policy.sections.get(&feature.id).ok_or_else(|| {
            Failure::usage(format!(
                "{}: feature.{}: no section: pre-register what it must show",
                self.paths.policy.display(),
                feature.id
            ))
        })?;
        let arms = feature.arms.as_ref().ok_or_else(|| {
            Failure::usage(format!("feature {}: no arms: declare them or name no corpus", feature.id))
        })?;
        progress.step(format!("corpus {}: {} runs", corpus.manifest.name, corpus.rows.len()));
        self.measure((&corpus, &load_faults), feature, arms, (section, graders))
    }

    fn measure(
        &self,
        (corpus, load_faults): (&Corpus, &[Fault]),
        feature: &Feature,
        arms: &Arms,
        (section, graders): (&Section, bool),
    ) -> Result<CorpusEvidence, Failure> {
        let pack_path = self.paths.scenarios.join("packs").join(format!("{}.toml", section.prices));
        let prices = PricePack::load(&pack_path)?;
        let campaign = Campaign {
            corpus,
            load_faults,
            scenarios: &self.scenarios,
            variants: &self.variants,
            prices: Some(&prices),
            repeats: REPEATS,
            graders,
            engines: &*self.engines,
        };
        let mut measured = campaign.measure(feature, arms, Some(&section.sha256))?;
        let looks = self.look(corpus, feature).compare(&corpus.folder)?;
        measured.faults.extend(looks.faults);
        measured.faults.extend(recorded_for_another(corpus, feature));
        measured.faults.sort();
        let pack = read_bytes(&pack_path)?;
        let determinism = document::Determinism {
            repeats: measured.determinism.repeats as usize,
            requests: measured.determinism.requests,
            plans: measured.determinism.identical + measured.determinism.failed,
            identical: measured.determinism.identical,
        };
        Ok(CorpusEvidence {
            facts: facts(corpus, measured.graders.as_ref()),
            feature: feature.id.clone(),
            labels: self.labels(corpus),
            looks: looks.taken,
            attendance: attendance(corpus, arms),
            rerolls: reroll_account(corpus, arms),
            scenarios: corpus.manifest.schedule.scenarios.clone(),
            repetitions: corpus.manifest.schedule.repetitions,
            sessions: sessions(corpus),
            tier: corpus.manifest.tier,
            frame: measured.frame,
            faults: measured.faults,
            stale_prices: self.stale_prices(corpus, &prices, section),
            models: models(corpus, &arms.candidate),
            packs: vec![CertifiedPack { name: prices.id.clone(), sha256: sha256_hex(&pack) }],
            determinism,
            orders: measured.orders,
        })
    }

    fn labels(&self, corpus: &Corpus) -> BTreeMap<String, Labels> {
        let of = |id: &String| {
            let scenario = self.scenarios.get(id)?;
            let (language, kind) = (scenario.language.name().to_owned(), scenario.kind.name().to_owned());
            Some((id.clone(), Labels { language, kind }))
        };
        corpus.manifest.schedule.scenarios.iter().filter_map(of).collect()
    }

    /// Why the pack's costs don't count at the gate's date, if they don't.
    fn stale_prices(&self, corpus: &Corpus, prices: &PricePack, section: &Section) -> Option<String> {
        let age = self.as_of.since(prices.checked_on).map_or(i32::MAX, |span| span.get_days());
        if age > i32::try_from(section.prices_days).unwrap_or(i32::MAX) {
            return Some(format!("price pack {} was checked on {}", prices.id, prices.checked_on));
        }
        let models: BTreeSet<(&str, &str)> = corpus
            .rows
            .values()
            .filter_map(|row| row.result())
            .map(|recorded| (&*recorded.provider, &*recorded.model))
            .collect();
        let unpriced =
            models.into_iter().find(|(provider, model)| prices.price(provider, model, self.as_of).is_none());
        unpriced.map(|(provider, model)| {
            format!("price pack {} has no price of {provider}/{model} in force on {}", prices.id, self.as_of)
        })
    }

    fn judge(&self, corpora: &[CorpusEvidence], request: &Request, as_of: Date) -> Result<Answer, Failure> {
        let engines: BTreeMap<String, ArmEngine> =
            self.variants.iter().map(|variant| (variant.id.clone(), ArmEngine::of(variant))).collect();
        let matter = Matter {
            features: &self.features,
            policy: &self.policy,
            corpora,
            engine_digest: engine::ENGINE_SOURCES_SHA256,
            engines: &engines,
            as_of,
        };
        answer(matter, request)
    }
}

/// A campaign shows what its runs show to every feature whose arms it has, but it was registered for one alone.
fn recorded_for_another(corpus: &Corpus, feature: &Feature) -> Option<Fault> {
    let registered = &corpus.manifest.feature;
    (*registered != feature.id).then(|| {
        let message =
            format!("the campaign was recorded for feature {registered}: record one for {}", feature.id);
        Fault::new(FaultCode::NotPreregistered, Scope::default(), message)
    })
}

/// Hashes of the sessions that the rows name; one that is no hash is told where the session is read.
fn sessions(corpus: &Corpus) -> Vec<u128> {
    let half = |row: &Row| u128::from_str_radix(row.result()?.sha256.get(..32)?, 16).ok();
    corpus.rows.values().filter_map(half).collect()
}

/// Learned models that an arm's rows name.
fn models(corpus: &Corpus, arm: &str) -> BTreeSet<String> {
    corpus
        .of_variant(arm)
        .filter_map(|row| row.result()?.model_artifact_sha256.as_deref().map(str::to_owned))
        .collect()
}

fn attendance(corpus: &Corpus, arms: &Arms) -> Vec<document::Attendance> {
    let schedule = &corpus.manifest.schedule;
    let of = |arm: &str| {
        let runs = schedule.scenarios.len() * schedule.repetitions as usize;
        let scheduled = if schedule.variants.contains(arm) { runs } else { 0 };
        let present = corpus.of_variant(arm).filter(|row| counts(corpus, row)).count();
        document::Attendance { arm: arm.to_owned(), scheduled, missing: scheduled - present }
    };
    arms.all().map(of).to_vec()
}

/// Whether a row is of a scheduled run that has a result.
fn counts(corpus: &Corpus, row: &Row) -> bool {
    row.result().is_some() && corpus.manifest.schedule.contains(&row.key)
}

fn facts(corpus: &Corpus, graders: Option<&Regraded>) -> document::Corpus {
    let schedule = &corpus.manifest.schedule;
    let scheduled = schedule.runs();
    let present = corpus.rows.values().filter(|row| counts(corpus, row)).count();
    let mut tiers: BTreeSet<String> =
        corpus.rows.values().filter_map(|row| row.result()).map(|row| row.tier.to_string()).collect();
    tiers.insert(corpus.manifest.tier.as_str().to_owned());
    document::Corpus {
        name: corpus.manifest.name.clone(),
        sha256: corpus.sha256.clone(),
        runs: scheduled,
        missing: scheduled - present,
        scenarios: schedule.scenarios.len(),
        tiers: tiers.into_iter().collect(),
        graders: document::Graders {
            run_again: graders.is_some(),
            checked: graders.map_or(0, |regraded| regraded.checked),
            skipped: graders
                .map_or(0, |regraded| regraded.skipped.values().map(|runs| u64::from(*runs)).sum()),
            asked: asked(corpus),
        },
    }
}

/// JSON files of a folder, sorted; none where the folder isn't there.
fn json_files(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut files = entries(folder)?;
    files.retain(|path| path.extension().is_some_and(|extension| extension == "json") && path.is_file());
    Ok(files)
}

fn subfolders(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut folders = entries(folder)?;
    folders.retain(|path| path.is_dir());
    Ok(folders)
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let failed = |error: std::io::Error| Failure::io(folder, &error);
    let mut paths = fs::read_dir(folder)
        .map_err(failed)?
        .map(|entry| entry.map(|entry| entry.path()).map_err(failed))
        .collect::<Result<Vec<_>, _>>()?;
    paths.sort();
    Ok(paths)
}
