//! Which meshes a scene shows, and where.

use glam::{DAffine3, DMat4, DQuat, DVec3};

use super::super::error::Fault;
use super::document::{Document, Member};

/// A mesh of the document, placed.
pub(super) struct Placement<'a> {
    pub(super) mesh: Member<'a>,
    pub(super) scene_from_mesh: DAffine3,
    /// The node that places it, or the mesh itself.
    pub(super) placed_by: Member<'a>,
}

/// The meshes that the file shows, in the order of its scene.
pub(super) fn placements(document: &Document) -> Result<Vec<Placement<'_>>, Fault> {
    let nodes = document.count("nodes")?;
    if nodes == 0 {
        return (0..document.count("meshes")?)
            .map(|index| {
                let mesh = document.entry_at("meshes", index)?;
                Ok(Placement { placed_by: mesh.clone(), mesh, scene_from_mesh: DAffine3::IDENTITY })
            })
            .collect();
    }
    let scene = shown_scene(document)?;
    let roots = match &scene {
        Some(scene) => children(document, scene, "nodes")?,
        None => nodes_without_parent(document, nodes)?,
    };
    // The walk keeps its own stack and reaches every node once, so that no nesting is too deep and no loop endless.
    let mut stack: Vec<(usize, DAffine3)> =
        roots.into_iter().rev().map(|root| (root, DAffine3::IDENTITY)).collect();
    let mut reached = vec![false; nodes];
    let mut placements = Vec::new();
    while let Some((index, scene_from_parent)) = stack.pop() {
        let node = document.entry_at("nodes", index)?;
        if std::mem::replace(&mut reached[index], true) {
            return node.syntax("this node is reached on two ways, or is its own ancestor; a scene is a tree, export it again");
        }
        let scene_from_node = scene_from_parent * parent_from_node(&node)?;
        if !scene_from_node.is_finite() {
            return node.syntax("its placement leaves the range of numbers; scale the scene down");
        }
        if let Some(reference) = node.get("mesh")? {
            let (_, mesh) = document.entry("meshes", &reference)?;
            // glTF 2.0, section 3.7.3.3: joints alone place a skinned mesh. Bound, they place it as it is.
            let is_skinned = node.get("skin")?.is_some();
            let scene_from_mesh = if is_skinned { DAffine3::IDENTITY } else { scene_from_node };
            placements.push(Placement { mesh, scene_from_mesh, placed_by: node.clone() });
        }
        let below = children(document, &node, "children")?;
        stack.extend(below.into_iter().rev().map(|child| (child, scene_from_node)));
    }
    if scene.is_none()
        && let Some(index) = reached.iter().position(|reached| !reached)
    {
        return document
            .entry_at("nodes", index)?
            .syntax("this node is below itself; a scene is a tree, export it again");
    }
    Ok(placements)
}

/// The default scene, or the first one; `None` if there is none.
fn shown_scene(document: &Document) -> Result<Option<Member<'_>>, Fault> {
    match document.root().get("scene")? {
        Some(reference) => Ok(Some(document.entry("scenes", &reference)?.1)),
        None if document.count("scenes")? > 0 => document.entry_at("scenes", 0).map(Some),
        None => Ok(None),
    }
}

/// The nodes listed in `name` of a scene or node.
fn children(document: &Document, parent: &Member<'_>, name: &str) -> Result<Vec<usize>, Fault> {
    match parent.get(name)? {
        Some(list) => list.items()?.map(|child| Ok(document.entry("nodes", &child)?.0)).collect(),
        None => Ok(Vec::new()),
    }
}

fn nodes_without_parent(document: &Document, count: usize) -> Result<Vec<usize>, Fault> {
    let mut is_child = vec![false; count];
    for index in 0..count {
        for child in children(document, &document.entry_at("nodes", index)?, "children")? {
            is_child[child] = true;
        }
    }
    Ok((0..count).filter(|&index| !is_child[index]).collect())
}

/// `matrix`, or `translation` · `rotation` · `scale`.
fn parent_from_node(node: &Member<'_>) -> Result<DAffine3, Fault> {
    if let Some(matrix) = node.get("matrix")? {
        let columns = DMat4::from_cols_array(&matrix.numbers()?);
        let last = columns.row(3);
        // Exporters round; a real projection is off by more than any rounding of f32.
        if (last - glam::DVec4::W).abs().max_element() > 1e-6 {
            return matrix.syntax("the last row of a placement is 0, 0, 0, 1; export the file again");
        }
        return Ok(DAffine3::from_mat4(columns));
    }
    let vector = |name: &str, usual: DVec3| -> Result<DVec3, Fault> {
        node.get(name)?.map_or(Ok(usual), |member| member.numbers().map(DVec3::from_array))
    };
    let rotation = match node.get("rotation")? {
        // x y z w, of length 1 up to rounding.
        Some(rotation) => match DQuat::from_array(rotation.numbers()?) {
            q if q.length_squared().is_normal() => q.normalize(),
            _ => return rotation.syntax("a rotation is a quaternion of length 1; export the file again"),
        },
        None => DQuat::IDENTITY,
    };
    Ok(DAffine3::from_scale_rotation_translation(
        vector("scale", DVec3::ONE)?,
        rotation,
        vector("translation", DVec3::ZERO)?,
    ))
}
