//! JSON values that keep the order of their members.
//!
//! Models write tool arguments in an order of their own, and that order is what the provider is billed for and caches.
//! `serde_json::Value` sorts members (or not, depending on a feature another crate may switch on), so the engine has a
//! value type with one meaning everywhere.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Number;

/// A JSON value whose objects keep their members in source order. A repeated name keeps every occurrence; lookup takes
/// the last one, as JSON readers of agents do.
///
/// Text without escapes is borrowed from the source: session logs are mostly long strings, and most of them are looked
/// at once. [`Json::into_owned`] cuts the tie.
#[derive(Debug, Clone, PartialEq)]
pub enum Json<'j> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, as precise as 64-bit integers and doubles are.
    Number(Number),
    /// A string.
    String(Cow<'j, str>),
    /// An array.
    Array(Vec<Json<'j>>),
    /// An object.
    Object(Vec<(Cow<'j, str>, Json<'j>)>),
}

impl<'j> Json<'j> {
    /// Member of an object by name; `None` where absent or where this is no object.
    pub fn get(&self, name: &str) -> Option<&Json<'j>> {
        match self {
            Json::Object(members) => {
                members.iter().rev().find(|(member, _)| member == name).map(|(_, value)| value)
            }
            _ => None,
        }
    }

    /// The string, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Json::String(text) => Some(text),
            _ => None,
        }
    }

    /// A string member.
    pub fn str_at(&self, name: &str) -> Option<&str> {
        self.get(name).and_then(Json::as_str)
    }

    /// The elements, if it is an array.
    pub fn as_array(&self) -> Option<&[Json<'j>]> {
        match self {
            Json::Array(items) => Some(items),
            _ => None,
        }
    }

    /// The members in source order, if it is an object.
    pub fn as_object(&self) -> Option<&[(Cow<'j, str>, Json<'j>)]> {
        match self {
            Json::Object(members) => Some(members),
            _ => None,
        }
    }

    /// Whether it is `true`.
    pub fn is_true(&self) -> bool {
        matches!(self, Json::Bool(true))
    }

    /// A count: a non-negative number, a fraction rounded down. `None` for anything else.
    pub fn as_count(&self) -> Option<u64> {
        let Json::Number(number) = self else { return None };
        number.as_u64().or_else(|| number.as_f64().filter(|n| *n >= 0.0 && *n < 9e15).map(|n| n as u64))
    }

    /// A number as a double.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Json::Number(number) => number.as_f64(),
            _ => None,
        }
    }

    /// The same value in `serde_json`'s type; of a repeated name the last occurrence stays.
    pub fn to_value(&self) -> serde_json::Value {
        match self {
            Json::Null => serde_json::Value::Null,
            Json::Bool(value) => serde_json::Value::Bool(*value),
            Json::Number(number) => serde_json::Value::Number(number.clone()),
            Json::String(text) => serde_json::Value::String(text.clone().into_owned()),
            Json::Array(items) => serde_json::Value::Array(items.iter().map(Json::to_value).collect()),
            Json::Object(members) => serde_json::Value::Object(
                members.iter().map(|(name, value)| (name.clone().into_owned(), value.to_value())).collect(),
            ),
        }
    }

    /// The same value with a copy of all of its text.
    pub fn into_owned(self) -> Json<'static> {
        match self {
            Json::Null => Json::Null,
            Json::Bool(value) => Json::Bool(value),
            Json::Number(number) => Json::Number(number),
            Json::String(text) => Json::String(Cow::Owned(text.into_owned())),
            Json::Array(items) => Json::Array(items.into_iter().map(Json::into_owned).collect()),
            Json::Object(members) => Json::Object(
                members
                    .into_iter()
                    .map(|(name, value)| (Cow::Owned(name.into_owned()), value.into_owned()))
                    .collect(),
            ),
        }
    }

    /// Compact JSON text in source order, with numbers written as ECMAScript's `JSON.stringify` writes them. The one
    /// difference: an integer beyond 2^53 keeps its digits, where ECMAScript would have rounded it when reading.
    pub fn to_source_order(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) {
        match self {
            Json::Null => out.push_str("null"),
            Json::Bool(true) => out.push_str("true"),
            Json::Bool(false) => out.push_str("false"),
            Json::Number(number) => write_number(number, out),
            Json::String(text) => write_string(text, out),
            Json::Array(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    item.write(out);
                }
                out.push(']');
            }
            Json::Object(members) => {
                out.push('{');
                for (index, (name, value)) in members.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    write_string(name, out);
                    out.push(':');
                    value.write(out);
                }
                out.push('}');
            }
        }
    }
}

/// Integers of 64 bits are written as they are; doubles as ECMA-262 `Number::toString` (radix 10) writes them.
pub(super) fn write_number(number: &Number, out: &mut String) {
    use std::fmt::Write as _;
    match number.as_f64().filter(|_| number.is_f64()) {
        Some(value) => write_double(value, out),
        None => write!(out, "{number}").expect("writing to a string can't fail"),
    }
}

