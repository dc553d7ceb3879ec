//! Witnesses, harnesses and reports
