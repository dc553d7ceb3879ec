//! Where a store is: a folder, or a server that a URL names.

use std::fmt;
use std::path::{Path, PathBuf};

/// A place for proofs.
#[derive(Clone, PartialEq, Eq)]
pub enum Place {
    Folder(PathBuf),
    /// The URL as it was given, with the password that may be in it.
    Server(String),
}

impl Place {
    /// What `--proofs` is given.
    pub fn parse(text: &str) -> Result<Place, String> {
        if !["postgres://", "postgresql://"].iter().any(|scheme| text.starts_with(scheme)) {
            return match text.split_once("://") {
                Some((scheme, _)) => Err(format!(
                    "`{scheme}` is no kind of store: name a folder, or postgres://USER@HOST/DATABASE"
                )),
                None => Ok(Place::Folder(text.into())),
            };
        }
        match super::tls::read(text) {
            Ok(_) => Ok(Place::Server(text.to_owned())),
            Err(error) => Err(format!("this is no URL of a PostgreSQL database: {error}")),
        }
    }

    /// The folder, if it is one.
    pub fn folder(&self) -> Option<&Path> {
        match self {
            Place::Folder(folder) => Some(folder),
            Place::Server(_) => None,
        }
    }

    /// As an argument for another process.
    pub fn argument(&self) -> std::ffi::OsString {
        match self {
            Place::Folder(folder) => folder.into(),
            Place::Server(url) => url.into(),
        }
    }
}

/// For people: without the password.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Folder(folder) => write!(f, "{}", folder.display()),
            Place::Server(url) => match url.rsplit_once('@') {
                Some((_, rest)) => write!(f, "postgres://{rest}"),
                None => f.write_str(url),
            },
        }
    }
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
