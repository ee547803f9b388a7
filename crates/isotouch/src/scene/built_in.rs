//! Scenes that are always there, of built-in shapes only.

/// A built-in scene.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuiltInScene {
    /// What it is called.
    pub name: &'static str,
    /// Its text, to be read by [`Scene::parse`](super::Scene::parse) and to be copied.
    pub text: &'static str,
}

/// All of them.
pub const ALL: [BuiltInScene; 8] = [
    BuiltInScene { name: "drop", text: include_str!("built_in/drop.toml") },
    BuiltInScene { name: "bowls", text: include_str!("built_in/bowls.toml") },
    BuiltInScene { name: "detailed-drop", text: include_str!("built_in/detailed-drop.toml") },
    BuiltInScene { name: "pile", text: include_str!("built_in/pile.toml") },
    BuiltInScene { name: "incline", text: include_str!("built_in/incline.toml") },
    BuiltInScene { name: "nut-bolt", text: include_str!("built_in/nut-bolt.toml") },
    BuiltInScene { name: "gears", text: include_str!("built_in/gears.toml") },
    BuiltInScene { name: "thin-plate", text: include_str!("built_in/thin-plate.toml") },
];

/// The one of that name.
pub fn by_name(name: &str) -> Option<BuiltInScene> {
    ALL.into_iter().find(|scene| scene.name == name)
}
