//! `junit.xml`: a suite a feature, a case a criterion, for CI systems that read nothing else.
//!
//! JUnit knows red and not red, so it follows the exit code: a suite goes red where the declared state isn't supported, and
//! then every failing criterion with it. Whatever else isn't a pass is skipped, with the figures in its message.

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::view::{Section, View};
use crate::failure::Failure;

/// Renders the report.
///
/// # Errors
/// A bug: the report is always XML.
pub fn junit(view: &View) -> Result<String, Failure> {
    let mut report = Report::new("sluice-gate");
    for section in &view.sections {
        report.add_test_suite(suite(section));
    }
    report.to_string().map_err(|error| Failure::internal(format!("junit.xml: {error}")))
}

fn suite(section: &Section) -> TestSuite {
    let feature = &section.feature;
    let mut suite = TestSuite::new(feature.id.as_str());
    let mut status = if feature.supported {
        TestCaseStatus::success()
    } else {
        TestCaseStatus::non_success(NonSuccessKind::Failure)
    };
    if !feature.supported {
        let reasons: Vec<String> =
            feature.reasons.iter().map(|reason| format!("{}: {}", reason.code, reason.message)).collect();
        status.set_type(feature.verdict.as_str());
        status.set_message(section.headline.as_str());
        status.set_description(reasons.join("\n"));
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
            status.set_message(format!(
                "{}: change {}, bounds {}; {why}",
                row.outcome, row.delta, row.interval
            ));
        }
        suite.add_test_case(case(&row.id, &feature.id, status));
    }
    suite
}

fn case(name: &str, feature: &str, status: TestCaseStatus) -> TestCase {
    let mut case = TestCase::new(name, status);
    case.set_classname(format!("gate.{feature}"));
    case
}
