//! The redactor.

use engine::privacy::mask_secrets;

/// Masking keeps lines, places its findings in the text, and masks nothing more the second time.
///
/// # Panics
/// Where one of these doesn't hold.
pub fn mask(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let masked = mask_secrets(&text);
    let mut end = 0;
    for finding in &masked.findings {
        assert!(
            end <= finding.range.start && finding.range.start < finding.range.end,
            "findings are disjoint, in order"
        );
        assert!(text.get(finding.range.clone()).is_some(), "findings lie on character boundaries");
        end = finding.range.end;
    }
    assert_eq!(masked.text.matches('\n').count(), text.matches('\n').count(), "lines stay");
    let again = mask_secrets(&masked.text);
    assert_eq!(again.text, masked.text, "masking is idempotent");
}
