//! What a user may say about how a field is built, or taken over.

use std::path::Path;

use isotouch::field::{FieldOptions, ImportOptions, SignMethod, StorageKind};
use isotouch::math::DVec3;
use isotouch::mesh::io::ReadOptions;

use crate::console::Console;
use crate::failure::{Classify, Failure};
use crate::values::{MOST_CELLS, between, point, positive, whole};

/// How a field is built from a mesh.
#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Building a field from a mesh")]
pub(super) struct BuildArgs {
    /// Cells along the longest side of the box, padding included: 1 to 16777216 [default: 256].
    #[arg(long, short, value_name = "N", value_parser = whole(1, MOST_CELLS), allow_negative_numbers = true)]
    resolution: Option<u32>,
    /// Edge length of a cell, instead of a resolution. For a .npy file: that of its cells.
    #[arg(long, value_name = "H", value_parser = positive, conflicts_with = "resolution", allow_hyphen_values = true)]
    cell: Option<f64>,
    /// For a .npy file: position of its first node [default: what NAME.npy.json says, or 0,0,0].
    #[arg(long, value_name = "X,Y,Z", value_parser = point, allow_hyphen_values = true)]
    origin: Option<DVec3>,
    /// sparse: fine near the surface, coarse elsewhere; dense: fine everywhere [default: sparse].
    #[arg(long, value_name = "KIND", value_parser = storage)]
    storage: Option<StorageKind>,
    /// Half width of the fine shell of a sparse field, in cells: 1 to 1000000 [default: 3].
    #[arg(long, value_name = "CELLS", value_parser = between(1.0, 1e6), allow_hyphen_values = true)]
    band: Option<f64>,
    /// Free space around the solid, as a fraction of its longest side: 0 to 100 [default: 0.05].
    #[arg(long, value_name = "P", value_parser = between(0.0, 100.0), allow_hyphen_values = true)]
    padding: Option<f64>,
    /// How inside is told from outside: auto, pseudonormal, winding, soup, oriented, or face-normal for comparison [default:
    /// auto].
    #[arg(long, value_name = "METHOD", value_parser = sign)]
    sign: Option<SignMethod>,
    /// soup: holes narrower than this are closed [default: chosen from the mesh].
    #[arg(long, value_name = "WIDTH", value_parser = positive, allow_hyphen_values = true)]
    gap: Option<f64>,
    /// soup: leave enclosed hollows hollow.
    #[arg(long)]
    keep_cavities: bool,
    /// Multiply the coordinates of the mesh, such as 0.001 for millimetres to metres.
    #[arg(long, value_name = "S", value_parser = positive, allow_hyphen_values = true)]
    scale: Option<f64>,
    /// Threads to use: 1 to 1024 [default: all].
    #[arg(long, value_name = "N", value_parser = whole(1, 1024), allow_negative_numbers = true)]
    threads: Option<u32>,
}

/// How a field is come by where a mesh may stand in for it.
#[derive(Debug, Default, clap::Args)]
pub(super) struct FieldArgs {
    #[command(flatten)]
    pub(super) build: BuildArgs,
    /// Build the field of a mesh anew, and do not keep it for the next time.
    #[arg(long, help_heading = "Building a field from a mesh")]
    pub(super) no_cache: bool,
}

impl FieldArgs {
    /// Makes everything in this process use so many threads; called once.
    pub(super) fn limit_threads(&self) -> Result<(), Failure> {
        limit_threads(self.build.threads)
    }
}

fn storage(name: &str) -> Result<StorageKind, String> {
    name.parse().map_err(|error: isotouch::field::UnknownName| error.to_string())
}

fn sign(name: &str) -> Result<SignMethod, String> {
    name.parse().map_err(|error: isotouch::field::UnknownName| error.to_string())
}

