//! The report in plain words.

use std::fmt;

use glam::DVec3;

use super::MeshReport;
use crate::numbers::coordinate;

impl MeshReport {
    /// One sentence per fact: what there is, what is wrong with it, and what to do about it.
    pub fn sentences(&self) -> Vec<String> {
        let mut said = vec![format!(
            "{}, {}, {}",
            counted(self.vertices, "vertex", "vertices"),
            counted(self.triangles, "triangle", "triangles"),
            counted(self.components, "component", "components"),
        )];
        if self.triangles == 0 {
            said.push("empty: there is no surface".into());
            return said;
        }
        let size = self.bounds.extent();
        said.push(format!("size: {} x {} x {}", short(size.x), short(size.y), short(size.z)));
        // To some digits of the size, wherever it lies.
        let place = |v: DVec3, axis: usize| coordinate(v[axis], 1e-4 * size[axis]);
        let corner = |v: DVec3| format!("({}, {}, {})", place(v, 0), place(v, 1), place(v, 2));
        said.push(format!("box: {} to {}", corner(self.bounds.min), corner(self.bounds.max)));
        said.push(format!("area: {}", short(self.area)));
        if self.is_solid() {
            said.push(format!("volume: {}", short(self.signed_volume)));
        }
        said.push(format!("closed: {}", if self.is_closed() { "yes" } else { "no" }));
        self.say_faults(&mut said);
        said
    }

    fn say_faults(&self, said: &mut Vec<String>) {
        if self.is_flat {
            said.push(
                "flat: it encloses nothing; give it a thickness, or take it as a sheet with '--sign oriented'".into(),
            );
        }
        // What a flat surface has no use for: no method makes a solid of it.
        let advised = |advice: &'static str| if self.is_flat { "" } else { advice };
        let mut say = |count: usize, one: &str, many: &str, rest: &str| {
            if count > 0 {
                said.push(format!("{}{rest}", counted(count, one, many)));
            }
        };
        say(
            self.boundary_loops,
            "hole",
            "holes",
            &format!(
                " with {}: the surface is not closed{}",
                counted(self.boundary_edges, "boundary edge", "boundary edges"),
                advised("; `isotouch field` caps holes, or takes it as a sheet with '--sign oriented'"),
            ),
        );
        say(
            self.nonmanifold_edges,
            "edge joins",
            "edges join",
            &format!(
                " more than two triangles: the surface branches there, at duplicate or inner faces{}",
                advised("; `isotouch field` takes it, by winding numbers or as a soup"),
            ),
        );
        say(
            self.flipped_edges,
            "edge lies",
            "edges lie",
            &format!(
                " between triangles that face opposite ways{}",
                advised("; `isotouch field` takes it as a soup, whatever they face"),
            ),
        );
        say(
            self.duplicate_triangles,
            "triangle repeats",
            "triangles repeat",
            " another one's corners; remove the copies",
        );
        say(
            self.degenerate_triangles,
            "triangle has",
            "triangles have",
            " no area; harmless for distances, but removing them is cleaner",
        );
        say(
            self.repeated_vertices,
            "vertex repeats",
            "vertices repeat",
            " another one's position; counted as one here",
        );
        say(self.unused_vertices, "vertex is", "vertices are", " used by no triangle");
        say(self.cavities, "component bounds a hollow", "components bound a hollow", " inside another one");
        if self.is_wound_inward() {
            said.push(
                "wound inward: the triangles face the inside; `isotouch field` turns it by itself".into(),
            );
        } else {
            say(
                self.inward_components,
                "component is wound inward: its",
                "components are wound inward: their",
                " triangles face the inside; `isotouch field` turns them by itself, unless they cross others",
            );
        }
    }
}

impl fmt::Display for MeshReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentences().join("\n"))
    }
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Four significant digits, without a power of ten where few zeros do.
fn short(value: f64) -> String {
    let rounded: f64 = format!("{value:.3e}").parse().unwrap_or(value);
    if rounded == 0.0 || (1e-4..1e7).contains(&rounded.abs()) {
        format!("{rounded}")
    } else {
        format!("{rounded:e}")
    }
}
