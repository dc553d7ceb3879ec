//! The values of the switches with which engines are told how to search, and where settings come from.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Switch {
    On,
    Off,
}

impl Switch {
    pub fn is_on(self) -> bool {
        self == Switch::On
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OrderFlag {
    /// Depth first.
    Dfs,
    /// Breadth first.
    Bfs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RelationsFlag {
    /// States that are reached.
    Forward,
    /// As in the paper: states from which an error is reached (E), and what functions do (T).
    Backward,
}

impl From<RelationsFlag> for bolide_engines::constraint_logic::Relations {
    fn from(flag: RelationsFlag) -> Self {
        match flag {
            RelationsFlag::Forward => Self::Forward,
            RelationsFlag::Backward => Self::Backward,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PartnerFlag {
    /// Property-directed reachability; each tells the other what it learns.
    Pdr,
    /// Nobody.
    None,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AbstractionFlag {
    Boolean,
    Cartesian,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ContextFlag {
    Cached,
    Plain,
    None,
}

impl From<ContextFlag> for bolide_engines::shape::Context {
    fn from(flag: ContextFlag) -> Self {
        match flag {
            ContextFlag::Cached => Self::Cached,
            ContextFlag::Plain => Self::Plain,
            ContextFlag::None => Self::None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PredicatesFlag {
    Location,
    Function,
    Global,
}

impl From<PredicatesFlag> for bolide_engines::predicate_abstraction::Scope {
    fn from(flag: PredicatesFlag) -> Self {
        match flag {
            PredicatesFlag::Location => Self::Location,
            PredicatesFlag::Function => Self::Function,
            PredicatesFlag::Global => Self::Global,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AutomatonFlag {
    Canonical,
    Enhanced,
}

impl From<AutomatonFlag> for bolide_engines::trace_abstraction::Construction {
    fn from(flag: AutomatonFlag) -> Self {
        match flag {
            AutomatonFlag::Canonical => Self::Canonical,
            AutomatonFlag::Enhanced => Self::Enhanced,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BlocksFlag {
    Large,
    Single,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BitsFlag {
    Bounds,
    Exact,
}

/// Where a command takes its settings from.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Project")]
pub struct SettingsFlags {
    /// Settings of the project [default: the nearest bolide.toml, in the folder of the input or above].
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Take no settings from a file.
    #[arg(long, conflicts_with = "config")]
    pub no_config: bool,
}