impl BuildArgs {
    /// Says which flags meant nothing to the sign method that a mesh was built with.
    pub(super) fn warn_of_unused(&self, sign: SignMethod, console: &Console) {
        let flags = [(self.gap.is_some(), "--gap"), (self.keep_cavities, "--keep-cavities")];
        for (_, flag) in flags.iter().filter(|(is_given, _)| *is_given && sign != SignMethod::Soup) {
            console.warn(format_args!(
                "{flag} had no effect: it is for the sign method 'soup', this one is '{sign}'"
            ));
        }
    }

    pub(super) fn read_options(&self) -> ReadOptions {
        ReadOptions { scale: self.scale.unwrap_or(1.0), ..Default::default() }
    }

    /// What to build; `storage` where nothing is asked for.
    pub(super) fn options(&self, storage: StorageKind) -> FieldOptions {
        let usual = FieldOptions::default();
        FieldOptions {
            resolution: self.resolution.unwrap_or(usual.resolution),
            cell_size: self.cell,
            padding: self.padding.unwrap_or(usual.padding),
            band: self.band.unwrap_or(usual.band),
            sign: self.sign.unwrap_or(usual.sign),
            storage: self.storage.unwrap_or(storage),
            gap: self.gap,
            keep_cavities: self.keep_cavities,
        }
    }

    /// How to take over the values of another program; they are kept as `storage` where nothing is asked for.
    pub(super) fn import_options(&self, storage: StorageKind) -> ImportOptions {
        // Of a grid that is there only storage and band can be chosen.
        let field = FieldOptions { cell_size: None, ..self.options(storage) };
        ImportOptions { cell: self.cell, origin: self.origin, field, ..Default::default() }
    }

    /// Says which flags were given that mean nothing for `path`, which is of that kind.
    pub(super) fn warn_of_ignored(&self, path: &Path, kind: FileKind, console: &Console) {
        use FileKind::{Foreign, Mesh, Surface};
        // Whether each was given, and what it means something for.
        let given = [
            ("--resolution", self.resolution.is_some(), &[Mesh][..]),
            ("--cell", self.cell.is_some(), &[Mesh, Foreign]),
            ("--origin", self.origin.is_some(), &[Foreign]),
            ("--storage", self.storage.is_some(), &[Mesh, Foreign]),
            ("--band", self.band.is_some(), &[Mesh, Foreign]),
            ("--padding", self.padding.is_some(), &[Mesh]),
            ("--sign", self.sign.is_some(), &[Mesh]),
            ("--gap", self.gap.is_some(), &[Mesh]),
            ("--keep-cavities", self.keep_cavities, &[Mesh]),
            ("--scale", self.scale.is_some(), &[Mesh, Surface]),
        ];
        let ignored = given.into_iter().filter(|(_, given, kinds)| *given && !kinds.contains(&kind));
        let ignored: Vec<&str> = ignored.map(|(name, ..)| name).collect();
        if !ignored.is_empty() {
            let what = match kind {
                Mesh => "a mesh",
                Surface => "a mesh and needs no field",
                FileKind::Field | Foreign => "a field already",
            };
            let shown = path.display();
            console.warn(format_args!("{shown} is {what}; {} had no effect", ignored.join(", ")));
        }
    }

    /// Makes everything in this process use as many threads as were asked for; called once.
    pub(super) fn limit_threads(&self) -> Result<(), Failure> {
        limit_threads(self.threads)
    }
}

/// Makes everything in this process use so many threads; called once.
pub(super) fn limit_threads(threads: Option<u32>) -> Result<(), Failure> {
    match threads {
        Some(threads) => {
            rayon::ThreadPoolBuilder::new().num_threads(threads as usize).build_global().or_failed()
        }
        None => Ok(()),
    }
}

/// What a file is, where options are concerned.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum FileKind {
    /// A mesh of which a field is built.
    Mesh,
    /// A mesh that is used as it is.
    Surface,
    /// A `.field` file.
    Field,
    /// Values of another program.
    Foreign,
}
