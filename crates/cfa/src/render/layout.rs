//! Layered drawing of a directed graph.
//!
//! After Sugiyama, Tagawa and Toda (1981): edges that go back are turned
//! around; each vertex gets a layer below all its predecessors; edges across
//! several layers are cut by dummy vertices; the order within layers is
//! improved by sweeps that sort by the mean place of the neighbours; vertices are then moved
//! towards their neighbours as far as the order leaves room.
//!
//! An edge may have a label: a vertex of the label's size on a layer of its
//! own between its ends, so that labels never overlap. Where dummies would be
//! too many (huge graphs with long edges), long edges are drawn straight.

/// A vertex to be placed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vertex {
    /// Width of its box.
    pub width: f64,
    /// Height of its box.
    pub height: f64,
}

/// An edge to be routed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// Source, by position in the list of vertices.
    pub from: usize,
    /// Target.
    pub to: usize,
    /// Size of its label; none for no label.
    pub label: Option<Vertex>,
}

/// A drawing; places are the middles of boxes.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    /// By vertex.
    pub vertices: Vec<(f64, f64)>,
    /// By link: the points that it passes, from source to target. Empty for loops from a
    /// vertex to itself.
    pub routes: Vec<Vec<(f64, f64)>>,
    /// By link: where its label is.
    pub labels: Vec<Option<(f64, f64)>>,
    /// Width and height of all.
    pub size: (f64, f64),
}

const GAP: f64 = 24.0;
const LAYER_GAP: f64 = 22.0;
const DUMMY_LIMIT: usize = 200_000;
const SWEEPS: usize = 12;

impl Link {
    /// Goes back in the flow: drawn upwards.
    pub fn is_back(&self) -> bool {
        self.to <= self.from
    }

    fn upper_and_lower(&self) -> (usize, usize) {
        (self.from.min(self.to), self.from.max(self.to))
    }
}

/// Lays a graph out. Links lead from earlier to later vertices; those that do not go back.
pub fn layout(vertices: &[Vertex], links: &[Link]) -> Layout {
    let layers = assign_layers(vertices.len(), links);
    let mut graph = Proper::new(vertices, links, &layers);
    graph.sort_layers();
    graph.place();
    graph.finish(vertices.len(), links)
}

/// Layers by longest path; locations are on even layers, labels between.
fn assign_layers(n: usize, links: &[Link]) -> Vec<usize> {
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); n];
    for link in links {
        if link.from != link.to {
            let (upper, lower) = link.upper_and_lower();
            below[upper].push(lower);
        }
    }
    let mut layer = vec![0; n];
    for v in 0..n {
        for &w in &below[v] {
            layer[w] = layer[w].max(layer[v] + 2);
        }
    }
    layer
}

/// A vertex of the proper layered graph: real, label or dummy.
struct Place {
    width: f64,
    height: f64,
    layer: usize,
    x: f64,
    y: f64,
    up: Vec<usize>,
    down: Vec<usize>,
}

struct Proper {
    places: Vec<Place>,
    layers: Vec<Vec<usize>>,
    /// By link: the chain of places from its upper to its lower end.
    chains: Vec<Vec<usize>>,
    /// By link: the place of its label.
    labels: Vec<Option<usize>>,
    height: f64,
}

