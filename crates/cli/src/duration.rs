//! Durations and sizes as people write them: `30s`, `2m`, `500ms`, `4G`, `500M`.

use std::time::Duration;

/// `90`, `90s`, `500ms`, `2m`, `1h`, `30d`; a bare number is seconds.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let (number, unit) = split(text)?;
    let seconds = match unit {
        "" | "s" => 1.0,
        "ms" => 1e-3,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        "d" => 86_400.0,
        _ => return Err(format!("`{unit}` is not a unit of time: use ms, s, m, h or d")),
    };
    Duration::try_from_secs_f64(number * seconds).map_err(|e| e.to_string())
}

/// `500M`, `4G`, `1000000`; a bare number is bytes, units are powers of 1024.
pub fn parse_bytes(text: &str) -> Result<u64, String> {
    let (number, unit) = split(text)?;
    let factor = match unit.trim_end_matches("iB").trim_end_matches('B') {
        "" => 1u64,
        "k" | "K" => 1 << 10,
        "M" => 1 << 20,
        "G" => 1 << 30,
        "T" => 1 << 40,
        _ => return Err(format!("`{unit}` is not a unit of memory: use K, M, G or T")),
    };
    Ok((number * factor as f64) as u64)
}

fn split(text: &str) -> Result<(f64, &str), String> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let number: f64 =
        text[..end].parse().map_err(|_| format!("`{text}` does not begin with a number"))?;
    Ok((number, text[end..].trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_understood() {
        assert_eq!(parse_duration("1.5s"), Ok(Duration::from_millis(1500)));
        assert_eq!(parse_duration("2m"), Ok(Duration::from_secs(120)));
        assert_eq!(parse_duration("30"), Ok(Duration::from_secs(30)));
        assert!(parse_duration("s").is_err());
        assert!(parse_duration("3 weeks").is_err());
        assert_eq!(parse_bytes("500M"), Ok(500 << 20));
        assert_eq!(parse_bytes("4GiB"), Ok(4 << 30));
        assert!(parse_bytes("4X").is_err());
    }
}
