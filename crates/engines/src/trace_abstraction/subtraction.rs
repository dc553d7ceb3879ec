//! One more automaton is subtracted: the difference is continued, not explored again.
//!
//! The view of the new automaton is run along the nodes, in the order of their creation; nodes
//! whose trace it accepts are removed with all that follows from them. Then calls are looked after
//! whose context now assumes more than they know, and coverings that no longer hold are given up.

use super::automaton::MacroId;
use super::views::{Sets, Views};
use bolide_reachability::arg::exploration::Domain;
use bolide_reachability::arg::{Arrival, ContextId, Graph, NodeId};
use bolide_reachability::verdict::Reason;

/// Continues the difference after an automaton was added to the views.
pub fn subtract_last(
    views: &mut Views<'_, '_>,
    difference: &mut Graph<Sets>,
) -> Result<(), Reason> {
    for node in nodes(difference) {
        extend(views, difference, node)?;
    }
    enter_again(views, difference)?;
    for node in nodes(difference) {
        let (label, location) = (&difference.node(node).label, difference.node(node).location);
        match difference.covered_by(node) {
            Some(by) if views.subsumes(&difference.node(by).label, label) => {}
            Some(_) => difference.uncover(node),
            None if views.is_error(location) => difference.wait(node),
            None => {}
        }
    }
    Ok(())
}

fn nodes(difference: &Graph<Sets>) -> Vec<NodeId> {
    difference.nodes().map(|(id, _)| id).collect()
}

/// Runs the view of the last automaton to a node; what it accepts goes.
fn extend(
    views: &mut Views<'_, '_>,
    difference: &mut Graph<Sets>,
    node: NodeId,
) -> Result<(), Reason> {
    let (index, nothing) = (views.automata.len() - 1, (MacroId::TRUE, MacroId::TRUE));
    while !difference.is_removed(node) {
        let at = difference.node(node);
        let known = |other: NodeId| {
            let sets = &difference.node(other).label;
            (sets[index], sets[0])
        };
        let (letter, here, there) = match &at.arrival {
            Arrival::Start => (views.alphabet.start(), nothing, nothing),
            Arrival::Block(parent, block) => (views.alphabet.block(block), known(*parent), nothing),
            Arrival::Call(from, site) => (views.alphabet.call(site).0, known(*from), nothing),
            Arrival::Return(caller, site, exit) => {
                (views.alphabet.call(site).1, known(*exit), known(*caller))
            }
        };
        let set = views.step(index, letter, at.location, here, there)?;
        match (at.arrival.clone(), set) {
            (Arrival::Call(from, site), MacroId::FALSE) => {
                // The function may still be entered from elsewhere.
                let context = at.context;
                difference.detach(from, &site, context);
            }
            (_, MacroId::FALSE) => difference.remove_subtree(node),
            _ => {
                difference.label_mut(node).push(set);
                return Ok(());
            }
        }
    }
    Ok(())
}

/// Looks after all calls once a new automaton's view was run along the nodes. Those that the
/// automaton excludes are taken back; those whose context now assumes
/// more than they know, or is gone, look for another one.
fn enter_again(views: &mut Views<'_, '_>, difference: &mut Graph<Sets>) -> Result<(), Reason> {
    let mut again = Vec::new();
    let contexts: Vec<ContextId> = difference.contexts().map(|(id, _)| id).collect();
    for context in contexts {
        for (caller, site) in difference.context(context).callers.clone() {
            let root = difference.context(context).root;
            let Some(root) = root.filter(|_| !difference.is_removed(caller)) else { continue };
            let entry = views.program.entry_of(site.callee);
            let inside = views.after_call(&difference.node(caller).label, &site, entry)?;
            match inside {
                Some(inside) if views.serves(&difference.node(root).label, &inside)? => {}
                inside => {
                    difference.detach(caller, &site, context);
                    again.extend(inside.map(|_| (caller, site)));
                }
            }
        }
    }
    again.extend(difference.take_orphans());
    for (caller, site) in again {
        if !difference.is_removed(caller) {
            difference.enter(views, caller, &site)?;
        }
    }
    Ok(())
}
