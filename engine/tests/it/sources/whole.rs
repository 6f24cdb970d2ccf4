mod store;
#[path = "odd/place.rs"]
mod placed;
use crate::store::{Open, inner::{self, Deep as D}};
pub use other_crate::thing;
const LIMIT: usize = 1;
static NAME: &str = "x";
/// Doc.
#[derive(Debug)]
pub struct Point<T> { x: T }
pub enum Kind { A, B }
union U { a: u8 }
pub trait Area { type Out; fn area(&self) -> Self::Out; fn twice(&self) { helper::<u8>(); } }
impl<T> Point<T> {
    pub const fn new(x: T) -> Self { Point { x } }
}
impl Area for Kind {
    type Out = f64;
    fn area(&self) -> f64 { measure(Open::wide()).max(0.0) }
}
pub unsafe extern "C" fn raw() {}
macro_rules! twice { ($x:expr) => { $x; $x }; }
mod nested { use super::Point; pub fn deep() { fn local() {} println!(); } }
type Alias = Point<u8>;
