//! Programs that the tests of several engines share.

/// The lock of the paper on lazy abstraction with interpolants, Figure 1.
pub const LOCK: &str = r#"
program LP64
entry main
check C0 unreach-call "lock is taken twice"
function main() -> result : i32
  local lock : i32
  local old : i32
  local new : i32
  local n : i32
  entry L0 exit L9
  L8: error C0
  L0 -> L1 : lock := 0:i32
  L1 -> L2 : new := 0:i32
  L2 -> L8 : assume lock != 0:i32
  L2 -> L3 : assume lock == 0:i32
  L3 -> L4 : lock := 1:i32
  L4 -> L5 : old := new
  L5 -> L6 : n := nondet input "n"
  L6 -> L7 : assume n != 0:i32
  L7 -> L10 : lock := 0:i32
  L10 -> L11 : new := new + 1:i32
  L6 -> L11 : assume n == 0:i32
  L11 -> L2 : assume new != old
  L11 -> L9 : assume new == old
"#;
