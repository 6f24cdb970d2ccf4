//! The stable form of a JSON value, which hashes are taken over, and whether a text is written in it.

use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Number, Value};

use super::json::{Name, write_number, write_string};

/// Stable JSON: members sorted by name at every level, no spaces, numbers as in [`super::Json::to_source_order`]. Two
/// values with equal content have equal stable text whatever order they were written in.
pub fn stable_json(value: &Value) -> String {
    let mut out = String::new();
    write_stable(value, &mut out);
    out
}

fn write_stable(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => write_number(number, out),
        Value::String(text) => write_string(text, out),
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_stable(item, out);
            }
            out.push(']');
        }
        Value::Object(members) => {
            let mut sorted: Vec<_> = members.iter().collect();
            sorted.sort_by(|a, b| a.0.cmp(b.0));
            out.push('{');
            for (index, (name, value)) in sorted.into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_string(name, out);
                out.push(':');
                write_stable(value, out);
            }
            out.push('}');
        }
    }
}

/// Whether a text is JSON in which every object names each key once, and is written as [`stable_json`] would write its
/// value. It's told by reading the text once, without making a value of it.
pub fn is_stable_json(text: &str) -> bool {
    let rest = Rest(Cell::new(text));
    let mut reader = serde_json::Deserializer::from_str(text);
    Stable(&rest).deserialize(&mut reader).is_ok() && rest.0.get().is_empty()
}

/// What has yet to be compared: the reader goes through the text, and each value that it tells is written again and must
/// stand at the beginning of the rest.
struct Rest<'t>(Cell<&'t str>);

impl Rest<'_> {
    fn expect<E: Error>(&self, written: &str) -> Result<(), E> {
        match self.0.get().strip_prefix(written) {
            Some(rest) => {
                self.0.set(rest);
                Ok(())
            }
            None => Err(E::custom("written otherwise")),
        }
    }

    fn expect_number<E: Error>(&self, number: Number) -> Result<(), E> {
        let mut written = String::new();
        write_number(&number, &mut written);
        self.expect(&written)
    }

    /// A string; `plain` says that no escape stands in the source, so that it is the text itself between two quotes.
    fn expect_string<E: Error>(&self, text: &str, plain: bool) -> Result<(), E> {
        if plain {
            self.expect("\"")?;
            self.expect(text)?;
            return self.expect("\"");
        }
        let mut written = String::with_capacity(text.len() + 16);
        write_string(text, &mut written);
        self.expect(&written)
    }
}

#[derive(Clone, Copy)]
struct Stable<'r, 't>(&'r Rest<'t>);

impl<'de> DeserializeSeed<'de> for Stable<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Stable<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.0.expect("null")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<(), E> {
        self.0.expect(if value { "true" } else { "false" })
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<(), E> {
        self.0.expect_number(value.into())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<(), E> {
        self.0.expect_number(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<(), E> {
        let number = Number::from_f64(value).ok_or_else(|| E::custom("a number that isn't finite"))?;
        self.0.expect_number(number)
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<(), E> {
        self.0.expect_string(text, true)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        self.0.expect_string(text, false)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        self.0.expect("[")?;
        let mut first = true;
        while items.next_element_seed(Separated(self.0, first))?.is_some() {
            first = false;
        }
        self.0.expect("]")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        self.0.expect("{")?;
        let mut before: Option<Cow<'de, str>> = None;
        while let Some(Name(name)) = members.next_key()? {
            // Strictly ascending names are sorted, and none stands twice.
            if before.as_ref().is_some_and(|before| *before >= name) {
                return Err(A::Error::custom("names out of order"));
            }
            if before.is_some() {
                self.0.expect(",")?;
            }
            self.0.expect_string(&name, matches!(name, Cow::Borrowed(_)))?;
            self.0.expect(":")?;
            members.next_value_seed(self)?;
            before = Some(name);
        }
        self.0.expect("}")
    }
}

/// An item of an array, behind a comma unless it is the first.
struct Separated<'r, 't>(&'r Rest<'t>, bool);

impl<'de> DeserializeSeed<'de> for Separated<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        if !self.1 {
            self.0.expect(",")?;
        }
        Stable(self.0).deserialize(deserializer)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn stable_json_sorts_at_every_level() {
        let value = serde_json::json!({"z": {"y": 1, "x": 2.0}, "a": [true, null]});
        assert_eq!(stable_json(&value), r#"{"a":[true,null],"z":{"x":2,"y":1}}"#);
    }

    #[test]
    fn only_the_stable_form_is_stable() {
        for text in [
            r#"{"a":[true,null,"x\n\u0001é"],"b":{"c":-2,"d":0.5},"é\"":18446744073709551615}"#,
            "[]",
            "{}",
            "1e+21",
            r#""""#,
        ] {
            assert!(is_stable_json(text), "{text}");
        }
        for text in [
            r#"{"b":1,"a":2}"#,
            r#"{"a":1,"a":1}"#,
            r#"{"a":1,"\u0061":2}"#,
            r#"{"a": 1}"#,
            r#"{"a":1} "#,
            r#" {"a":1}"#,
            r#"{"a":1}{}"#,
            "[1 ,2]",
            "1.0",
            "1e2",
            "[1e2,  3]",
            "-0",
            r#""\/""#,
            r#""\u0041""#,
            r#""\u000A""#,
            r#"{"a":"#,
            "",
            "1e999",
        ] {
            assert!(!is_stable_json(text), "{text}");
        }
    }

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            "[\\x00-\\x7fé\u{1f600}]{0,6}".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map("[a-c\"\\\\\n]{0,3}", inner, 0..4)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        /// The definition itself: a text is stable if what is read from it would be written as it stands.
        #[test]
        fn a_text_is_stable_if_it_would_be_written_so(value in value(), at in any::<prop::sample::Index>(), with in "[ 0\"a,.e{}]") {
            let text = stable_json(&value);
            // A number that a double doesn't hold is written otherwise when it is read again.
            let again: Value = serde_json::from_str(&text).unwrap();
            prop_assert_eq!(is_stable_json(&text), stable_json(&again) == text);
            let places: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
            let (before, behind) = text.split_at(places[at.index(places.len())]);
            let changed = format!("{before}{with}{behind}");
            let written = serde_json::from_str::<Value>(&changed).ok().map(|value| stable_json(&value));
            prop_assert_eq!(is_stable_json(&changed), written.as_deref() == Some(&*changed), "{}", changed);
        }
    }
}
