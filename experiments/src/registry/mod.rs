//! The experiments, one file each.

mod accuracy;
mod agreement;
mod alpha;
mod band;
mod bisection;
mod cloth;
mod cloth_stretch;
mod exact;
mod flag_wires;
mod god_object;
mod haptic_alpha;
mod haptic_loops;
mod landing_gear;
mod motions;
mod normals;
mod nut_bolt;
mod peg;
mod peg_stiffness;
mod pile;
mod programs;
mod rays;
mod shorts;
mod sliding;
mod stability;
mod stuck;
mod surface;
mod table1;
mod table2;
mod table3;
mod table4;
mod table_2003;
mod three_bars;
mod wall;
mod wires;

use std::path::PathBuf;

use crate::models::{Model, Models, built_in_blob};
use crate::report::Report;

/// Something that can be run and gives tables.
pub(crate) struct Experiment {
    pub(crate) name: &'static str,
    /// One line for the list.
    pub(crate) about: &'static str,
    /// A heading for the results.
    pub(crate) title: &'static str,
    pub(crate) run: fn(&Setup) -> anyhow::Result<Report>,
}

/// What an experiment is given.
pub(crate) struct Setup {
    /// Only show that it works.
    pub(crate) quick: bool,
    pub(crate) models: Models,
    pub(crate) threads: usize,
    /// Queries, steps or seconds, and the file with the state, for the experiments that have them.
    pub(crate) count: Option<u64>,
    pub(crate) state: Option<PathBuf>,
    /// Seconds of the long session of the experiment that has one.
    pub(crate) soak: Option<u64>,
}

impl Setup {
    /// The bunny; in the small version, where there are no models, a blob stands in for it.
    pub(crate) fn bunny(&self) -> anyhow::Result<Model> {
        if self.quick && !self.models.are_there() {
            built_in_blob(5_000)
        } else {
            self.models.read("scan/bunny.off")
        }
    }
}

