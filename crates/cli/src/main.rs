//! The command `bolide`.
//!
//! Reads like a table of contents: flags become plain values ([`flags`]), those
//! become a command's work ([`verify`], [`cfa`], [`run`], [`smt`], [`mod@bench`]), and its
//! outcome becomes an exit code ([`exit`]). Only this crate (and `xtask`)
//! touches files, the clock and the terminal.
//!
//! All work happens on one thread with a large stack: input files are machine-made at
//! times, and a nesting depth that a person would never write must not end in
//! a crash. A panic anywhere is a defect of ours: it is caught here and turned
//! into exit code 70 with the words to report it.

// First, because its macros stand before those of the standard library.
#[macro_use]
mod output;

mod accepted;
mod account;
mod arguments;
mod bench;
mod cfa;
mod chc;
mod check;
mod clp;
mod compile_commands;
mod contracts;
mod coverage;
mod definition;
mod duration;
mod exit;
mod flags;
mod frontend;
mod import;
mod instrument;
mod json;
mod lsp;
mod modular;
mod part;
mod plan;
mod process;
mod progress;
mod project_file;
mod proofs;
mod property;
mod prove;
mod report;
mod run;
mod sampling;
mod scan;
mod search;
mod show;
mod signals;
mod slurm;
mod smt;
mod suggest;
mod vacuity;
mod verify;
mod watchdog;

use exit::{Exit, Stop};
use flags::{Bolide, Command};

/// Address space for the working thread's stack; pages are only used when touched.
const STACK_BYTES: usize = 1 << 30;

fn main() -> std::process::ExitCode {
    let arguments = match arguments::read(std::env::args_os().collect()) {
        Ok(arguments) => arguments,
        Err(stop) => return output::conclude(stop.conclude()).into(),
    };
    std::panic::set_hook(Box::new(report::internal_error));
    let worker = std::thread::Builder::new()
        .name("bolide".into())
        .stack_size(STACK_BYTES)
        .spawn(move || dispatch(arguments));
    match worker {
        Ok(handle) => output::conclude(handle.join().unwrap_or(Exit::Internal)).into(),
        Err(error) => {
            eprintln!("bolide: cannot start the working thread: {error}");
            Exit::Internal.into()
        }
    }
}

fn dispatch(arguments: Bolide) -> Exit {
    let ended = match arguments.command {
        Command::Verify(flags) => Ok(verify::verify(&flags)),
        Command::Cfa(flags) => cfa::cfa(&flags),
        Command::Run(flags) => run::run(&flags),
        Command::Smt(flags) => smt::smt(&flags),
        Command::Proofs(flags) => proofs::proofs(&flags),
        Command::Chc(flags) => chc::chc(&flags),
        Command::Check(flags) => check::check(&flags),
        Command::Clp(flags) => clp::clp(&flags),
        Command::Bench(flags) => bench::bench(&flags),
        Command::Scan(flags) => scan::scan(&flags),
        Command::Prove(flags) => prove::prove(&flags),
        Command::Plan(flags) => part::plan(flags),
        Command::Lsp => lsp::lsp(),
        Command::Merge(flags) => scan::merge(&flags),
        Command::Completions { shell } => Ok(flags::completions(shell)),
        Command::Man { folder } => Ok(flags::man_page(folder.as_deref())),
    };
    ended.unwrap_or_else(Stop::conclude)
}
