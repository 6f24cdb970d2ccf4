//! JSON in which every object names each key once.
//!
//! Readers disagree about the second of two equal keys. Evidence that says two things is refused, not resolved.

use std::borrow::Cow;
use std::fmt;

use engine::message::is_stable_json;
use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Number, Value};

/// Reads a JSON text.
///
/// # Errors
/// Not JSON, or a key that stands twice in one object.
pub(super) fn parse(text: &str) -> Result<Value, String> {
    serde_json::from_str::<Unique>(text).map(|unique| unique.0).map_err(|error| error.to_string())
}

/// Reads a JSON text as a struct, which may borrow from it. The text is read twice, which takes less than making a value of
/// it.
///
/// # Errors
/// As [`parse`], and a value that the struct can't hold.
pub(crate) fn parse_as<'t, T: Deserialize<'t>>(text: &'t str) -> Result<T, String> {
    // A text in stable form names each key once, and is the cheaper to tell.
    if !is_stable_json(text)
        && let Err(error) = serde_json::from_str::<Distinct>(text)
    {
        // Read again for the name of the key; whatever that says, the text is refused.
        return Err(parse(text).err().unwrap_or_else(|| error.to_string()));
    }
    serde_json::from_str(text).map_err(|error| {
        let (told, place) =
            (error.to_string(), format!(" at line {} column {}", error.line(), error.column()));
        told.strip_suffix(&place).map(str::to_owned).unwrap_or(told)
    })
}

/// A text of a JSON document: borrowed from it where it holds no escape.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Text<'t>(pub Cow<'t, str>);

impl<'de: 't, 't> Deserialize<'de> for Text<'t> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Text<'t>, D::Error> {
        deserializer.deserialize_str(TextVisitor).map(Text)
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Cow<'de, str>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a string")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Cow<'de, str>, E> {
        Ok(Cow::Borrowed(text))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Cow<'de, str>, E> {
        Ok(Cow::Owned(text.to_owned()))
    }
}

/// A document in which every object names each key once; nothing of it is kept.
struct Distinct;

impl<'de> Deserialize<'de> for Distinct {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Distinct, D::Error> {
        deserializer.deserialize_any(DistinctVisitor)
    }
}

struct DistinctVisitor;

impl<'de> Visitor<'de> for DistinctVisitor {
    type Value = Distinct;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Distinct, E> {
        Ok(Distinct)
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Distinct, E> {
        Ok(Distinct)
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Distinct, E> {
        Ok(Distinct)
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Distinct, E> {
        Ok(Distinct)
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Distinct, E> {
        Ok(Distinct)
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<Distinct, E> {
        Ok(Distinct)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Distinct, A::Error> {
        while items.next_element::<Distinct>()?.is_some() {}
        Ok(Distinct)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Distinct, A::Error> {
        let mut keys: Vec<Text<'de>> = Vec::new();
        while let Some(key) = members.next_key()? {
            keys.push(key);
            members.next_value::<Distinct>()?;
        }
        keys.sort_unstable();
        if keys.windows(2).any(|two| two[0] == two[1]) {
            return Err(A::Error::custom("a key stands twice in one object"));
        }
        Ok(Distinct)
    }
}

struct Unique(Value);

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Unique, D::Error> {
        deserializer.deserialize_any(UniqueVisitor).map(Unique)
    }
}

struct UniqueVisitor;

impl<'de> Visitor<'de> for UniqueVisitor {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("a number that isn't finite"))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E: Error>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(Unique(value)) = items.next_element()? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = members.next_key::<String>()? {
            let Unique(value) = members.next_value()?;
            if object.contains_key(&key) {
                return Err(A::Error::custom(format!("the key `{key}` stands twice in one object")));
            }
            object.insert(key, value);
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_stands_twice_is_refused_at_every_level() {
        for text in [r#"{"a":1,"a":1}"#, r#"[{"b":{"c":1,"d":2,"c":3}}]"#, r#"{"a":1,"\u0061":2}"#] {
            assert!(parse(text).unwrap_err().contains("stands twice"), "{text}");
        }
        let sound = r#"{"a":{"a":[1,-2,0.5,null,true,"x"]},"b":{"a":18446744073709551615}}"#;
        assert_eq!(parse(sound).unwrap(), serde_json::from_str::<Value>(sound).unwrap());
        assert!(parse("1e999").is_err());
    }

    #[test]
    fn a_struct_is_refused_for_what_a_value_is_refused_for() {
        #[derive(Debug, Deserialize)]
        struct Part {
            name: String,
        }
        let read = |text: &str| parse_as::<Part>(text).map(|part| part.name);
        assert_eq!(read(r#"{"name":"a","other":{"b":[1,{"c":null}]}}"#), Ok("a".to_owned()));
        let twice = r#"{"name":"a","other":{"b":[1,{"c":null,"c":2}]}}"#;
        assert!(read(twice).unwrap_err().contains("the key `c` stands twice"));
        let escaped = r#"{"name":"a","n\u0061me":"b"}"#;
        assert!(read(escaped).unwrap_err().contains("the key `name` stands twice"));
        assert_eq!(read("{}").unwrap_err(), "missing field `name`");
        assert!(read(r#"{"name":"a"} {}"#).unwrap_err().contains("trailing characters"));
        assert!(read(r#"{"name":"a","other":1e999}"#).unwrap_err().contains("number out of range"));
    }
}
