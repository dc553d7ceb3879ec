//! "Did you mean": the nearest of the names there are.

/// ` (did you mean `NAME`?)`, or nothing where no name is near.
pub fn did_you_mean<'n>(word: &str, names: impl IntoIterator<Item = &'n str>) -> String {
    let near = names.into_iter().map(|name| (strsim::jaro_winkler(word, name), name));
    match near.max_by(|a, b| a.0.total_cmp(&b.0)).filter(|(likeness, _)| *likeness > 0.8) {
        Some((_, name)) => format!(" (did you mean `{name}`?)"),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::did_you_mean;

    #[test]
    fn only_near_names_are_suggested() {
        let names = ["no-overflow", "valid-deref", "unreach-call"];
        assert_eq!(did_you_mean("no-overfow", names), " (did you mean `no-overflow`?)");
        assert_eq!(did_you_mean("valid-defer", names), " (did you mean `valid-deref`?)");
        assert_eq!(did_you_mean("termination", names), "");
    }
}
