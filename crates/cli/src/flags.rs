//! The command line as plain values. Help texts, the man page and the shell
//! completions all come from here.

mod limits;
mod prove;
mod switches;

pub use self::limits::LimitFlags;
pub use self::prove::{ProveFlags, Tool};
pub use self::switches::*;
use crate::duration::{parse_bytes, parse_duration};
use crate::exit::Exit;
use crate::output;
use crate::proofs::Place;
use bolide_engines::choose::{ENGINES, Engine};
use clap::builder::PossibleValue;
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  bolide verify program.c                        does any assertion fail? without any: is memory
                                                 used safely, is arithmetic defined?
  bolide verify --property no-overflow p.c       can signed arithmetic overflow?
  bolide verify --property task.prp task.i       a task of the verification competition
  bolide run program.c --inputs 3,-1,0           execute with these nondeterministic values
  bolide check witness.yml program.c             does the witness of another tool stand?
  bolide cfa program.c --format svg > cfa.svg    draw the control-flow automata
  bolide smt problem.smt2                        the solver by itself

Exit codes: 0 true (or done), 10 false, 20 unknown, 2 bad usage or input, 70 internal error.";

const CHECK_HELP: &str = "\
The line `witness: ` says confirmed, refuted or unknown, and why. The last line and the exit code
are those of `bolide verify` for what was found: a confirmed correctness witness is `true` (0), a
refuted one `false(invariant)` or `false(PROPERTY)` (10); a confirmed violation witness is
`false(PROPERTY)` (10), a refuted one, whose path no execution follows to its target, `true` (0).";

const BENCH_HELP: &str = "\
Examples:
  bolide bench tasks.set --timeout 30s --csv now.csv --svg now.svg
  bolide bench tasks.tsv --engine impact,predicate --jobs 4
  bolide bench a.yml --tool cbmc='cbmc --{bits} --unwind 100 {file}'
  bolide bench --compare before.csv now.csv

In the command of a tool, {file} stands for the program, {prop} for the property's name, {prp} for
a property file, {model} for ILP32 or LP64, {bits} for 32 or 64, {time} for seconds, {memory} for
MiB, {witness} for the file of the witness.

Exit codes: 0 no wrong verdict, 10 some verdict is wrong, 20 interrupted, 2 bad usage or input.";

const PLAN_HELP: &str = "\
Example:
  bolide plan new night.json --parts 64 -- bench tasks.set --timeout 60s
  bolide plan run night.json          in each of 64 jobs; the scheduler's variable tells the part
  bolide plan merge night.json -o night.csv

`bolide bench --on slurm` and `bolide scan --on slurm` do all three with job arrays.";

/// Proves C programs safe, or shows how they fail.
#[derive(Debug, Parser)]
#[command(name = "bolide", version, about, after_help = EXAMPLES, max_term_width = 100)]
pub struct Bolide {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Prove that a property holds, or show how it fails.
    #[command(after_help = "The last line of output is `RESULT: ` and the verdict: true, \
        false(PROPERTY) or unknown. A verdict true was re-checked obligation by obligation, a \
        verdict false was executed to the violation before it is reported.")]
    Verify(Box<VerifyFlags>),
    /// Print or draw the control-flow automata of a program.
    Cfa(CfaFlags),
    /// Execute a program on given nondeterministic values.
    Run(RunFlags),
    /// Run SMT-LIB scripts with the interpolating solver.
    Smt(SmtFlags),
    /// Decide a system of constrained Horn clauses (SMT-LIB, logic HORN).
    #[command(after_help = "sat: relations exist that make all clauses true (the program is \
        safe); unsat: a query can be derived. This is also what is printed for the commands \
        rule and query, where Z3 says it the other way round. Models are checked clause by \
        clause and derivations replayed before they are printed.")]
    Chc(ChcFlags),
    /// Check a verification witness (YAML 2.0) against its program.
    #[command(after_help = CHECK_HELP)]
    Check(CheckFlags),
    /// Print a C program as Horn clauses.
    Clp(ClpFlags),
    /// Run many tasks with several engines or tools, and tabulate.
    #[command(after_help = BENCH_HELP)]
    Bench(BenchFlags),
    /// Divide `bench` or `scan` into parts that a scheduler runs as an array of jobs.
    #[command(after_help = PLAN_HELP)]
    Plan(PlanFlags),
    /// Look into a database of proofs (`bolide verify --proofs`), or let entries of it expire.
    Proofs(ProofsFlags),
    /// Verify a whole project, function by function.
    Scan(ScanFlags),
    /// Run the proofs that the project's bolide.toml lists, as far as something changed.
    Prove(ProveFlags),
    /// Serve an editor: the language server protocol on standard input and output.
    Lsp,
    /// Join the results of a scan or of measurements that was split by --shard.
    Merge(MergeFlags),
    /// Print a completion script for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Print the manual page (roff).
    #[command(hide = true)]
    Man {
        /// Write the page of each command to this folder instead.
        #[arg(long, value_name = "DIR")]
        folder: Option<PathBuf>,
    },
}