pub(crate) const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        name: "table1",
        about: "time and memory of fields, beside the papers' Table 1 and the crate mesh_to_sdf",
        title: "Building fields: time and memory",
        run: table1::run,
    },
    Experiment {
        name: "accuracy",
        about: "stored nodes against brute force: distances to the last bit, signs against winding numbers",
        title: "Accuracy of stored nodes",
        run: accuracy::run,
    },
    Experiment {
        name: "band",
        about: "time of sparse fields against the width of the band",
        title: "Cost of the band",
        run: band::run,
    },
    Experiment {
        name: "table-2003",
        about: "time and nodes of fields, beside Table 1 of Fuhrmann et al. (2003)",
        title: "Building fields: beside the paper of 2003",
        run: table_2003::run,
    },
    Experiment {
        name: "surface",
        about: "how far reconstructed surfaces are from their meshes, beside Fuhrmann et al. (2003)",
        title: "Reconstructed surfaces",
        run: surface::run,
    },
    Experiment {
        name: "table2",
        about: "time of first hits by traversal and root method, beside the papers' Table 2",
        title: "First hits: time",
        run: table2::run,
    },
    Experiment {
        name: "rays",
        about: "first hits of segments that begin outside, beside parry3d and Embree on the triangles",
        title: "First hits: beside ray casting",
        run: rays::run,
    },
    Experiment {
        name: "table3",
        about: "whole shells between random poses, point by point and with the sphere tree, beside the papers' Table 3",
        title: "Sweeps: time",
        run: table3::run,
    },
    Experiment {
        name: "motions",
        about: "motions that are proven free, beside FCL looking at single poses",
        title: "Whole motions beside single poses",
        run: motions::run,
    },
    Experiment {
        name: "table4",
        about: "contacts while one object falls on another, point by point and with the sphere tree, beside the papers' Table 4",
        title: "Falling objects: time",
        run: table4::run,
    },
    Experiment {
        name: "stability",
        about: "how large steps may be, continuous and discrete penalty forces, beside the papers' figures",
        title: "Stable steps",
        run: stability::run,
    },
    Experiment {
        name: "pile",
        about: "heaps of bodies: time of a step, and whether they come to rest",
        title: "Heaps",
        run: pile::run,
    },
    Experiment {
        name: "nut-bolt",
        about: "a nut turned along its bolt, run down by gravity, locked by friction; beside MuJoCo's",
        title: "A nut on a bolt",
        run: nut_bolt::run,
    },
    Experiment {
        name: "god-object",
        about: "random steps of god objects: is anything ever entered? And how long does a step take?",
        title: "The god object",
        run: god_object::run,
    },
    Experiment {
        name: "peg",
        about: "a peg into its hole, by constraints and by springs, beside figures 7 and 10b of 2016",
        title: "A peg into its hole",
        run: peg::run,
    },
    Experiment {
        name: "landing-gear",
        about: "a part against wires two cells wide, faster and faster, beside figures 6c, 8 and 12 of 2016",
        title: "A part among wires",
        run: landing_gear::run,
    },
    Experiment {
        name: "three-bars",
        about: "a rod pressed on three bars, with discrete and continuous detection, beside figure 11 of 2016",
        title: "A rod on three bars",
        run: three_bars::run,
    },
    Experiment {
        name: "normals",
        about: "whose normals hold a peg that turns on the ground, beside figure 5 of 2016",
        title: "Whose normals",
        run: normals::run,
    },
    Experiment {
        name: "wall",
        about: "a virtual wall: how stiff it may be, and how far the god object is from the ideal one",
        title: "A virtual wall",
        run: wall::run,
    },
    Experiment {
        name: "haptic-alpha",
        about: "two α tubes taken apart by a simulated hand, beside figure 6a of 2016",
        title: "The alpha puzzle in the hand",
        run: haptic_alpha::run,
    },
    Experiment {
        name: "sliding",
        about: "a part slides on another: how smooth is the force? Beside figure 6b of 2016",
        title: "Sliding",
        run: sliding::run,
    },
    Experiment {
        name: "stuck",
        about: "tight parts: pinched or jammed, and by what, beside figure 13 of 2016",
        title: "Stuck",
        run: stuck::run,
    },
    Experiment {
        name: "haptic-loops",
        about: "the servo loop: time of a call, deadlines, memory over a long run",
        title: "The two loops",
        run: haptic_loops::run,
    },
    Experiment {
        name: "cloth",
        about: "cloth over a head, by what is looked at, beside figure 8 of 2003; and beside pyPBD",
        title: "Cloth",
        run: cloth::run,
    },
    Experiment {
        name: "cloth-stretch",
        about: "how many substeps leave less than 1 % of stretch, and how many there are in a second",
        title: "Stretch of cloth",
        run: cloth_stretch::run,
    },
    Experiment {
        name: "flag-wires",
        about: "cloth against wires of 2 mm, faster and faster, by the method of 2003 and the continuous one",
        title: "Cloth against wires",
        run: flag_wires::run,
    },
    Experiment {
        name: "alpha",
        about: "two α tubes: a planner takes them apart, and the path is proven free",
        title: "The alpha puzzle",
        run: alpha::run,
    },
    Experiment {
        name: "wires",
        about: "a rod through thin wires, faster and faster: who notices?",
        title: "Thin things at any speed",
        run: wires::run,
    },
    Experiment {
        name: "shorts",
        about: "short segments near the surface, by length and traversal",
        title: "First hits: short segments",
        run: shorts::run,
    },
    Experiment {
        name: "bisection",
        about: "contacts that the papers' bisection and Cardano's formula miss or misplace, by kind",
        title: "Roots: what the papers' methods miss",
        run: bisection::run,
    },
    Experiment {
        name: "agreement",
        about: "whether storages, traversals and numbers of threads give the same answers, to the last bit",
        title: "First hits: every way the same",
        run: agreement::run,
    },
    Experiment {
        name: "exact",
        about: "contacts in single cells against exact arithmetic, a billion of them; can be stopped and goes on",
        title: "Roots: against exact arithmetic",
        run: exact::run,
    },
];

pub(crate) fn find(name: &str) -> Option<&'static Experiment> {
    EXPERIMENTS.iter().find(|experiment| experiment.name == name)
}
