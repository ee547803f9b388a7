//! Colours that are told apart.

/// Okabe & Ito's colours for people of every colour vision, the order changed so that the first ones differ most on white, and
/// the yellow darkened until a thin line shows.
const COLOURS: [[u8; 3]; 8] = [
    [0, 114, 178],
    [213, 94, 0],
    [0, 158, 115],
    [204, 121, 167],
    [86, 180, 233],
    [230, 159, 0],
    [90, 90, 96],
    [176, 160, 0],
];

/// How many there are.
pub(super) const COUNT: usize = COLOURS.len();

/// The colour (sRGB) of the first, second, … thing of many. After eight they come again.
pub fn distinct(index: usize) -> [u8; 3] {
    COLOURS[index % COUNT]
}
