//! Scenes that are always there, of built-in shapes only; and some of them again, of well-known models, for those who have these in a folder.

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

/// The same scenes with models instead of built-in shapes, where there are any. Paths of files are those within the folder of the models, `scan/bunny_777v.obj` and the like; so they are to be
/// [parsed](super::Scene::parse) as if they lay there.
pub const WITH_MODELS: [BuiltInScene; 4] = [
    BuiltInScene { name: "drop", text: include_str!("built_in/models/drop.toml") },
    BuiltInScene { name: "detailed-drop", text: include_str!("built_in/models/detailed-drop.toml") },
    BuiltInScene { name: "pile", text: include_str!("built_in/models/pile.toml") },
    BuiltInScene { name: "nut-bolt", text: include_str!("built_in/models/nut-bolt.toml") },
];
