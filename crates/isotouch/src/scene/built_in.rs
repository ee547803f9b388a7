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
pub const ALL: [BuiltInScene; 1] = [BuiltInScene { name: "drop", text: include_str!("built_in/drop.toml") }];

/// The one of that name.
pub fn by_name(name: &str) -> Option<BuiltInScene> {
    ALL.into_iter().find(|scene| scene.name == name)
}
