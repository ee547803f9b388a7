//! Scenes to be felt that are always there, of built-in shapes only. They are those of 2016, section 5, with shapes of our own.

pub use crate::scene::built_in::BuiltInScene;

/// All of them.
pub const ALL: [BuiltInScene; 7] = [
    BuiltInScene { name: "peg", text: include_str!("built_in/peg.toml") },
    BuiltInScene { name: "peg-tight", text: include_str!("built_in/peg-tight.toml") },
    BuiltInScene { name: "alpha", text: include_str!("built_in/alpha.toml") },
    BuiltInScene { name: "sliding", text: include_str!("built_in/sliding.toml") },
    BuiltInScene { name: "landing-gear", text: include_str!("built_in/landing-gear.toml") },
    BuiltInScene { name: "three-bars", text: include_str!("built_in/three-bars.toml") },
    BuiltInScene { name: "wall", text: include_str!("built_in/wall.toml") },
];

/// The one of that name.
pub fn by_name(name: &str) -> Option<BuiltInScene> {
    ALL.into_iter().find(|scene| scene.name == name)
}
