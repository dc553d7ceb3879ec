//! SARIF logs against the schema of OASIS (`schemas/sarif-2.1.0.json`, as the
//! crate `serde-sarif` ships it).

use bolide_evidence::account::{Account, Change, Finding, Note, Place, SourceFile, Step};
use bolide_evidence::sarif;
use serde_json::Value;

fn account(finding: Finding) -> Account {
    let place = Place { file: 0, line: 2, column: 4 };
    Account {
        program: "a b.c".into(),
        properties: vec!["no-overflow".into()],
        finding,
        engine: "execution".into(),
        files: vec![SourceFile {
            name: "src/a b.c".into(),
            text: "int x;\nü x + 1;\n".into(),
            colours: Vec::new(),
        }],
        steps: vec![Step {
            place,
            function: "main".into(),
            depth: 0,
            words: Vec::new(),
            changes: vec![Change { depth: Some(0), name: "x".into(), value: "7".into() }],
            edges: vec![1],
            heap: None,
        }],
        notes: vec![Note { place, kind: "invariant", text: "x < 3".into() }],
        assumptions: vec!["`f` has no body".into()],
        heat: (String::new(), Vec::new()),
        measures: Vec::new(),
        graphs: Vec::new(),
        not_drawn: Vec::new(),
        version: "0.1.0".into(),
    }
}

fn findings() -> Vec<Finding> {
    vec![
        Finding::Holds { obligations: 3, how: String::new() },
        Finding::Violated {
            property: "no-overflow".into(),
            message: "`x + 1` overflows".into(),
            place: Some(Place { file: 0, line: 2, column: 4 }),
            inputs: vec![("f".into(), "2147483647".into())],
        },
        Finding::Undecided { reason: "the time limit".into(), advice: vec!["more time".into()] },
    ]
}

fn validator() -> jsonschema::Validator {
    // The pattern of languages has a bracket too many, which only lenient
    // regular expressions allow; we write no language.
    let text = include_str!("schemas/sarif-2.1.0.json").replace("[a-zA-Z]{2}]?$", "[a-zA-Z]{2}$");
    let schema: Value = serde_json::from_str(&text).unwrap();
    jsonschema::validator_for(&schema).unwrap()
}

#[test]
fn logs_conform_to_the_schema() {
    let validator = validator();
    let mut runs = Vec::new();
    for finding in findings() {
        let log = sarif::log(&account(finding));
        let errors: Vec<String> = validator
            .iter_errors(&log)
            .map(|e| format!("{} at {}", e, e.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{}\n{log:#}", errors.join("\n"));
        runs.extend(log["runs"].as_array().unwrap().clone());
    }
    assert!(validator.is_valid(&sarif::join(runs)));
    // The judge does judge.
    let mut wrong = sarif::log(&account(Finding::Holds { obligations: 0, how: String::new() }));
    wrong["runs"][0]["results"] = serde_json::json!([{ "level": "dreadful" }]);
    assert!(!validator.is_valid(&wrong));
}

#[test]
fn a_violation_is_a_result_with_place_rule_and_flow() {
    let log = sarif::log(&account(findings().remove(1)));
    let result = &log["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "no-overflow");
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "src/a%20b.c");
    assert_eq!(place["region"]["startLine"], 2);
    // `ü` is two bytes and one unit of UTF-16.
    assert_eq!(place["region"]["startColumn"], 3);
    let flow = &result["codeFlows"][0]["threadFlows"][0]["locations"][0];
    assert_eq!(flow["state"]["x"]["text"], "7");
    let index = result["ruleIndex"].as_u64().unwrap() as usize;
    assert_eq!(log["runs"][0]["tool"]["driver"]["rules"][index]["id"], "no-overflow");
}

#[test]
fn what_is_no_violation_raises_no_alert() {
    for (finding, verdict) in [(0, "true"), (2, "unknown")] {
        let log = sarif::log(&account(findings().remove(finding)));
        assert_eq!(log["runs"][0]["results"], serde_json::json!([]));
        assert_eq!(log["runs"][0]["properties"]["bolide/verdict"], verdict);
    }
}
