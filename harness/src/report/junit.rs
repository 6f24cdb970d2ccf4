//! `junit.xml`: a suite a feature, a case a criterion, for CI systems that read nothing else.
//!
//! JUnit knows red and not red, so it follows the exit code: the suite `gate` goes red with it, a feature's where the declared
//! state isn't supported, and then every failing criterion with it. Whatever else isn't a pass is skipped, with the figures in its message.

use adapters::cli::shown;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::view::{Section, View};
use crate::failure::Failure;
use crate::gate::document::Document;

/// Renders the report.
///
/// # Errors
/// A bug: the report is always XML.
pub fn junit(document: &Document, view: &View) -> Result<String, Failure> {
    let mut report = Report::new("sluice-gate");
    report.add_test_suite(result(document, view));
    for section in &view.sections {
        report.add_test_suite(suite(section));
    }
    report.to_string().map_err(|error| Failure::internal(format!("junit.xml: {error}")))
}

/// The gate's own answer: with `--feature` it isn't that of any declared state, and without features there is none of those.
fn result(document: &Document, view: &View) -> TestSuite {
    let mut status = if document.exit_code == 0 {
        TestCaseStatus::success()
    } else {
        TestCaseStatus::non_success(NonSuccessKind::Failure)
    };
    if document.exit_code != 0 {
        status.set_type(document.result.as_str());
        status.set_message(shown(&view.result));
    }
    let mut case = TestCase::new("result", status);
    case.set_classname("gate");
    let mut suite = TestSuite::new("gate");
    suite.add_test_case(case);
    suite
}

fn suite(section: &Section) -> TestSuite {
    let feature = &section.feature;
    let mut suite = TestSuite::new(shown(&feature.id));
    let mut status = if feature.supported {
        TestCaseStatus::success()
    } else {
        TestCaseStatus::non_success(NonSuccessKind::Failure)
    };
    if !feature.supported {
        let reasons: Vec<String> =
            feature.reasons.iter().map(|reason| format!("{}: {}", reason.code, reason.message)).collect();
        status.set_type(feature.verdict.as_str());
        status.set_message(shown(&section.headline));
        status.set_description(shown(&reasons.join("\n")));
    }
    suite.add_test_case(case("declared-state", &feature.id, status));
    for row in &section.rows {
        let mut status = match row.outcome.as_str() {
            "pass" => TestCaseStatus::success(),
            "fail" if !feature.supported => TestCaseStatus::non_success(NonSuccessKind::Failure),
            _ => TestCaseStatus::skipped(),
        };
        if row.outcome != "pass" {
            let why = row.reasons.join("; ");
            let told = format!("{}: change {}, bounds {}; {why}", row.outcome, row.delta, row.interval);
            status.set_message(shown(&told));
        }
        suite.add_test_case(case(&row.id, &feature.id, status));
    }
    suite
}

fn case(name: &str, feature: &str, status: TestCaseStatus) -> TestCase {
    let mut case = TestCase::new(shown(name), status);
    case.set_classname(shown(&format!("gate.{feature}")));
    case
}
