//! Cut points, and the paths between them.
//!
//! Abstraction happens at cut points only: heads of loops, and places where
//! more than a few paths meet. What lies between two cut points is executed
//! symbolically, one path at a time.

use bolide_base::{HashMap, HashSet};
use bolide_cfa::LocId;
use bolide_heap::program::view::View;

/// A path from a cut point to the next, or to an error location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// Where it starts.
    pub from: LocId,
    /// Where it ends.
    pub to: LocId,
    /// Numbers of steps of the view.
    pub steps: Vec<usize>,
}

/// Paths that may meet before their meeting place becomes a cut point. (Three conditions in a row, as in Figure 5.1 of the
/// thesis, need no abstraction.)
const MEETING: u64 = 12;

/// The locations, predecessors before successors but for loops, and the heads of loops.
fn order(view: &View) -> (Vec<LocId>, HashSet<LocId>) {
    let (mut done, mut open) = (HashSet::default(), HashSet::default());
    let mut heads = HashSet::default();
    let mut order = Vec::new();
    let mut stack = vec![(view.entry, 0)];
    open.insert(view.entry);
    while let Some((location, next)) = stack.last_mut() {
        let here = *location;
        let steps = view.outgoing.get(&here).map_or(&[][..], Vec::as_slice);
        match steps.get(*next) {
            Some(&step) => {
                *next += 1;
                let to = view.steps[step].to;
                if open.contains(&to) {
                    heads.insert(to);
                } else if !done.contains(&to) {
                    open.insert(to);
                    stack.push((to, 0));
                }
            }
            None => {
                open.remove(&here);
                done.insert(here);
                order.push(here);
                stack.pop();
            }
        }
    }
    order.reverse();
    (order, heads)
}

/// The cut points in topological order, the entry first.
pub fn cut_points(view: &View) -> Vec<LocId> {
    let (order, heads) = order(view);
    let mut count: HashMap<LocId, u64> = HashMap::default();
    let mut cuts = Vec::new();
    for location in order {
        let meeting = count.get(&location).copied().unwrap_or(0);
        let cut = location == view.entry
            || heads.contains(&location)
            || meeting > MEETING && !view.errors.contains_key(&location);
        if cut {
            cuts.push(location);
        }
        let leaving = if cut { 1 } else { meeting };
        for &step in view.outgoing.get(&location).map_or(&[][..], Vec::as_slice) {
            *count.entry(view.steps[step].to).or_default() += leaving;
        }
    }
    cuts
}

/// The paths that leave a cut point.
pub fn paths(view: &View, cuts: &[LocId], from: LocId) -> Vec<Path> {
    let mut found = Vec::new();
    let mut stack: Vec<(LocId, Vec<usize>)> = vec![(from, Vec::new())];
    while let Some((location, steps)) = stack.pop() {
        for &step in view.outgoing.get(&location).map_or(&[][..], Vec::as_slice) {
            let to = view.steps[step].to;
            let mut longer = steps.clone();
            longer.push(step);
            if cuts.contains(&to) || view.errors.contains_key(&to) {
                found.push(Path { from, to, steps: longer });
            } else {
                stack.push((to, longer));
            }
        }
    }
    found.sort_by(|a, b| a.steps.cmp(&b.steps));
    found
}
