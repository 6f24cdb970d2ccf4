//! The redactor from outside: figures over generated text, and what must hold for any text.

mod figures;
mod forms;
mod lookalikes;
mod properties;
mod random;
mod secrets;