/// What to read and how.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Input")]
pub struct InputFlags {
    /// C files, preprocessed or not; several are linked into one program.
    #[arg(value_name = "FILE", required_unless_present_any = ["project", "compile_commands"])]
    pub files: Vec<PathBuf>,
    /// Sizes of types: LP64 has 64-bit long and pointers, ILP32 has 32-bit ones.
    #[arg(long, value_enum, default_value_t = DataModel::Lp64, ignore_case = true)]
    pub data_model: DataModel,
    /// The function where the program starts.
    #[arg(long, value_name = "NAME")]
    pub entry: Option<String>,
    /// What a function without a body does: change all it can reach, change
    /// nothing, or count as an error [default: havoc; in a harness of CBMC: pure].
    #[arg(long, value_enum)]
    pub external: Option<External>,
    /// The same for one function: NAME=havoc, NAME=pure or NAME=error. May be given several times.
    #[arg(long = "model", value_name = "NAME=WHAT", value_parser = parse_model)]
    pub models: Vec<(String, External)>,
    /// A C file with bodies for functions that the program does not define. May be given several times.
    #[arg(long = "stub", value_name = "FILE")]
    pub stubs: Vec<PathBuf>,
    /// Calls of functions that have a contract go by it; each contract is
    /// proved on its own (`--entry`).
    #[arg(long)]
    pub modular: bool,
    /// Contracts are for the heap logic.
    #[arg(skip)]
    pub heap_contracts: bool,
    /// With what the entry function is called where it has no contract: with anything, or as a sane caller would
    /// call it, guessed from its types, names and code.
    #[arg(long, value_enum, default_value_t = Arguments::Any)]
    pub arguments: Arguments,
    /// Leave out the checks at this place: FILE:LINE. May be given several times.
    #[arg(long = "except", value_name = "FILE:LINE")]
    pub except: Vec<String>,
    /// Take the bodies of this function out of all files that are no stubs; a static one may be called as CBMC
    /// calls it. May be given several times.
    #[arg(long = "remove-body", value_name = "NAME")]
    pub removed_bodies: Vec<String>,
    /// The verifier that the program is a harness for: it decides what functions without a body do, whether
    /// allocation fails and what is checked. Seen by the intrinsics that are used, where the entry is not `main`.
    #[arg(long, value_enum, default_value_t = HarnessStyle::Detect)]
    pub harness_style: HarnessStyle,
    /// Whether malloc and its kind may return a null pointer; then more than PTRDIFF_MAX bytes always do
    /// [default: never-fails; in a harness of CBMC: may-fail].
    #[arg(long, value_enum)]
    pub malloc: Option<Malloc>,
    /// The same as `--malloc may-fail`.
    #[arg(long, hide = true)]
    pub malloc_may_fail: bool,
    /// The compiler whose preprocessor reads files with directives.
    #[arg(long, value_name = "COMMAND", default_value = "cc")]
    pub cc: String,
    /// Search this folder for included files.
    #[arg(short = 'I', value_name = "DIR")]
    pub include_dirs: Vec<String>,
    /// Define a macro: NAME or NAME=VALUE.
    #[arg(short = 'D', value_name = "MACRO")]
    pub defines: Vec<String>,
    /// Read this file before each source file.
    #[arg(long = "include", value_name = "FILE")]
    pub includes: Vec<String>,
    /// The C standard for the preprocessor, such as c11 or gnu99.
    #[arg(long, value_name = "STANDARD")]
    pub std: Option<String>,
    /// Take files and flags from DIR/compile_commands.json.
    #[arg(long, value_name = "DIR", conflicts_with = "compile_commands")]
    pub project: Option<PathBuf>,
    /// Take files and flags from this compilation database.
    #[arg(long, value_name = "FILE")]
    pub compile_commands: Option<PathBuf>,
    /// The first file is the text, behind its first line, that an editor has for this one.
    #[arg(long, value_name = "FILE", hide = true)]
    pub shown_as: Option<String>,
    #[command(flatten)]
    pub settings: SettingsFlags,
}

