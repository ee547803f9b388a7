//! NRRD, "nearly raw raster data" (format 4): a header in words, an empty line, the values. For 3D Slicer, ParaView, ITK.

use super::Precision;
use crate::field::Grid;

/// Raw and little-endian, the first axis running fastest; nodes are points and not little boxes; positions are those of the
/// field's grid.
pub(super) fn header(grid: &Grid, precision: Precision) -> Vec<u8> {
    let number = match precision {
        Precision::Single => "float",
        Precision::Double => "double",
    };
    let (n, o, h) = (grid.nodes(), grid.origin, grid.cell);
    // `{:?}` prints the shortest number that reads back as the same f64.
    format!(
        "NRRD0004\n\
         # signed distances, negative inside\n\
         type: {number}\n\
         dimension: 3\n\
         space: 3D-right-handed\n\
         sizes: {} {} {}\n\
         space directions: ({h:?},0,0) (0,{h:?},0) (0,0,{h:?})\n\
         centerings: node node node\n\
         kinds: domain domain domain\n\
         endian: little\n\
         encoding: raw\n\
         space origin: ({:?},{:?},{:?})\n\n",
        n.x, n.y, n.z, o.x, o.y, o.z
    )
    .into_bytes()
}