/// ECMA-262, `Number::toString`, for a finite double: the fewest digits that read back as the same double, plain
/// between 1e-6 and 1e21 and with an exponent outside.
fn write_double(value: f64, out: &mut String) {
    if value == 0.0 {
        out.push('0');
        return;
    }
    let scientific = format!("{:e}", value.abs());
    let (mantissa, exponent) = scientific.split_once('e').expect("this form has an exponent");
    let digits = mantissa.replace('.', "");
    let exponent: i32 = exponent.parse().expect("an exponent is a small integer");
    if value < 0.0 {
        out.push('-');
    }
    let (count, before_point) = (digits.len() as i32, exponent + 1);
    let zeros = |n: i32| std::iter::repeat_n('0', n.max(0) as usize);
    match before_point {
        22.. | ..=-6 => {
            out.push_str(mantissa);
            let sign = if exponent < 0 { '-' } else { '+' };
            out.extend(['e', sign]);
            out.push_str(&exponent.unsigned_abs().to_string());
        }
        ..=0 => {
            out.push_str("0.");
            out.extend(zeros(-before_point));
            out.push_str(&digits);
        }
        _ if count <= before_point => {
            out.push_str(&digits);
            out.extend(zeros(before_point - count));
        }
        _ => {
            let (whole, fraction) = digits.split_at(before_point as usize);
            out.extend([whole, ".", fraction]);
        }
    }
}

pub(super) fn write_string(text: &str, out: &mut String) {
    use std::fmt::Write as _;
    out.push('"');
    // What stands between two characters that need an escape is copied at once; these are one byte each.
    let mut rest = text;
    while let Some(at) = rest.bytes().position(|byte| byte < 0x20 || byte == b'"' || byte == b'\\') {
        out.push_str(&rest[..at]);
        match rest.as_bytes()[at] {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            0x08 => out.push_str("\\b"),
            0x0c => out.push_str("\\f"),
            byte => write!(out, "\\u{byte:04x}").expect("writing to a string can't fail"),
        }
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
    out.push('"');
}

impl<'de> Deserialize<'de> for Json<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Json<'de>, D::Error> {
        deserializer.deserialize_any(JsonVisitor)
    }
}

struct JsonVisitor;

impl<'de> Visitor<'de> for JsonVisitor {
    type Value = Json<'de>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Json<'de>, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json<'de>, E> {
        Ok(Json::Bool(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json<'de>, E> {
        Ok(Json::Number(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json<'de>, E> {
        Ok(Json::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json<'de>, E> {
        Ok(Number::from_f64(value).map_or(Json::Null, Json::Number))
    }

    fn visit_borrowed_str<E>(self, value: &'de str) -> Result<Json<'de>, E> {
        Ok(Json::String(Cow::Borrowed(value)))
    }

    fn visit_str<E>(self, value: &str) -> Result<Json<'de>, E> {
        Ok(Json::String(Cow::Owned(value.to_owned())))
    }

    fn visit_string<E>(self, value: String) -> Result<Json<'de>, E> {
        Ok(Json::String(Cow::Owned(value)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Json<'de>, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element()? {
            items.push(item);
        }
        Ok(Json::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Json<'de>, A::Error> {
        let mut members = Vec::new();
        while let Some((Name(name), value)) = access.next_entry()? {
            members.push((name, value));
        }
        Ok(Json::Object(members))
    }
}

/// Name of a member: borrowed where the source has no escape in it (serde's own `Cow` always copies).
pub(super) struct Name<'de>(pub(super) Cow<'de, str>);

impl<'de> Deserialize<'de> for Name<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Name<'de>, D::Error> {
        deserializer.deserialize_str(NameVisitor)
    }
}

struct NameVisitor;

impl<'de> Visitor<'de> for NameVisitor {
    type Value = Name<'de>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a member's name")
    }

    fn visit_borrowed_str<E>(self, value: &'de str) -> Result<Name<'de>, E> {
        Ok(Name(Cow::Borrowed(value)))
    }

    fn visit_str<E>(self, value: &str) -> Result<Name<'de>, E> {
        Ok(Name(Cow::Owned(value.to_owned())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn source_order_stays_and_numbers_are_written_as_agents_write_them() {
        let json: Json =
            serde_json::from_str(r#"{"b": 1.0, "a": [0.5, "\u0001\u2028é"], "b2": -0}"#).unwrap();
        assert_eq!(json.to_source_order(), "{\"b\":1,\"a\":[0.5,\"\\u0001\u{2028}é\"],\"b2\":0}");
    }

    #[test]
    fn numbers_are_written_as_ecmascript_writes_them() {
        let cases = [
            ("1e21", "1e+21"),
            ("123456789012345680000.0", "123456789012345680000"),
            ("1e15", "1000000000000000"),
            ("0.000001", "0.000001"),
            ("1.5e-7", "1.5e-7"),
            ("-0.00012", "-0.00012"),
            ("-12.50", "-12.5"),
            ("5e-324", "5e-324"),
            ("1.7976931348623157e308", "1.7976931348623157e+308"),
            ("18446744073709551615", "18446744073709551615"),
            ("18446744073709551616", "18446744073709552000"),
        ];
        for (source, written) in cases {
            let json: Json = serde_json::from_str(source).unwrap();
            assert_eq!(json.to_source_order(), written, "{source}");
        }
    }

    /// Found by fuzzing: an imprecise reading of long numbers gave another double on the second reading.
    #[test]
    fn a_long_number_reads_as_the_nearest_double() {
        let long = format!("-{}", "5".repeat(34));
        let json: Json = serde_json::from_str(&long).unwrap();
        assert_eq!(json.as_f64(), long.parse().ok());
        let written = json.to_source_order();
        let again: Json = serde_json::from_str(&written).unwrap();
        assert_eq!(again, json);
    }

    #[test]
    fn a_repeated_name_resolves_to_its_last_occurrence() {
        let json: Json = serde_json::from_str(r#"{"a": 1, "a": 2}"#).unwrap();
        assert_eq!(json.get("a").and_then(Json::as_count), Some(2));
        assert_eq!(json.to_value(), serde_json::json!({"a": 2}));
    }
}
