//! Criterion kernels and the macro suite; see `benches/`.
