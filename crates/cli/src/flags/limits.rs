//! What may be used, by a program or by each of many.

use super::{BenchFlags, ScanFlags};
use crate::duration::{parse_bytes, parse_duration};
use bolide_api::Limits;
use clap::Args;
use std::time::Duration;

/// What may be used.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Limits")]
pub struct LimitFlags {
    /// Stop with `unknown` after this time: 500ms, 30s, 15m.
    #[arg(long, value_parser = parse_duration, value_name = "TIME")]
    pub timeout: Option<Duration>,
    /// Stop with `unknown` after this much processor time, of all threads together.
    #[arg(long, value_parser = parse_duration, value_name = "TIME")]
    pub cpu_time: Option<Duration>,
    /// Stop with `unknown` when this much memory is used: 500M, 4G.
    #[arg(long, value_parser = parse_bytes, value_name = "SIZE")]
    pub memory: Option<u64>,
}

impl LimitFlags {
    /// For the watchdog.
    pub fn limits(&self) -> Limits {
        Limits { time: self.timeout, cpu: self.cpu_time, memory: self.memory }
    }
}

impl ScanFlags {
    /// For each property of each function.
    pub fn limits(&self) -> Limits {
        let time = self.timeout.or(usual(self.cpu_time, 20));
        Limits { time, cpu: self.cpu_time, memory: Some(self.memory) }
    }
}

impl BenchFlags {
    /// For each task.
    pub fn limits(&self) -> Limits {
        let time = self.timeout.or(usual(self.cpu_time, 30));
        Limits { time, cpu: self.cpu_time, memory: Some(self.memory) }
    }
}

/// A limit of processor time is none of time: others may be at work on the machine.
fn usual(cpu: Option<Duration>, seconds: u64) -> Option<Duration> {
    cpu.is_none().then_some(Duration::from_secs(seconds))
}
