//! Statistics, criteria and verdicts on plain slices.