/// How a function is called that a run starts with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Arguments {
    Any,
    Sane,
}

/// How harnesses are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum HarnessStyle {
    Detect,
    None,
    Cbmc,
    Seahorn,
}

/// Whether allocation fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Malloc {
    NeverFails,
    MayFail,
}

/// `log=pure`: a function without a body, and what it does.
fn parse_model(text: &str) -> Result<(String, External), String> {
    let (name, what) = text.split_once('=').ok_or("write NAME=havoc, NAME=pure or NAME=error")?;
    Ok((name.to_owned(), External::from_str(what, true)?))
}

/// What `verify` checks when nobody asked for anything and nothing is asserted.
pub const WITHOUT_ASSERTIONS: [&str; 4] =
    ["valid-memsafety", "no-overflow", "div-by-zero", "valid-shift"];

/// The help for `--property`.
fn property_help() -> String {
    let names = bolide_cfa::property::table::names().join(", ");
    format!(
        "{names}, or a file: an SV-COMP property (.prp), or an observer automaton. May be given several \
         times. Without any, `verify` looks whether an assertion fails or an error is reached; in a \
         program that has none, it checks {}",
        WITHOUT_ASSERTIONS.join(", ")
    )
}

/// What to check.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Property")]
pub struct PropertyFlags {
    #[arg(long = "property", short = 'p', value_name = "NAME|FILE", help = property_help())]
    pub properties: Vec<String>,
    /// A safety formula over calls, such as `G (call(lock) -> X (!call(lock) W call(unlock)))`:
    /// between two calls of lock there is one of unlock. A position of a run is a call of a function that the
    /// formula mentions; X is about the next one, if there is one.
    #[arg(long, value_name = "FORMULA")]
    pub ltl: Vec<String>,
}

impl PropertyFlags {
    /// The names of what is checked, as the user gave them.
    pub fn names(&self) -> Vec<String> {
        let named: Vec<String> = self.properties.iter().chain(&self.ltl).cloned().collect();
        if named.is_empty() { vec!["unreach-call".into(), "assert".into()] } else { named }
    }
}

#[derive(Clone, Debug, Args)]
pub struct VerifyFlags {
    #[command(flatten)]
    pub input: InputFlags,
    #[command(flatten)]
    pub property: PropertyFlags,
    #[command(flatten)]
    pub limits: LimitFlags,
    /// How to search.
    #[arg(long, value_enum, default_value_t = EngineFlag::AUTO)]
    pub engine: EngineFlag,
    /// How many engines `auto` may run side by side; with 1, runs repeat exactly [default: the
    /// processors there are].
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// What engines know of bits, products and floats where both sides are unknown, and of memory with
    /// several types: bounds, and what the machine computes only where a path that they find cannot be
    /// executed; or that at once, which is slow. Operations with constants are always exact.
    #[arg(long, value_enum, default_value_t = BitsFlag::Bounds)]
    pub bits: BitsFlag,
    #[command(flatten)]
    pub search: SearchFlags,
    /// Reuse proofs of earlier verifications from the database in this folder or on this PostgreSQL server
    /// (postgres://USER@HOST/DATABASE), and keep this one there (engines `trace` and `shape`). Nothing from the
    /// database is believed unchecked.
    #[arg(long, value_name = "DIR|URL", value_parser = Place::parse)]
    pub proofs: Option<Place>,
    /// Write a verification witness (YAML 2.0) to this file.
    #[arg(long, value_name = "FILE")]
    pub witness: Option<PathBuf>,
    /// Write a C file with the inputs of a counterexample; linked to the program it runs into the
    /// violation.
    #[arg(long, value_name = "FILE")]
    pub harness: Option<PathBuf>,
    /// Write a report to this file: one HTML page with source, trace, invariants and drawings.
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Write the drawings of the report to this folder, each as an SVG file: functions, and the
    /// graphs, automata and heaps of engines (these also as DOT files).
    #[arg(long, value_name = "DIR")]
    pub drawings: Option<PathBuf>,
    /// Write the finding as SARIF 2.1.0 to this file, for code scanning.
    #[arg(long, value_name = "FILE")]
    pub sarif: Option<PathBuf>,
    /// Print one JSON object instead of text for people (docs/json.md describes it).
    #[arg(long)]
    pub json: bool,
    /// Look longer, and with --quiet and --json too, whether `true` is said for want of anything to do:
    /// nothing is checked, checks are dead code, or no execution comes to its end. The SARIF log tells
    /// it.
    #[arg(long)]
    pub vacuity: bool,
    /// Tell which lines and branches the executions come to, of all functions that the entry leads to: those that
    /// none comes to were not verified at all. Takes about as long as the verdict took.
    #[arg(long)]
    pub coverage: bool,
    /// Say more: assumptions, statistics, what was chosen and why.
    #[arg(long, short)]
    pub verbose: bool,
    /// Say only the verdict.
    #[arg(long, short, conflicts_with = "verbose")]
    pub quiet: bool,
}

