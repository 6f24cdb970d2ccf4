//! JSON in which every object names each key once.
//!
//! Readers disagree about the second of two equal keys. Evidence that says two things is refused, not resolved.

use std::fmt;

use serde::de::{DeserializeOwned, Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Number, Value};

/// Reads a JSON text.
///
/// # Errors
/// Not JSON, or a key that stands twice in one object.
pub(super) fn parse(text: &str) -> Result<Value, String> {
    serde_json::from_str::<Unique>(text).map(|unique| unique.0).map_err(|error| error.to_string())
}

/// Reads a JSON text as a struct.
///
/// # Errors
/// As [`parse`], and a value that the struct can't hold.
pub(crate) fn parse_as<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_json::from_value(parse(text)?).map_err(|error| error.to_string())
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
}
