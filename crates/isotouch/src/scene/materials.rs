//! Materials by name, and what two of them make of a contact.

use super::error::SceneError;
use super::table::Table;
use crate::contact::{Law, LawError, Material, Stiffness};

/// Materials of a scene. The first is what nobody named.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Materials {
    named: Vec<(String, Material)>,
}

const KEYS: [&str; 6] =
    ["stiffness", "damping", "friction", "static_friction", "kinetic_friction", "rolling_friction"];

impl Materials {
    pub(super) fn read(root: &Table<'_>) -> Result<Self, SceneError> {
        let mut named = Vec::new();
        if let Some(value) = root.get("materials") {
            for (k, (name, value)) in value.table("materials")?.entries().into_iter().enumerate() {
                let table = value.table(format!("material '{name}'"))?;
                table.check_keys(&KEYS)?;
                let usual = Material::default();
                let [static_friction, kinetic_friction] =
                    friction(&table, [usual.static_friction, usual.kinetic_friction])?;
                let material = Material {
                    stiffness: table.number("stiffness")?.unwrap_or(usual.stiffness),
                    damping: table.number("damping")?.unwrap_or(usual.damping),
                    static_friction,
                    kinetic_friction,
                    rolling_friction: table.number("rolling_friction")?.unwrap_or(usual.rolling_friction),
                    kind: k as u32 + 1,
                };
                material.check().map_err(|source| wrong(&table, source))?;
                named.push((name.to_owned(), material));
            }
        }
        Ok(Self { named })
    }

    /// The material that a body or surface names, or the usual one.
    pub(super) fn of(&self, table: &Table<'_>) -> Result<Material, SceneError> {
        match table.get("material") {
            Some(value) => value.named(&self.list()),
            None => Ok(Material::default()),
        }
    }

    fn list(&self) -> Vec<(&str, Material)> {
        self.named.iter().map(|(name, material)| (name.as_str(), *material)).collect()
    }

    /// Laws between kinds, all with one slip speed.
    pub(super) fn laws(&self, root: &Table<'_>, slip_speed: f64) -> Result<Vec<(u32, u32, Law)>, SceneError> {
        let Some(value) = root.get("laws") else { return Ok(Vec::new()) };
        let mut laws: Vec<(u32, u32, Law)> = Vec::new();
        for (k, value) in value.list()?.iter().enumerate() {
            let table = value.table(format!("law {}", k + 1))?;
            table.check_keys(&[&KEYS[..], &["between", "point_stiffness"]].concat())?;
            let between = table.need("between", "write between = [\"steel\", \"rubber\"]")?;
            let names = between.list()?;
            let [first, second] = &names[..] else { return Err(between.bad("a list of two materials")) };
            let [a, b] = [first.named(&self.list())?, second.named(&self.list())?];
            let kinds = (a.kind.min(b.kind), a.kind.max(b.kind));
            if laws.iter().any(|law| (law.0, law.1) == kinds) {
                let name = format!("{} and {}", first.text()?, second.text()?);
                return Err(SceneError::Duplicate { place: between.place(), what: "law between", name });
            }
            // What is not told is made from both materials.
            let mut law = a.against(&b);
            match table.either(["stiffness", "point_stiffness"])? {
                Some(("stiffness", value)) => law.stiffness = Stiffness::PerArea(value.number()?),
                Some((_, value)) => law.stiffness = Stiffness::PerPoint(value.number()?),
                None => {}
            }
            law.damping = table.number("damping")?.unwrap_or(law.damping);
            [law.friction.static_coefficient, law.friction.kinetic_coefficient] =
                friction(&table, [law.friction.static_coefficient, law.friction.kinetic_coefficient])?;
            law.friction.rolling = table.number("rolling_friction")?.unwrap_or(law.friction.rolling);
            law.friction.slip_speed = slip_speed;
            law.check().map_err(|source| wrong(&table, source))?;
            laws.push((kinds.0, kinds.1, law));
        }
        Ok(laws)
    }
}

/// A number that makes no sense, at its line and by the name that it has there.
fn wrong(table: &Table<'_>, source: LawError) -> SceneError {
    let names = [source.quantity, "friction", "point_stiffness"];
    let is_meant = |name: &str| {
        name == source.quantity
            || (name == "friction" && ["static_friction", "kinetic_friction"].contains(&source.quantity))
            || (name == "point_stiffness" && source.quantity == "stiffness")
    };
    let found =
        names.into_iter().filter(|name| is_meant(name)).find_map(|name| Some((name, table.get(name)?)));
    let (quantity, place) =
        found.map_or((source.quantity, table.place()), |(name, value)| (name, value.place()));
    SceneError::Law { place, what: table.what.clone(), source: LawError { quantity, ..source } }
}

/// Static and kinetic. Where only one is given, it is both.
fn friction(table: &Table<'_>, usual: [f64; 2]) -> Result<[f64; 2], SceneError> {
    table.either(["friction", "static_friction"])?;
    if let Some((key, value)) = table.either(["friction", "kinetic_friction"])?
        && key == "friction"
    {
        return Ok([value.number()?; 2]);
    }
    Ok(match (table.number("static_friction")?, table.number("kinetic_friction")?) {
        (None, None) => usual,
        (Some(one), None) | (None, Some(one)) => [one, one],
        (Some(at_rest), Some(sliding)) => [at_rest, sliding],
    })
}