/// How engines search: what the papers leave open, and what they do not have.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Search")]
pub struct SearchFlags {
    /// Search as the paper of the chosen engine does: without guesses, one statement for each step;
    /// `predicate` and `clp` keep calls, `trace` builds canonical automata, CAR works alone on
    /// relations of errors. What is
    /// asked for besides counts.
    #[arg(long)]
    pub as_in_paper: bool,
    /// Facts and inputs that are not found by the search: templates, summaries, tables, samples, and
    /// executions of suggested inputs [default: on].
    #[arg(long, value_enum)]
    pub guess: Option<Switch>,
    /// Replace calls by what they call, where that can be; `impact` and `shape` need it [default: on].
    #[arg(long, value_enum)]
    pub inline: Option<Switch>,
    /// What one step of the search is: all between two cut points, or one statement [default:
    /// large].
    #[arg(long, value_enum)]
    pub blocks: Option<BlocksFlag>,
    /// Which path `impact`, `predicate` and `trace` follow first [default: dfs; `trace`: bfs].
    #[arg(long, value_enum)]
    pub order: Option<OrderFlag>,
    /// Begin with the predicates of this file: SMT-LIB terms over variables, one in each line, after
    /// `L12: ` for one location. `predicate` tracks them, `trace` makes its only automaton of them; with
    /// several files, one of each.
    #[arg(long, value_name = "FILE")]
    pub first_predicates: Vec<PathBuf>,
    /// By how many earlier vertices `impact` tries to cover a new one with force [default: 3].
    #[arg(long, value_name = "N")]
    pub forced_covering: Option<usize>,
    /// How many rounds of a loop, and how many activations of a function at a time, `bounded` looks at before it
    /// stops [default: ever more].
    #[arg(long, value_name = "N")]
    pub bound: Option<u32>,
    /// Whether `bounded` looks for proofs by k-induction [default: on].
    #[arg(long, value_enum)]
    pub k_induction: Option<Switch>,
    /// Who helps CAR, constraint abstraction refinement, in the engine `clp` [default: pdr].
    #[arg(long, value_enum)]
    pub partner: Option<PartnerFlag>,
    /// What the relations of the engine `clp` are about [default: forward].
    #[arg(long, value_enum)]
    pub relations: Option<RelationsFlag>,
    /// Where the engine `predicate` tracks a predicate that refuted a path: at the location
    /// where it was found, in its function, or everywhere.
    #[arg(long, value_enum, default_value_t = PredicatesFlag::Location)]
    pub predicates: PredicatesFlag,
    /// What the engines `predicate` and `shape` know of their predicates after a step: which
    /// combinations are possible, or only which hold and which do not, each for itself (coarser).
    #[arg(long, value_enum, default_value_t = AbstractionFlag::Boolean)]
    pub abstraction: AbstractionFlag,
    /// What the abstract post of the engine `shape` knows of the heap that it starts from: all of it, with
    /// answers kept for other heaps; all of it, and nothing is kept; or, with the Cartesian post, only the state and
    /// the object at hand.
    #[arg(long, value_enum, default_value_t = ContextFlag::Cached)]
    pub context: ContextFlag,
    /// Which automata the engine `trace` builds from interpolants: only the edges of the
    /// refuted trace and its loops, or all whose Hoare triples hold [default: enhanced].
    #[arg(long, value_enum)]
    pub automaton: Option<AutomatonFlag>,
    /// Write what an engine made to this folder: the automata of `trace`, as drawings (DOT) and as text,
    /// with a table of the refinement steps; the predicates of `predicate`, for --first-predicates; the Boolean rules and traces of `clp` without a partner; the questions of `bounded`, as clauses (DIMACS).
    #[arg(long, value_name = "DIR")]
    pub dump_automata: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct CfaFlags {
    #[command(flatten)]
    pub input: InputFlags,
    #[command(flatten)]
    pub property: PropertyFlags,
    /// How to print it.
    #[arg(long, value_enum, default_value_t = CfaFormat::Text)]
    pub format: CfaFormat,
    /// Show the program as the engines get it: memory split, sliced, calls inlined where that can be.
    #[arg(long)]
    pub simplified: bool,
}

#[derive(Debug, Args)]
pub struct RunFlags {
    #[command(flatten)]
    pub input: InputFlags,
    #[command(flatten)]
    pub property: PropertyFlags,
    #[command(flatten)]
    pub limits: LimitFlags,
    /// Nondeterministic values in the order in which the program asks: 3,-1,0.
    #[arg(long, value_name = "VALUES", value_delimiter = ',', allow_hyphen_values = true)]
    pub inputs: Vec<String>,
    /// Print each executed statement.
    #[arg(long)]
    pub trace: bool,
    /// Stop after this many steps.
    #[arg(long, value_name = "N", default_value_t = 100_000_000)]
    pub steps: u64,
}

#[derive(Debug, Args)]
pub struct SmtFlags {
    /// SMT-LIB 2.6 scripts; `-` is standard input.
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Check the proof of every `unsat` before it is printed.
    #[arg(long)]
    pub check_proofs: bool,
    /// Check every interpolant before it is printed.
    #[arg(long)]
    pub check_interpolants: bool,
    /// Write the clauses of the last check to this file (DIMACS).
    #[arg(long, value_name = "FILE")]
    pub dimacs: Option<PathBuf>,
    #[command(flatten)]
    pub limits: LimitFlags,
}

#[derive(Debug, Args)]
pub struct ChcFlags {
    /// A script; `-` is standard input.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// After `sat`, print the relations.
    #[arg(long)]
    pub model: bool,
    /// After `unsat`, print the derivation.
    #[arg(long)]
    pub proof: bool,
    /// How to search.
    #[arg(long, value_enum, default_value_t = ChcEngineFlag::Auto)]
    pub engine: ChcEngineFlag,
    /// Invariants that are not found by the search.
    #[arg(long, value_enum, default_value_t = Switch::On)]
    pub guess: Switch,
    /// How many engines `auto` may run side by side; with 1, runs repeat exactly [default: the
    /// processors there are].
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    #[command(flatten)]
    pub limits: LimitFlags,
    /// Say more: statistics.
    #[arg(long, short)]
    pub verbose: bool,
}

#[derive(Debug, Args)]
pub struct ClpFlags {
    #[command(flatten)]
    pub input: InputFlags,
    #[command(flatten)]
    pub property: PropertyFlags,
    /// As what.
    #[arg(long, value_enum, default_value_t = RulesFormat::Rules)]
    pub emit: RulesFormat,
    /// What the relations are about.
    #[arg(long, value_enum, default_value_t = RelationsFlag::Forward)]
    pub relations: RelationsFlag,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RulesFormat {
    /// Rules for people.
    Rules,
    /// SMT-LIB in the logic HORN, for any solver.
    Smt2,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ChcEngineFlag {
    /// Both of the following, exchanging what they learn.
    Auto,
    /// Property-directed reachability.
    Pdr,
    /// Constraint abstraction refinement: Boolean abstraction with interface predicates.
    Car,
}

#[derive(Debug, Args)]
pub struct ScanFlags {
    /// The project: a folder with C files or a compile_commands.json, or one file.
    #[arg(value_name = "DIR", default_value = ".")]
    pub folder: PathBuf,
    #[command(flatten)]
    pub settings: SettingsFlags,
    /// Verify every function instead of `main` only.
    #[arg(long)]
    pub each_function: bool,
    /// With what these are called: as a sane caller would call them, or with anything.
    #[arg(long, value_enum, default_value_t = Arguments::Sane)]
    pub arguments: Arguments,
    /// Properties [default: assert, div-by-zero, no-overflow, valid-deref, valid-shift]. May be
    /// given several times.
    #[arg(long = "property", short = 'p', value_name = "NAME")]
    pub properties: Vec<String>,
    /// Write all findings as one SARIF log.
    #[arg(long, value_name = "FILE")]
    pub sarif: Option<PathBuf>,
    /// Write an index and a report for each function to this folder.
    #[arg(long, value_name = "DIR")]
    pub report: Option<PathBuf>,
    /// Where answers are kept [default: .bolide-cache in the project].
    #[arg(long, value_name = "DIR")]
    pub cache: Option<PathBuf>,
    /// Reuse proofs from the database in this folder or on this PostgreSQL server, and keep new ones there.
    #[arg(long, value_name = "DIR|URL", value_parser = Place::parse)]
    pub proofs: Option<Place>,
    /// Run the work as a job array of this cluster; all its machines must see the same files.
    #[arg(long, value_enum, value_name = "CLUSTER", conflicts_with = "shard")]
    pub on: Option<Scheduler>,
    /// The I-th of N parts of the work, to share it between machines.
    #[arg(long, value_name = "I/N", value_parser = parse_shard)]
    pub shard: Option<(usize, usize)>,
    /// Functions at the same time [default: the processors there are].
    #[arg(long, short, value_name = "N")]
    pub jobs: Option<usize>,
    /// Time for each property of each function [default: 20s, unless there is --cpu-time].
    #[arg(long, value_parser = parse_duration, value_name = "TIME")]
    pub timeout: Option<Duration>,
    /// Processor time for each.
    #[arg(long, value_parser = parse_duration, value_name = "TIME")]
    pub cpu_time: Option<Duration>,
    /// Memory for each.
    #[arg(long, value_parser = parse_bytes, value_name = "SIZE", default_value = "2G")]
    pub memory: u64,
    /// Sizes of types.
    #[arg(long, value_enum, default_value_t = DataModel::Lp64, ignore_case = true)]
    pub data_model: DataModel,
    /// The compiler whose preprocessor reads files with directives.
    #[arg(long, value_name = "COMMAND", default_value = "cc")]
    pub cc: String,
    /// Search this folder for included files.
    #[arg(short = 'I', value_name = "DIR")]
    pub include_dirs: Vec<String>,
    /// Define a macro: NAME or NAME=VALUE.
    #[arg(short = 'D', value_name = "MACRO")]
    pub defines: Vec<String>,
    /// What a function without a body does: NAME=havoc, NAME=pure or NAME=error.
    #[arg(long = "model", value_name = "NAME=WHAT", value_parser = parse_model)]
    pub models: Vec<(String, External)>,
    /// A C file with bodies for functions that no file of the project defines.
    #[arg(long = "stub", value_name = "FILE")]
    pub stubs: Vec<PathBuf>,
    /// Findings of an earlier scan (its SARIF log): they are told, and the exit code does not count them.
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// Verify only what changed since this version (a branch or commit of git), with all it uses.
    #[arg(long, value_name = "VERSION")]
    pub against: Option<String>,
    /// Add a summary to this file: a table (Markdown) of what changed, for a pull request.
    #[arg(long, value_name = "FILE")]
    pub summary: Option<PathBuf>,
    /// List what there is to verify, one JSON object in each line, and stop.
    #[arg(long)]
    pub list: bool,
    /// Show no progress.
    #[arg(long, short)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
pub struct PlanFlags {
    #[command(subcommand)]
    pub command: PlanCommand,
}

#[derive(Debug, Subcommand)]
pub enum PlanCommand {
    /// Write a plan.
    New {
        /// The file; what the parts find is kept beside it.
        plan: PathBuf,
        /// How many parts.
        #[arg(long, value_name = "N")]
        parts: usize,
        /// `bench` or `scan` with its flags.
        #[arg(last = true, required = true, value_name = "COMMAND")]
        command: Vec<String>,
    },
    /// Run a part, or go on with it.
    Run {
        plan: PathBuf,
        /// Its number, from 0 on [default: what the scheduler says: SLURM_ARRAY_TASK_ID,
        /// JOB_COMPLETION_INDEX, AWS_BATCH_JOB_ARRAY_INDEX].
        #[arg(long, value_name = "I")]
        part: Option<usize>,
    },
    /// Join what all parts found.
    Merge {
        plan: PathBuf,
        /// Where the table (.csv) or the SARIF log goes.
        #[arg(long, short, value_name = "FILE")]
        output: PathBuf,
    },
}

/// Who runs the parts of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Scheduler {
    Slurm,
}

#[derive(Debug, Args)]
pub struct MergeFlags {
    /// SARIF logs of `bolide scan --shard`, or tables (.csv) of `bolide bench --shard`.
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Where the union goes.
    #[arg(long, short, value_name = "FILE")]
    pub output: PathBuf,
}

#[derive(Debug, Args)]
pub struct CheckFlags {
    /// The witness.
    #[arg(value_name = "WITNESS")]
    pub witness: PathBuf,
    #[command(flatten)]
    pub input: InputFlags,
    /// Without a property, the one that the witness states.
    #[command(flatten)]
    pub property: PropertyFlags,
    #[command(flatten)]
    pub limits: LimitFlags,
    /// How to search.
    #[arg(long, value_enum, default_value_t = EngineFlag::AUTO)]
    pub engine: EngineFlag,
    /// Say only the verdict.
    #[arg(long, short)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
pub struct BenchFlags {
    /// Task sets (.set), task definitions (.yml), tables (.tsv), or programs.
    #[arg(value_name = "TASKS", required_unless_present = "compare")]
    pub tasks: Vec<PathBuf>,
    /// The folder that the files of a table are relative to (else the table's own).
    #[arg(long, value_name = "DIR")]
    pub programs: Option<PathBuf>,
    /// Only tasks whose name contains this, or matches this pattern. May be given several times.
    #[arg(long, value_name = "TEXT")]
    pub only: Vec<String>,
    /// Only tasks of this property. May be given several times.
    #[arg(long, short, value_name = "NAME")]
    pub property: Vec<String>,
    /// Sizes of types for programs without a definition.
    #[arg(long, value_enum, default_value_t = DataModel::Lp64, ignore_case = true)]
    pub data_model: DataModel,
    /// Run the work as a job array of this cluster; all its machines must see the same files.
    #[arg(long, value_enum, value_name = "CLUSTER", conflicts_with = "shard")]
    pub on: Option<Scheduler>,
    /// Every N-th task beginning with the I-th, to share the work between machines.
    #[arg(long, value_name = "I/N", value_parser = parse_shard)]
    pub shard: Option<(usize, usize)>,
    /// At most so many tasks.
    #[arg(long, value_name = "N")]
    pub first: Option<usize>,
    /// Engines to run; several are compared.
    #[arg(long, value_enum, value_delimiter = ',')]
    pub engine: Vec<EngineFlag>,
    /// More flags for `bolide verify`.
    #[arg(long, value_name = "FLAGS", allow_hyphen_values = true)]
    pub args: Option<String>,
    /// Another tool: NAME=COMMAND. May be given several times.
    #[arg(long, value_name = "NAME=COMMAND")]
    pub tool: Vec<String>,
    /// Time for each task [default: 30s, unless there is --cpu-time].
    #[arg(long, value_parser = parse_duration, value_name = "TIME")]
    pub timeout: Option<Duration>,
    /// Processor time for each task.
    #[arg(long, value_parser = parse_duration, value_name = "TIME")]
    pub cpu_time: Option<Duration>,
    /// Memory for each task.
    #[arg(long, value_parser = parse_bytes, value_name = "SIZE", default_value = "4G")]
    pub memory: u64,
    /// Tasks at the same time (else half of the processors).
    #[arg(long, short, value_name = "N")]
    pub jobs: Option<usize>,
    /// Check the evidence too: a witness of each `true` by `bolide check`, a harness of each
    /// `false` by running it.
    #[arg(long)]
    pub validate: bool,
    /// Write the results to this file, as they come.
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Go on with the results that the file of --csv has.
    #[arg(long)]
    pub resume: bool,
    /// Draw solved tasks against time.
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Write a report for continuous integration.
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Compare two files of results instead of running anything.
    #[arg(long, num_args = 2, value_names = ["BEFORE", "AFTER"], conflicts_with = "tasks")]
    pub compare: Vec<PathBuf>,
    /// Say only what is wrong, and the summary.
    #[arg(long, short)]
    pub quiet: bool,
}

/// `1/4`: the first of four parts.
fn parse_shard(text: &str) -> Result<(usize, usize), String> {
    let parts = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
    match parts {
        Some((index, of)) if 1 <= index && index <= of => Ok((index, of)),
        _ => Err("write I/N with 1 <= I <= N, such as 2/4".into()),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DataModel {
    #[value(name = "ILP32")]
    Ilp32,
    #[value(name = "LP64")]
    Lp64,
}

impl DataModel {
    /// As flags, witnesses and tasks write it.
    pub fn name(self) -> &'static str {
        match self {
            DataModel::Ilp32 => "ILP32",
            DataModel::Lp64 => "LP64",
        }
    }
}

/// An engine of the table; none is `auto`.
#[derive(Clone, Copy)]
pub struct EngineFlag(pub Option<&'static Engine>);

impl EngineFlag {
    /// The choice is free.
    pub const AUTO: EngineFlag = EngineFlag(None);

    /// As on the command line.
    pub fn name(self) -> &'static str {
        self.0.map_or("auto", |engine| engine.name)
    }
}

impl std::fmt::Debug for EngineFlag {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl ValueEnum for EngineFlag {
    fn value_variants<'a>() -> &'a [Self] {
        static ALL: LazyLock<Vec<EngineFlag>> = LazyLock::new(|| {
            let engines = ENGINES.iter().map(|engine| EngineFlag(Some(engine)));
            std::iter::once(EngineFlag::AUTO).chain(engines).collect()
        });
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let summary = self.0.map_or("Chosen by the features of the program", |e| e.summary);
        Some(PossibleValue::new(self.name()).help(summary))
    }
}

#[derive(Debug, Args)]
pub struct ProofsFlags {
    /// The folder of the database, or the URL of one on a PostgreSQL server.
    #[arg(long = "proofs", value_name = "DIR|URL", default_value = ".bolide", global = true, value_parser = Place::parse)]
    pub place: Place,
    #[command(subcommand)]
    pub command: ProofsCommand,
}

#[derive(Debug, Subcommand)]
pub enum ProofsCommand {
    /// One line for each set of automata.
    List,
    /// Print one set of automata as text.
    Show {
        /// Its number in the list.
        id: i64,
    },
    /// Remove entries that are damaged or of another version.
    Prune {
        /// Of the sets of automata keep only so many, the newest; with 0, nothing.
        #[arg(long, value_name = "N")]
        keep: Option<u64>,
        /// Also remove what nobody has used for this time: 30d.
        #[arg(long, value_name = "TIME", value_parser = parse_duration)]
        unused_for: Option<Duration>,
    },
    /// How much there is.
    Stat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum External {
    Havoc,
    Pure,
    Error,
}

impl External {
    /// As on the command line.
    pub fn name(self) -> &'static str {
        match self {
            External::Havoc => "havoc",
            External::Pure => "pure",
            External::Error => "error",
        }
    }
}

impl From<External> for bolide_c_lower::External {
    fn from(flag: External) -> Self {
        match flag {
            External::Havoc => Self::Havoc,
            External::Pure => Self::Pure,
            External::Error => Self::Error,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CfaFormat {
    Text,
    Dot,
    Json,
    Svg,
}

/// Prints the completion script of a shell.
pub fn completions(shell: clap_complete::Shell) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Bolide::command(), "bolide", &mut script);
    output::bytes(&script);
    Exit::True
}

/// Prints the manual page, or writes that of each command.
pub fn man_page(folder: Option<&std::path::Path>) -> Exit {
    if let Some(folder) = folder {
        // Below: `bolide-verify.1` and its kind.
        let written = std::fs::create_dir_all(folder)
            .and_then(|()| clap_mangen::generate_to(Bolide::command(), folder));
        return match written {
            Ok(()) => Exit::True,
            Err(error) => {
                eprintln!("bolide: cannot write to `{}`: {error}", folder.display());
                Exit::Usage
            }
        };
    }
    let mut page = Vec::new();
    let rendered = clap_mangen::Man::new(Bolide::command()).render(&mut page);
    output::bytes(&page);
    if rendered.is_ok() { Exit::True } else { Exit::Internal }
}
