//! How far surfaces reconstructed from fields are from their meshes, beside Fuhrmann, Sobottka & Groß (2003), figure 4.

use glam::{DVec3, UVec3};
use isotouch::field::{Field, FieldOptions};
use isotouch::mesh::{CompareOptions, Comparison, OneWay, compare};

use super::Setup;
use crate::models::{Model, built_in_blob_filling, padding_of_cells};
use crate::report::{Report, Table, count, grid, none, number};

/// RMS distance from the reconstructed surface to the mesh that must not be exceeded, in cells.
const TARGET_RMS: f64 = 0.1;

/// How wide the intervals around largest distances may be, in cells: a few percent of what is found.
const TOLERANCE: f64 = 0.01;

/// Grid of the paper's bust, its assumed height in millimetres, and what was found there.
const PAPER_GRID: [u32; 3] = [400, 257, 393];
const PAPER_HEIGHT: f64 = 450.0;
const PAPER_MEAN: f64 = 0.007;
const PAPER_MAX: f64 = 1.4;

/// Cells left free around the bust.
const MARGIN: f64 = 3.0;

/// A mesh, its field's surface, and how they compare.
struct Reconstruction {
    cells: UVec3,
    /// Edge length of a cell.
    cell: f64,
    triangles: u64,
    is_closed: bool,
    /// Forward: from the mesh to the surface.
    distances: Comparison,
}

pub(crate) fn run(setup: &Setup) -> anyhow::Result<Report> {
    let tables = vec![bunny(setup)?, bust(setup)?];
    let remarks = vec![
        format!(
            "Surfaces are those of `Field::surface` at σ = 0 from sparse fields with the default band. Mean and RMS are over the area, \
             from points spread evenly; the largest distance is no matter of sampling but certainly lies between the two \
             ends given, which are to be within {TOLERANCE} cells."
        ),
        format!("The target for the bunny is an RMS below {TARGET_RMS} cells from surface to mesh."),
        format!(
            "The paper's bust is not at hand. It is taken as {PAPER_HEIGHT} mm along the longest side of its grid, and so are ours: a \
             built-in blob with six octaves of detail, stretched to fill the same grid, and a scan that is not stretched. \
             They are other shapes with other detail, so this compares magnitudes and not methods. The paper measured \
             the way from mesh to surface, its maximum by a method that it does not describe."
        ),
    ];
    Ok(Report { tables, remarks, ..Default::default() })
}

fn bunny(setup: &Setup) -> anyhow::Result<Table> {
    let model = setup.bunny()?;
    let resolution = if setup.quick { 32 } else { 256 };
    let found = reconstruct(&model, &FieldOptions { resolution, ..Default::default() })?;
    let mut table = Table::new(
        format!("Distances in cells: {} at {resolution}³", model.name),
        &["from", "triangles", "closed", "mean", "RMS", "largest: at least", "at most", "RMS below target"],
    );
    let mesh_triangles = model.mesh.triangles().len() as u64;
    let ways = [
        ("surface to mesh", found.triangles, yes_or_no(found.is_closed), found.distances.backward),
        ("mesh to surface", mesh_triangles, none(), found.distances.forward),
    ];
    for (name, triangles, closed, way) in ways {
        let mut cells = vec![name.into(), count(triangles), closed];
        cells.extend(in_units_of(found.cell, &way));
        cells.push(yes_or_no(way.rms < TARGET_RMS * found.cell));
        table.row(cells);
    }
    Ok(table)
}

fn bust(setup: &Setup) -> anyhow::Result<Table> {
    let (coarser, triangles) = if setup.quick { (10, 2_000) } else { (1, 100_000) };
    let resolution = UVec3::from(PAPER_GRID).max_element() / coarser;
    let mut models = Vec::new();
    if !setup.quick {
        models.push(setup.models.read("scan/armadillo.obj")?);
    }
    // The proportions with which the grid around blob and margin comes out as the paper's.
    let size = UVec3::from(PAPER_GRID).as_dvec3() - DVec3::splat(2.0 * MARGIN);
    models.insert(0, built_in_blob_filling(triangles, size)?);

    let mut table = Table::new(
        format!("Distances in millimetres: models {PAPER_HEIGHT} mm long"),
        &["model", "triangles", "grid, cells", "cell", "way", "mean", "RMS", "largest: at least", "at most"],
    );
    let paper_cell = PAPER_HEIGHT / f64::from(UVec3::from(PAPER_GRID).max_element());
    table.row(vec![
        "paper: human bust".into(),
        none(),
        grid(PAPER_GRID),
        format!("about {}", number(paper_cell)),
        "mesh to surface".into(),
        number(PAPER_MEAN),
        none(),
        number(PAPER_MAX),
        none(),
    ]);
    for Model { name, mesh } in models {
        let scale = PAPER_HEIGHT / mesh.bounds().extent().max_element();
        let model = Model { name, mesh: mesh.mapped(|point| scale * point)? };
        let padding = padding_of_cells(MARGIN, resolution);
        let found = reconstruct(&model, &FieldOptions { resolution, padding, ..Default::default() })?;
        let distances = found.distances;
        for (way_name, way) in
            [("mesh to surface", distances.forward), ("surface to mesh", distances.backward)]
        {
            let mut cells = vec![
                model.name.clone(),
                count(model.mesh.triangles().len() as u64),
                grid(found.cells),
                number(found.cell),
                way_name.into(),
            ];
            cells.extend(in_units_of(1.0, &way));
            table.row(cells);
        }
    }
    Ok(table)
}

fn reconstruct(model: &Model, options: &FieldOptions) -> anyhow::Result<Reconstruction> {
    eprintln!("{}: {} cells", model.name, options.resolution);
    let field = Field::from_mesh(&model.mesh, options)?;
    let surface = field.surface_with(0.0, &Default::default())?;
    let cell = field.grid().cell;
    let options = CompareOptions { tolerance: Some(TOLERANCE * cell), ..Default::default() };
    Ok(Reconstruction {
        cells: field.grid().cells,
        cell,
        triangles: surface.mesh.triangles().len() as u64,
        is_closed: surface.is_closed,
        distances: compare(&model.mesh, &surface.mesh, &options)?,
    })
}

/// Mean, RMS and the two ends of the largest distance.
fn in_units_of(unit: f64, way: &OneWay) -> [String; 4] {
    [way.mean, way.rms, way.hausdorff.lower, way.hausdorff.upper].map(|distance| number(distance / unit))
}

fn yes_or_no(is_so: bool) -> String {
    if is_so { "yes" } else { "no" }.into()
}