impl Proper {
    fn new(vertices: &[Vertex], links: &[Link], layer: &[usize]) -> Proper {
        let depth = layer.iter().max().map_or(0, |d| d + 1);
        let mut graph = Proper {
            places: Vec::new(),
            layers: vec![Vec::new(); depth + 1],
            chains: Vec::new(),
            labels: Vec::new(),
            height: 0.0,
        };
        for (v, vertex) in vertices.iter().enumerate() {
            graph.add(*vertex, layer[v]);
            // The initial order is that of the flow.
            graph.layers[layer[v]].push(v);
        }
        let mut room = DUMMY_LIMIT;
        for link in links {
            if link.from == link.to {
                graph.chains.push(Vec::new());
                graph.labels.push(None);
                continue;
            }
            let (top, bottom) = link.upper_and_lower();
            // The label stands next to the source: that is where the choice is.
            let (a, b) = (layer[top], layer[bottom]);
            let label_layer = if link.is_back() { b - 1 } else { a + 1 };
            let long = b - a > 2 && b - a - 2 > room;
            let mut chain = vec![top];
            let mut label = None;
            for l in a + 1..b {
                let size = if l == label_layer { link.label } else { None };
                if long && l != label_layer {
                    continue;
                }
                if l != label_layer {
                    room = room.saturating_sub(1);
                }
                let place = graph.add(size.unwrap_or(Vertex { width: 4.0, height: 0.0 }), l);
                graph.layers[l].push(place);
                if size.is_some() {
                    label = Some(place);
                }
                chain.push(place);
            }
            chain.push(bottom);
            for pair in chain.windows(2) {
                if graph.places[pair[1]].layer == graph.places[pair[0]].layer + 1 {
                    graph.places[pair[0]].down.push(pair[1]);
                    graph.places[pair[1]].up.push(pair[0]);
                }
            }
            graph.chains.push(chain);
            graph.labels.push(label);
        }
        graph
    }

    fn add(&mut self, size: Vertex, layer: usize) -> usize {
        self.places.push(Place {
            width: size.width,
            height: size.height,
            layer,
            x: 0.0,
            y: 0.0,
            up: Vec::new(),
            down: Vec::new(),
        });
        self.places.len() - 1
    }

    /// Sweeps down and up; keeps the order with the fewest crossings.
    fn sort_layers(&mut self) {
        let mut position = vec![0.0; self.places.len()];
        let note = |layers: &[Vec<usize>], position: &mut [f64]| {
            for layer in layers {
                for (index, &p) in layer.iter().enumerate() {
                    position[p] = index as f64;
                }
            }
        };
        note(&self.layers, &mut position);
        let mut best = (self.crossings(&position), self.layers.clone());
        for sweep in 0..SWEEPS {
            if best.0 == 0 {
                break;
            }
            let down = sweep % 2 == 0;
            let n = self.layers.len();
            for step in 0..n {
                let l = if down { step } else { n - 1 - step };
                let mut keyed: Vec<(f64, usize)> = self.layers[l]
                    .iter()
                    .map(|&p| (self.near(p, down, |q| position[q]), p))
                    .collect();
                // Stable, so that equal means keep their order.
                keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
                for (index, (_, p)) in keyed.iter().enumerate() {
                    self.layers[l][index] = *p;
                    position[*p] = index as f64;
                }
            }
            let crossings = self.crossings(&position);
            if crossings < best.0 {
                best = (crossings, self.layers.clone());
            }
        }
        self.layers = best.1;
    }

    /// The mean of what the neighbours of a place have, above or below it; its own where it has none.
    fn near(&self, p: usize, above: bool, of: impl Fn(usize) -> f64) -> f64 {
        let near = if above { &self.places[p].up } else { &self.places[p].down };
        match near.len() {
            0 => of(p),
            count => near.iter().map(|&q| of(q)).sum::<f64>() / count as f64,
        }
    }

    /// Pairs of edges between neighbouring layers that cross.
    fn crossings(&self, position: &[f64]) -> u64 {
        let mut total = 0;
        for layer in &self.layers {
            let mut ends: Vec<usize> = Vec::new();
            for &p in layer {
                let mut targets: Vec<usize> =
                    self.places[p].down.iter().map(|&q| position[q] as usize).collect();
                targets.sort_unstable();
                ends.extend(targets);
            }
            total += inversions(&ends);
        }
        total
    }

