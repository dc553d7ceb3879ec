//! `bolide proofs`: what is in a store, and its expiry.

use super::database::{Database, VERSION, usable};
use super::place::Place;
use super::sql::{Cell, Sql, Trouble};
use super::sqlite;
use crate::exit::{Exit, Stop};
use crate::flags::{ProofsCommand, ProofsFlags};
use std::time::Duration;

/// Answers about a store, or tidies it up.
pub fn proofs(flags: &ProofsFlags) -> Result<Exit, Stop> {
    if let Place::Folder(folder) = &flags.place
        && !folder.join(sqlite::FILE).exists()
    {
        return Err(format!("there is no database of proofs in `{}`", folder.display()).into());
    }
    let mut database = Database::open(&flags.place)?;
    let text = match &flags.command {
        ProofsCommand::List => list(&mut database),
        ProofsCommand::Show { id } => show(&mut database, *id),
        ProofsCommand::Prune { keep, unused_for } => prune(&mut database, *keep, *unused_for),
        ProofsCommand::Stat => stat(&mut database),
    };
    print!("{}", text.map_err(|e| format!("`{}`: {e}", flags.place))?);
    Ok(Exit::True)
}

/// One line for each entry of automata.
fn list(database: &mut Database) -> Result<String, Trouble> {
    let mut out = String::from("id\tversion\tletters\tautomata\tpredicates\tunused days\tstate\n");
    let all = "SELECT id, letters, version, checksum, used, content FROM automata ORDER BY id";
    for row in database.sql.query(all, &[])? {
        let (id, letters, version) = (row[0].int(), row[1].int(), row[2].int());
        let state = match (version == VERSION, usable(&row[2..])) {
            (false, _) => "other version",
            (true, Err(_)) => "damaged",
            (true, Ok(_)) => "ok",
        };
        let content = if let Cell::Text(text) = &row[5] { text } else { "" };
        let sizes: Vec<usize> = content
            .lines()
            .find_map(|l| l.strip_prefix("automata "))
            .map(|l| l.split_whitespace().filter_map(|w| w.parse().ok()).collect())
            .unwrap_or_default();
        let (count, predicates) = (sizes.len(), sizes.iter().sum::<usize>());
        let unused = database.today - row[4].int();
        out += &format!("{id}\t{version}\t{letters}\t{count}\t{predicates}\t{unused}\t{state}\n");
    }
    Ok(out)
}

fn show(database: &mut Database, id: i64) -> Result<String, Trouble> {
    let find = "SELECT version, checksum, used, content FROM automata WHERE id = $1";
    let rows = database.sql.query(find, &[Cell::Int(id)])?;
    Ok(match rows.first().map(|row| usable(row)) {
        None => format!("no entry {id}\n"),
        Some(Ok(content)) => content.to_owned(),
        Some(Err(why)) => format!("{why}\n"),
    })
}

/// The tables of entries, with their keys.
const ENTRIES: [(&str, &str); 3] =
    [("automata", "id"), ("answer", "key"), ("heap_question", "key")];

/// Removes unusable entries, those that nobody used for some time, and all but the newest `keep` sets of
/// automata; gives the space back.
pub fn prune(
    database: &mut Database,
    keep: Option<u64>,
    unused_for: Option<Duration>,
) -> Result<String, Trouble> {
    let mut unusable: Vec<(String, Cell)> = Vec::new();
    for (table, key) in ENTRIES {
        let all = format!("SELECT {key}, version, checksum, used, content FROM {table}");
        let rows = database.sql.query(&all, &[])?;
        let bad = rows.into_iter().filter(|row| usable(&row[1..]).is_err());
        let delete = format!("DELETE FROM {table} WHERE {key} = $1 RETURNING {key}");
        unusable.extend(bad.map(|row| (delete.clone(), row[0].clone())));
    }
    let since = unused_for.map(|time| database.today - (time.as_secs() / 86_400) as i64);
    let removed = database.transaction(|sql| {
        let mut removed = 0;
        let mut remove = |sql: &mut dyn Sql, delete: &str, cells: &[Cell]| {
            sql.query(delete, cells).map(|rows| removed += rows.len())
        };
        for (delete, key) in &unusable {
            remove(sql, delete, std::slice::from_ref(key))?;
        }
        if let Some(since) = since {
            for (table, key) in ENTRIES {
                let delete = format!("DELETE FROM {table} WHERE used < $1 RETURNING {key}");
                remove(sql, &delete, &[Cell::Int(since)])?;
            }
        }
        if let Some(keep) = keep {
            let newest = "SELECT id FROM automata ORDER BY id DESC LIMIT $1";
            let delete = format!("DELETE FROM automata WHERE id NOT IN ({newest}) RETURNING id");
            remove(sql, &delete, &[Cell::Int(keep as i64)])?;
            if keep == 0 {
                remove(sql, "DELETE FROM answer RETURNING key", &[])?;
                remove(sql, "DELETE FROM heap_question RETURNING key", &[])?;
            }
        }
        sql.query("DELETE FROM letter WHERE automata NOT IN (SELECT id FROM automata)", &[])?;
        Ok(removed)
    })?;
    database.sql.reclaim()?;
    Ok(format!("removed {removed} entries\n"))
}

/// Days that the statistics of visits look back.
const WEEK: i64 = 7;

pub fn stat(database: &mut Database) -> Result<String, Trouble> {
    let today = database.today;
    let size = database.sql.size()?;
    let mut count = |sql: &str, cells: &[Cell]| -> Result<i64, Trouble> {
        Ok(database.sql.query(sql, cells)?.first().map_or(0, |row| row[0].int()))
    };
    let automata = count("SELECT count(*) FROM automata", &[])?;
    let letters = count("SELECT count(DISTINCT hash) FROM letter", &[])?;
    let answers = count("SELECT count(*) FROM answer", &[])?;
    let questions = count("SELECT count(*) FROM heap_question", &[])?;
    let mut text = 0;
    let mut recent = 0;
    for (table, _) in ENTRIES {
        text += count(&format!("SELECT CAST(sum(length(content)) AS BIGINT) FROM {table}"), &[])?;
        let used = format!("SELECT count(*) FROM {table} WHERE used > $1");
        recent += count(&used, &[Cell::Int(today - WEEK)])?;
    }
    let visits =
        |what: &str| format!("SELECT CAST(sum({what}) AS BIGINT) FROM visit WHERE day > $1");
    let asked = count(&visits("asked"), &[Cell::Int(today - WEEK)])?;
    let found = count(&visits("found"), &[Cell::Int(today - WEEK)])?;
    Ok(format!(
        "sets of automata: {automata}\nletters: {letters}\nanswers with proofs: {answers}\n\
         heap questions: {questions}\ntext: {text} bytes\nstore: {size} bytes\n\
         used in the last {WEEK} days: {recent} entries; asked {asked} times, known {found} times\n"
    ))
}
