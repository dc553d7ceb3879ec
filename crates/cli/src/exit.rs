//! Exit codes, as FORMATS of the field expect them.

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// The property holds, or the command did what it was asked.
    True,
    /// The property is violated.
    False,
    /// No verdict.
    Unknown,
    /// Bad usage or bad input.
    Usage,
    /// A defect of ours.
    Internal,
}

impl Exit {
    /// The number that the shell sees.
    pub fn code(self) -> u8 {
        match self {
            Exit::True => 0,
            Exit::False => 10,
            Exit::Unknown => 20,
            Exit::Usage => 2,
            Exit::Internal => 70,
        }
    }
}

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> Self {
        std::process::ExitCode::from(exit.code())
    }
}
