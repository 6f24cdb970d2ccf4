//! Grid points: the shipped parameters, and one of them changed at a time.

use crate::policy::Parameters;

/// Values of one parameter.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// Name, as in `scenarios/policy.toml`.
    pub name: String,
    /// Values to try, each between 0 and 1.
    pub values: Vec<f64>,
}

/// Why a grid can't be run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("grid `{given}`: {message}")]
pub struct GridError {
    given: String,
    message: String,
}

/// One setting of the policy.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// What differs from the shipped parameters: `name=value`, or `as shipped`.
    pub label: String,
    /// The setting.
    pub parameters: Parameters,
}

impl Axis {
    /// The grid that is run if none is given.
    pub fn defaults() -> Vec<Axis> {
        let axis = |name: &str, values: &[f64]| Axis { name: name.to_owned(), values: values.to_vec() };
        vec![
            axis("distractor", &[0.0, 0.7]),
            axis("bad_first_edit", &[0.0, 0.5]),
            axis("wrong_file", &[0.0, 0.5]),
            axis("reread", &[0.0, 0.4]),
            axis("abandon", &[0.0, 0.3]),
            axis("check_first", &[0.0, 0.6]),
            axis("read_check", &[0.0, 0.7]),
        ]
    }

    /// Reads `name=v1,v2`.
    ///
    /// # Errors
    /// An unknown name, or a value that is no probability.
    pub fn parse(given: &str) -> Result<Axis, GridError> {
        let error = |message: &str| GridError { given: given.to_owned(), message: message.to_owned() };
        let (name, values) = given.split_once('=').ok_or_else(|| error("write NAME=VALUE,VALUE"))?;
        let values: Result<Vec<f64>, _> = values.split(',').map(|value| value.trim().parse()).collect();
        let values = values.map_err(|_| error("a value isn't a number"))?;
        if !values.iter().all(|value| (0.0..=1.0).contains(value)) {
            return Err(error("a probability lies between 0 and 1"));
        }
        let axis = Axis { name: name.trim().to_owned(), values };
        if !Axis::defaults().iter().any(|known| known.name == axis.name) {
            let known: Vec<String> = Axis::defaults().into_iter().map(|axis| axis.name).collect();
            return Err(error(&format!("no such probability: take one of {}", known.join(", "))));
        }
        Ok(axis)
    }
}

/// The shipped parameters, then each value of each axis with everything else as shipped.
pub fn points(shipped: &Parameters, axes: &[Axis]) -> Vec<Point> {
    let mut points = vec![Point { label: "as shipped".to_owned(), parameters: shipped.clone() }];
    for Axis { name, values } in axes {
        for &value in values {
            let mut parameters = shipped.clone();
            match name.as_str() {
                "distractor" => parameters.distractor = value,
                "bad_first_edit" => parameters.bad_first_edit = value,
                "wrong_file" => parameters.wrong_file = value,
                "reread" => parameters.reread = value,
                "abandon" => parameters.abandon = value,
                "check_first" => parameters.check_first = value,
                _ => parameters.read_check = value,
            }
            points.push(Point { label: format!("{name}={value}"), parameters });
        }
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_names_a_probability() {
        assert_eq!(Axis::parse("distractor=0,0.5").unwrap().values, [0.0, 0.5]);
        for (given, why) in [
            ("distractor", "write NAME"),
            ("distractor=x", "isn't a number"),
            ("distractor=2", "between 0 and 1"),
            ("seed=0", "no such probability"),
        ] {
            assert!(Axis::parse(given).unwrap_err().to_string().contains(why), "{given}");
        }
    }
}