    /// Coordinates: layers from top to bottom, then vertices towards their
    /// neighbours.
    fn place(&mut self) {
        let mut y = 0.0;
        for layer in &self.layers {
            let height = layer.iter().map(|&p| self.places[p].height).fold(0.0, f64::max);
            for &p in layer {
                self.places[p].y = y + height / 2.0;
            }
            y += height + LAYER_GAP;
        }
        self.height = y - LAYER_GAP;
        for layer in &self.layers {
            let mut x = 0.0;
            for &p in layer {
                self.places[p].x = x + self.places[p].width / 2.0;
                x += self.places[p].width + GAP;
            }
        }
        for round in 0..8 {
            let n = self.layers.len();
            for step in 0..n {
                let l = if round % 2 == 0 { step } else { n - 1 - step };
                self.relax(l, round % 2 == 0);
            }
        }
        let left = self.places.iter().map(|p| p.x - p.width / 2.0).fold(f64::INFINITY, f64::min);
        if left.is_finite() {
            self.places.iter_mut().for_each(|p| p.x -= left);
        }
    }

    /// Moves the vertices of a layer towards the mean of their neighbours,
    /// keeping order and gaps: the mean of a packing from the left and one from the right.
    fn relax(&mut self, l: usize, down: bool) {
        let layer = self.layers[l].clone();
        let wanted: Vec<f64> =
            layer.iter().map(|&p| self.near(p, down, |q| self.places[q].x)).collect();
        let n = layer.len();
        let distance = |a: usize, b: usize| {
            (self.places[layer[a]].width + self.places[layer[b]].width) / 2.0 + GAP
        };
        let (mut from_left, mut from_right) = (wanted.clone(), wanted);
        for i in 1..n {
            from_left[i] = from_left[i].max(from_left[i - 1] + distance(i - 1, i));
        }
        for i in (0..n.saturating_sub(1)).rev() {
            from_right[i] = from_right[i].min(from_right[i + 1] - distance(i, i + 1));
        }
        for i in 0..n {
            self.places[layer[i]].x = (from_left[i] + from_right[i]) / 2.0;
        }
    }

    fn finish(self, vertices: usize, links: &[Link]) -> Layout {
        let at = |p: usize| (self.places[p].x, self.places[p].y);
        let routes = links
            .iter()
            .zip(&self.chains)
            .map(|(link, chain)| {
                let mut points: Vec<(f64, f64)> = Vec::new();
                for (index, &p) in chain.iter().enumerate() {
                    let place = &self.places[p];
                    let half = place.height / 2.0;
                    // Leave boxes at their lower and enter them at their upper side.
                    if index > 0 {
                        points.push((place.x, place.y - half));
                    }
                    if index + 1 < chain.len() && (index == 0 || half > 0.0) {
                        points.push((place.x, place.y + half));
                    }
                }
                if link.is_back() {
                    points.reverse();
                }
                points
            })
            .collect();
        let width = self.places.iter().map(|p| p.x + p.width / 2.0).fold(0.0, f64::max);
        Layout {
            vertices: (0..vertices).map(at).collect(),
            routes,
            labels: self.labels.iter().map(|label| label.map(at)).collect(),
            size: (width, self.height.max(0.0)),
        }
    }
}

/// Pairs in the wrong order, by merging.
fn inversions(list: &[usize]) -> u64 {
    let mut from = list.to_vec();
    let mut to = from.clone();
    let (mut width, mut total) = (1, 0u64);
    while width < from.len() {
        for start in (0..from.len()).step_by(2 * width) {
            let (middle, end) =
                ((start + width).min(from.len()), (start + 2 * width).min(from.len()));
            let (mut i, mut j) = (start, middle);
            for slot in &mut to[start..end] {
                if j >= end || (i < middle && from[i] <= from[j]) {
                    *slot = from[i];
                    i += 1;
                } else {
                    *slot = from[j];
                    total += (middle - i) as u64;
                    j += 1;
                }
            }
        }
        std::mem::swap(&mut from, &mut to);
        width *= 2;
    }
    total
}
