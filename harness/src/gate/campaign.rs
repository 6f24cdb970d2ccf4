//! From files to an answer: declarations, corpora and certificates read, evidence measured, features judged.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use jiff::civil::Date;

use super::certificate::{ArmEngine, CertifiedPack};
use super::document;
use super::evidence::{CorpusEvidence, Labels};
use super::facts::{attendance, facts, models, recorded_for_another, sessions};
use super::look::Look;
use super::paths::Paths;
use super::policy::{Policy, Section};
use super::progress::Progress;
use super::run::{Answer, Matter, Request, answer, selected};
use crate::corpus::{Corpus, Fault, reroll_account};
use crate::failure::Failure;
use crate::measure::{Campaign, REPEATS};
use crate::metric::MetricFrame;
use crate::metric::price::PricePack;
use crate::scenario::ScenarioSet;
use crate::variant::{Arms, Declared, Feature, FeatureSet, OpenEngine, VariantSet};

/// The declarations, read, and a date.
pub struct Session {
    pub(super) paths: Paths,
    pub(super) policy: Policy,
    pub(super) variants: VariantSet,
    pub(super) features: FeatureSet,
    scenarios: ScenarioSet,
    pub(super) as_of: Date,
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
                self.look(&Corpus::load(&folder)?.0, self.section(feature)?, feature)?
                    .record_again(&folder)?;
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

    fn look(&self, corpus: &Corpus, section: &Section, feature: &Feature) -> Result<Look, Failure> {
        let look = Look::at(corpus, &section.sha256, &feature.id, &self.as_of.to_string());
        Ok(look.at_prices(section.prices_sha256(&self.paths.scenarios)?))
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

    fn section(&self, feature: &Feature) -> Result<&Section, Failure> {
        self.policy.sections.get(&feature.id).ok_or_else(|| {
            Failure::usage(format!(
                "{}: feature.{}: no section: pre-register what it must show",
                self.paths.policy.display(),
                feature.id
            ))
        })
    }

    /// Reads, checks, measures and replays one corpus.
    pub(super) fn evidence(
        &self,
        folder: &Path,
        feature: &Feature,
        graders: bool,
        progress: &Progress,
    ) -> Result<CorpusEvidence, Failure> {
        let (corpus, load_faults) = Corpus::load(folder)?;
        let section = self.section(feature)?;
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
        let prices = PricePack::load(&section.price_pack(&self.paths.scenarios))?;
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
        let look = self.look(corpus, section, feature)?;
        let looks = look.compare(&corpus.folder)?;
        measured.faults.extend(looks.faults);
        measured.faults.extend(recorded_for_another(corpus, feature));
        measured.faults.sort();
        let determinism = document::Determinism {
            repeats: measured.determinism.repeats as usize,
            requests: measured.determinism.requests,
            plans: measured.determinism.identical + measured.determinism.failed,
            identical: measured.determinism.identical,
        };
        // Each looks through all rows.
        let ((facts, attendance), ((rerolls, sessions), (models, stale_prices))) = rayon::join(
            || (facts(corpus, measured.graders.as_ref()), attendance(corpus, arms)),
            || {
                rayon::join(
                    || (reroll_account(corpus, arms), sessions(corpus)),
                    || (models(corpus, &arms.candidate), self.stale_prices(corpus, &prices, section)),
                )
            },
        );
        Ok(CorpusEvidence {
            facts,
            feature: feature.id.clone(),
            labels: self.labels(corpus),
            looks: looks.taken,
            attendance,
            rerolls,
            scenarios: corpus.manifest.schedule.scenarios.clone(),
            repetitions: corpus.manifest.schedule.repetitions,
            sessions,
            tier: corpus.manifest.tier,
            frame: measured.frame,
            faults: measured.faults,
            stale_prices,
            models,
            packs: look
                .prices_sha256
                .map(|sha256| CertifiedPack { name: prices.id.clone(), sha256 })
                .into_iter()
                .collect(),
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

    /// Judges what was measured, on a day.
    pub(super) fn judge(
        &self,
        corpora: &[CorpusEvidence],
        request: &Request,
        as_of: Date,
    ) -> Result<Answer, Failure> {
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
