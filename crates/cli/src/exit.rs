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

/// How a command comes to its end early: `?` leads here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Everything is said already.
    Exit(Exit),
    /// Bad usage or bad input, in words that are still to be said.
    Complaint(String),
}

impl From<String> for Stop {
    fn from(words: String) -> Self {
        Stop::Complaint(words)
    }
}

impl Stop {
    /// Says what is still to be said.
    pub fn conclude(self) -> Exit {
        match self {
            Stop::Exit(exit) => exit,
            Stop::Complaint(words) => {
                eprintln!("bolide: {words}");
                Exit::Usage
            }
        }
    }
}

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> Self {
        std::process::ExitCode::from(exit.code())
    }
}
