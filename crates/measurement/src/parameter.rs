//! The parameters that describe the setting of a cell, such as `units=1000`.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::name_check::{check_label, check_size};

/// The value of a parameter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Parameter {
    /// A boolean, such as `pinned`.
    Flag(bool),
    /// A number, such as `units`.
    Integer(i64),
    /// A fraction such as a share, or the skew of a distribution.
    Real(f64),
    /// A named variant, such as `arm`.
    Text(String),
}

impl Parameter {
    /// Returns the value as a number, for an axis. `None` for flags and strings.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Parameter::Integer(value) => Some(*value as f64),
            Parameter::Real(value) => Some(*value),
            Parameter::Flag(_) | Parameter::Text(_) => None,
        }
    }
}

impl fmt::Display for Parameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

macro_rules! from {
    ($($value:ty => $variant:ident),*) => {$(
        impl From<$value> for Parameter {
            fn from(value: $value) -> Parameter {
                Parameter::$variant(value.into())
            }
        }
    )*};
}
from!(bool => Flag, i64 => Integer, f64 => Real, &str => Text);

/// The setting of a cell: its parameters by name. Displayed in alphabetical order, as in
/// `arm=ours, units=1000`, and compared in that order.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Parameters(
    #[serde(deserialize_with = "crate::unique_keys::deserialize")] pub BTreeMap<String, Parameter>,
);

impl Parameters {
    /// Checks that names and text values are valid [labels](check_label), and that numbers are in
    /// range.
    pub fn check(&self) -> Result<(), String> {
        for (name, value) in &self.0 {
            check_label("parameter", name)?;
            if let Parameter::Text(text) = value {
                check_label("the value of a parameter,", text)?;
            }
            if let Parameter::Real(number) = value {
                check_size(name, *number)?;
            }
        }
        Ok(())
    }

    /// Returns the value of the parameter `name`, or `None` if this setting has no such
    /// parameter.
    pub fn get(&self, name: &str) -> Option<&Parameter> {
        self.0.get(name)
    }
}

impl fmt::Display for Parameters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = self.0.iter().map(|(name, value)| format!("{name}={value}"));
        f.write_str(&parts.collect::<Vec<_>>().join(", "))
    }
}
