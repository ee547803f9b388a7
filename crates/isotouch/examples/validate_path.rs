//! Can this part be moved along this path? `validate_path MOVING FIXED PATH`

#![allow(clippy::print_stdout)]

use isotouch::ccd::path::{FixedPart, MovingPart, PathChecker, PathOptions, PathReader};
use isotouch::field::{Field, FieldOptions};
use isotouch::math::DVec3;
use isotouch::mesh::TriMesh;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let [moving, fixed, path] =
        std::env::args().skip(1).collect::<Vec<_>>().try_into().expect("MOVING FIXED PATH");
    let (moving, fixed) = (TriMesh::read(moving)?, TriMesh::read(fixed)?);
    let field = Field::from_mesh(&fixed, &FieldOptions::default())?;
    let (moving, fixed) = (MovingPart::new(&moving, DVec3::ZERO)?, FixedPart::new(&fixed, &field)?);
    let path: Vec<_> =
        PathReader::new(std::io::BufReader::new(std::fs::File::open(path)?)).collect::<Result<_, _>>()?;
    let report = PathChecker::new(&moving, &fixed, &PathOptions::default()).check(&path);
    println!("{}, clearance at least {}", report.answer.name(), report.clearance);
    if let Some(contact) = report.first_contact {
        println!("first in leg {} at t = {}, at {}", contact.leg + 1, contact.t, contact.point);
    }
    Ok(())
}
