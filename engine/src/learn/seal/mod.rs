//! What a learned model needs before its order may count: a certificate of its promotion, for exactly this model, this
//! engine and this configuration, in force and not revoked.
//!
//! [`Sealed`] is the only way to an active ranking, and [`Sealed::verify`] the only way to a [`Sealed`]. Everything else
//! keeps the static order, for the reason that [`SealError::code`] names. Runs that are to become evidence need the model's
//! order before any promotion can exist: they are made under a [`Trial`](super::Trial), never under a seal.
//!
//! A seal guards against what goes wrong unnoticed: another model, another engine, an expired or revoked promotion, a
//! promotion on evidence of too low a tier, damage. A certificate's name is its own hash and no signature: whoever may write
//! it may also write another. That the evidence gives this certificate is shown by making it again from the evidence
//! (`harness cert verify`), before it is shipped.

mod certificate;
mod day;
mod revocation;
mod sealed;

pub use certificate::{
    CERTIFICATE_SCHEMA, Certificate, CertificateError, CertifiedBounds, CertifiedCorpus, CertifiedPack,
};
pub use day::{Day, DayError};
pub use revocation::{REVOCATION_SCHEMA, Revocation, RevocationError, Revocations};
pub use sealed::{Ground, LEARNED_RANKER, SealError, Sealed};
