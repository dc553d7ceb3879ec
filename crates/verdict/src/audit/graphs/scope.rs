//! What a list owns is there once for each of its elements.

use bolide_heap::graph::NodeId;

/// The scope in which there is one of what a chain owns, seen from another. Scopes are elements of lists: of which chain, and in which
/// scope that list is; they count from one, and zero is the whole state.
pub fn scope<T>(
    scopes: &[(NodeId, T, usize)],
    owner: Option<NodeId>,
    mut from: usize,
) -> Option<usize> {
    let Some(owner) = owner else { return Some(0) };
    while from > 0 {
        let (chain, _, around) = &scopes[from - 1];
        if *chain == owner {
            return Some(from);
        }
        from = *around;
    }
    None
}
