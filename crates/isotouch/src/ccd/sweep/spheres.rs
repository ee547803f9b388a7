//! Spheres that move: from when on may one of their points be in contact?

use super::Question;
use super::pieces::Span;
use crate::ccd::Segment;

/// Steps along the chord of a sphere after which its parts are looked at instead. Fewer leaves more spheres in doubt; more are spent
/// on spheres that come near something anyway.
const MOST_STEPS: usize = 12;

/// A sphere that may be in contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Doubt {
    pub(super) node: u32,
    pub(super) span: Span,
    /// From when on.
    pub(super) t: f64,
    /// Whether parts of the time should be looked at before parts of the sphere.
    is_crooked: bool,
}

impl Question<'_> {
    /// From when on a point of a node may be in contact during a span; `None` is a proof that none is. Up to the time `since` that is known already,
    /// of a sphere around this one: so no part is in doubt before its whole, although bounds outside the field's box might have it so.
    #[inline]
    pub(super) fn doubt(&self, node: u32, span: Span, since: f64) -> Option<Doubt> {
        let sphere = self.sweep.shell.tree().sphere(node as usize);
        let off = self.pieces.off(span, sphere.center.length() + sphere.radius);
        let threshold = self.clear_of_points + self.sweep.lipschitz * (sphere.radius + off);
        let [from, to] = self.pieces.ends_of(span);
        let chord = Segment::new(from.transform_point3(sphere.center), to.transform_point3(sphere.center));
        let t = self.first_within(&chord, threshold, span.part(since))?;
        Some(Doubt { node, span, t: span.time(t), is_crooked: off > 0.5 * sphere.radius })
    }

    /// The first time, not before `from`, at which the solid may be nearer to a path than that. From where it is farther the path is free for as long as
    /// it takes to come there.
    #[inline]
    fn first_within(&self, path: &Segment, threshold: f64, from: f64) -> Option<f64> {
        let field = self.sweep.field;
        // A path of no length takes an infinite step. A little less, for rounding.
        let per_clear = (1.0 - 1e-9) / (self.sweep.lipschitz * path.from.distance(path.to));
        let mut t = from;
        if t > 1.0 {
            return None;
        }
        for _ in 0..MOST_STEPS {
            let place = path.at(t);
            // One node tells nearly as well as eight, and sooner; but of a point outside only, for depths may be understated.
            let by_node = field.lower_bound_by_node(place);
            let bound = if by_node > threshold.max(0.0) { by_node } else { field.lower_bound(place) };
            let clear = bound - threshold;
            // Written so that NaN is in doubt.
            let is_clear = clear > 0.0;
            if !is_clear {
                return Some(t);
            }
            t += clear * per_clear;
            if t > 1.0 {
                return None;
            }
        }
        Some(t)
    }

    /// From when on the search by the tree leaves a point in doubt during a piece; `None` if it does not come to ask it. What the field only bounds,
    /// outside its box, spheres may know better; so a contact there counts from then on.
    pub(super) fn left_in_doubt(&self, point: u32, piece: u32) -> Option<f64> {
        let tree = self.sweep.shell.tree();
        let place = self.sweep.place_of(point);
        let (mut next, mut since) = ((0, Span::WHOLE), 0.0);
        while let Some(doubt) = self.doubt(next.0, next.1, since) {
            since = doubt.t;
            next = match self.parts(&doubt) {
                Parts::None => return Some(doubt.t),
                Parts::Times(spans) => {
                    let holds = |span: &Span| piece >> (self.pieces.halvings - span.halvings) == span.index;
                    (doubt.node, if holds(&spans[0]) { spans[0] } else { spans[1] })
                }
                Parts::Nodes(mut nodes) => {
                    let holds = |node: &u32| tree.point_range(*node as usize).contains(&place);
                    match nodes.find(holds) {
                        Some(node) => (node, doubt.span),
                        None => return Some(doubt.t),
                    }
                }
            };
        }
        None
    }

    /// The next smaller questions about a node in doubt; none for one piece of a leaf, whose points are to be asked.
    pub(super) fn parts(&self, of: &Doubt) -> Parts {
        let children = self.sweep.shell.tree().children(of.node as usize);
        let may_halve = of.span.halvings < self.pieces.halvings;
        if may_halve && (of.is_crooked || children.is_empty()) {
            return Parts::Times(of.span.halves());
        }
        if children.is_empty() {
            Parts::None
        } else {
            Parts::Nodes(children.start as u32..children.end as u32)
        }
    }
}

pub(super) enum Parts {
    Times([Span; 2]),
    Nodes(std::ops::Range<u32>),
    None,
}
