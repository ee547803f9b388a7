//! Letters drawn as strokes, so that they are smooth at every size and no font file is needed.
//!
//! A glyph is a path in units of a seventh of the height of capitals: baseline at y = 0, small letters up to 5,
//! capitals up to 7, descenders down to −2. `M` moves, `L` draws a line, `Q cx cy x y` draws the quarter of an
//! ellipse that leaves towards the corner (cx, cy) and arrives from it.

/// Height of capitals in glyph units.
pub(super) const CAP_HEIGHT: f64 = 7.0;

/// Between the ink of neighbouring glyphs, in glyph units.
const SPACING: f64 = 1.95;

/// Lines that a quarter ellipse is flattened into: below a tenth of a pixel of error at the sizes used.
const LINES_PER_QUARTER: usize = 6;

/// A straight stroke between two points in glyph units.
pub(super) type Stroke = [[f64; 2]; 2];

/// One letter, flattened to straight strokes.
#[derive(Debug)]
pub(super) struct Glyph {
    /// From the left edge of its ink to that of the next glyph.
    pub(super) advance: f64,
    pub(super) strokes: Vec<Stroke>,
}

/// The glyph of a letter; a question mark's for letters that are not drawn here, see [`drawable`].
pub(super) fn glyph(letter: char) -> Glyph {
    let (width, path) = path_or_question(letter);
    Glyph { advance: width + SPACING, strokes: flatten(path) }
}

fn path_or_question(letter: char) -> (f64, &'static str) {
    path(letter).or_else(|| path('?')).unwrap_or((0.0, ""))
}

/// The text in letters that are drawn here: accents go, quotes become plain, what is left becomes a question mark.
pub(in crate::output) fn drawable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            _ if path(letter).is_some() => out.push(letter),
            _ if letter.is_whitespace() || letter.is_control() => out.push(' '),
            // Accents that follow their letter, as some systems write file names.
            '\u{300}'..='\u{36f}' => {}
            _ => out.push_str(plain(letter).unwrap_or("?")),
        }
    }
    out
}

/// Latin letters without their accents, and signs by what they look like.
#[rustfmt::skip]
fn plain(letter: char) -> Option<&'static str> {
    Some(match letter {
        'à' | 'á' | 'â' | 'ã' | 'ä' | 'å' | 'ā' | 'ă' | 'ą' => "a",
        'À' | 'Á' | 'Â' | 'Ã' | 'Ä' | 'Å' | 'Ā' | 'Ă' | 'Ą' => "A",
        'æ' => "ae", 'Æ' => "AE", 'œ' => "oe", 'Œ' => "OE", 'ß' => "ss", 'þ' => "th", 'Þ' => "Th",
        'ç' | 'ć' | 'ĉ' | 'ċ' | 'č' => "c",
        'Ç' | 'Ć' | 'Ĉ' | 'Ċ' | 'Č' => "C",
        'ď' | 'đ' | 'ð' => "d",
        'Ď' | 'Đ' | 'Ð' => "D",
        'è' | 'é' | 'ê' | 'ë' | 'ē' | 'ĕ' | 'ė' | 'ę' | 'ě' => "e",
        'È' | 'É' | 'Ê' | 'Ë' | 'Ē' | 'Ĕ' | 'Ė' | 'Ę' | 'Ě' => "E",
        'ĝ' | 'ğ' | 'ġ' | 'ģ' => "g",
        'Ĝ' | 'Ğ' | 'Ġ' | 'Ģ' => "G",
        'ì' | 'í' | 'î' | 'ï' | 'ī' | 'į' | 'ı' => "i",
        'Ì' | 'Í' | 'Î' | 'Ï' | 'Ī' | 'Į' | 'İ' => "I",
        'ĺ' | 'ļ' | 'ľ' | 'ł' => "l",
        'Ĺ' | 'Ļ' | 'Ľ' | 'Ł' => "L",
        'ñ' | 'ń' | 'ņ' | 'ň' => "n",
        'Ñ' | 'Ń' | 'Ņ' | 'Ň' => "N",
        'ò' | 'ó' | 'ô' | 'õ' | 'ö' | 'ø' | 'ō' | 'ő' => "o",
        'Ò' | 'Ó' | 'Ô' | 'Õ' | 'Ö' | 'Ø' | 'Ō' | 'Ő' => "O",
        'ŕ' | 'ř' => "r",
        'Ŕ' | 'Ř' => "R",
        'ś' | 'ŝ' | 'ş' | 'š' | 'ș' => "s",
        'Ś' | 'Ŝ' | 'Ş' | 'Š' | 'Ș' => "S",
        'ţ' | 'ť' | 'ț' => "t",
        'Ţ' | 'Ť' | 'Ț' => "T",
        'ù' | 'ú' | 'û' | 'ü' | 'ū' | 'ů' | 'ű' | 'ų' => "u",
        'Ù' | 'Ú' | 'Û' | 'Ü' | 'Ū' | 'Ů' | 'Ű' | 'Ų' => "U",
        'ý' | 'ÿ' => "y",
        'Ý' | 'Ÿ' => "Y",
        'ź' | 'ż' | 'ž' => "z",
        'Ź' | 'Ż' | 'Ž' => "Z",
        '‘' | '’' | '′' | '`' => "'",
        '“' | '”' | '„' | '″' | '«' | '»' => "\"",
        '‐' | '‑' => "-",
        '—' => "–",
        _ => return None,
    })
}

/// Width of the ink of a line of text whose capitals are `cap_height` tall, in the same unit.
pub(in crate::output) fn text_width(text: &str, cap_height: f64) -> f64 {
    let advance: f64 = text.chars().map(|letter| path_or_question(letter).0 + SPACING).sum();
    (advance - SPACING).max(0.0) * cap_height / CAP_HEIGHT
}

fn flatten(path: &str) -> Vec<Stroke> {
    let mut words = path.split_ascii_whitespace();
    let mut pen = [0.0; 2];
    let mut strokes = Vec::new();
    while let Some(word) = words.next() {
        let (command, first) = word.split_at(1);
        let mut next =
            |word: Option<&str>| word.or_else(|| words.next()).and_then(|w| w.parse().ok()).unwrap_or(0.0);
        let corner = [next(Some(first)), next(None)];
        match command {
            "M" => pen = corner,
            "L" => {
                strokes.push([pen, corner]);
                pen = corner;
            }
            _ => {
                let end = [next(None), next(None)];
                let start = pen;
                for line in 1..=LINES_PER_QUARTER {
                    let angle = line as f64 / LINES_PER_QUARTER as f64 * std::f64::consts::FRAC_PI_2;
                    // start + end − corner is the centre of the ellipse.
                    let (sin, cos) = angle.sin_cos();
                    let to = [0, 1].map(|axis| {
                        corner[axis]
                            + (start[axis] - corner[axis]) * (1.0 - sin)
                            + (end[axis] - corner[axis]) * (1.0 - cos)
                    });
                    strokes.push([pen, to]);
                    pen = to;
                }
            }
        }
    }
    strokes
}

/// Width of the ink, and the path.
#[rustfmt::skip]
fn path(letter: char) -> Option<(f64, &'static str)> {
    Some(match letter {
        ' ' => (1.2, ""),
        '0' => (4.0, "M0 3.5 Q0 7 2 7 Q4 7 4 3.5 Q4 0 2 0 Q0 0 0 3.5"),
        '1' => (4.0, "M0.7 5.7 L2.3 7 L2.3 0"),
        '2' => (4.0, "M0.1 5.2 Q0.2 7 2 7 Q3.9 7 3.9 5.1 Q3.9 3.9 2.6 2.7 L0 0 L4 0"),
        '3' => (4.0, "M0.2 5.6 Q0.6 7 2 7 Q3.8 7 3.8 5.35 Q3.8 3.7 1.6 3.7 M1.6 3.7 Q4 3.7 4 1.9 Q4 0 2 0 Q0.3 0 0 1.5"),
        '4' => (4.2, "M3.1 0 L3.1 7 L0 2.1 L4.2 2.1"),
        '5' => (4.0, "M3.6 7 L0.7 7 L0.4 3.8 Q1 4.5 2 4.5 Q4 4.5 4 2.25 Q4 0 2 0 Q0.3 0 0 1.4"),
        '6' => (4.0, "M3.5 6.4 Q3 7 2.2 7 Q0 7 0 3 L0 2.2 M0 2.2 Q0 4.4 2 4.4 Q4 4.4 4 2.2 Q4 0 2 0 Q0 0 0 2.2"),
        '7' => (4.0, "M0 7 L4 7 L1.4 0"),
        '8' => (4.0, "M2 3.8 Q0.3 3.8 0.3 5.4 Q0.3 7 2 7 Q3.7 7 3.7 5.4 Q3.7 3.8 2 3.8 Q0 3.8 0 1.9 Q0 0 2 0 Q4 0 4 1.9 Q4 3.8 2 3.8"),
        '9' => (4.0, "M0.5 0.6 Q1 0 1.8 0 Q4 0 4 4 L4 4.8 M4 4.8 Q4 2.6 2 2.6 Q0 2.6 0 4.8 Q0 7 2 7 Q4 7 4 4.8"),

        'a' => (3.8, "M3.8 5 L3.8 0 M3.8 2.5 Q3.8 5 1.9 5 Q0 5 0 2.5 Q0 0 1.9 0 Q3.8 0 3.8 2.5"),
        'b' => (3.8, "M0 7.2 L0 0 M0 2.5 Q0 5 1.9 5 Q3.8 5 3.8 2.5 Q3.8 0 1.9 0 Q0 0 0 2.5"),
        'c' => (3.3, "M3.3 4.2 Q2.8 5 1.9 5 Q0 5 0 2.5 Q0 0 1.9 0 Q2.8 0 3.3 0.8"),
        'd' => (3.8, "M3.8 7.2 L3.8 0 M3.8 2.5 Q3.8 5 1.9 5 Q0 5 0 2.5 Q0 0 1.9 0 Q3.8 0 3.8 2.5"),
        'e' => (3.7, "M0.05 2.7 L3.7 2.7 Q3.7 5 1.9 5 Q0 5 0 2.5 Q0 0 1.95 0 Q3 0 3.5 0.9"),
        'f' => (2.2, "M2.5 7.1 Q0.9 7.3 0.9 5.6 L0.9 0 M0 4.9 L2.2 4.9"),
        'g' => (3.8, "M3.8 5 L3.8 0 Q3.8 -2 1.9 -2 Q0.8 -2 0.3 -1.3 M3.8 2.5 Q3.8 5 1.9 5 Q0 5 0 2.5 Q0 0 1.9 0 Q3.8 0 3.8 2.5"),
        'h' => (3.6, "M0 7.2 L0 0 M0 3 Q0 5 1.9 5 Q3.6 5 3.6 3.2 L3.6 0"),
        'i' => (0.4, "M0.2 5 L0.2 0 M0.2 6.8 L0.2 6.9"),
        'j' => (1.0, "M0.8 5 L0.8 -0.8 Q0.8 -2 -0.2 -2 M0.8 6.8 L0.8 6.9"),
        'k' => (3.3, "M0 7.2 L0 0 M3.1 5 L0 1.8 M1.2 3 L3.3 0"),
        'l' => (0.4, "M0.2 7.2 L0.2 0"),
        'm' => (6.0, "M0 5 L0 0 M0 3 Q0 5 1.6 5 Q3 5 3 3.3 L3 0 M3 3 Q3 5 4.6 5 Q6 5 6 3.3 L6 0"),
        'n' => (3.6, "M0 5 L0 0 M0 3 Q0 5 1.9 5 Q3.6 5 3.6 3.2 L3.6 0"),
        'o' => (4.0, "M0 2.5 Q0 5 2 5 Q4 5 4 2.5 Q4 0 2 0 Q0 0 0 2.5"),
        'p' => (3.8, "M0 5 L0 -2 M0 2.5 Q0 5 1.9 5 Q3.8 5 3.8 2.5 Q3.8 0 1.9 0 Q0 0 0 2.5"),
        'q' => (3.8, "M3.8 5 L3.8 -2 M3.8 2.5 Q3.8 5 1.9 5 Q0 5 0 2.5 Q0 0 1.9 0 Q3.8 0 3.8 2.5"),
        'r' => (2.1, "M0 5 L0 0 M0 2.8 Q0.1 5 2.1 4.9"),
        's' => (3.3, "M3.1 4.2 Q2.7 5 1.7 5 Q0.2 5 0.2 3.8 Q0.2 2.8 1.7 2.55 Q3.3 2.3 3.3 1.25 Q3.3 0 1.7 0 Q0.5 0 0 0.9"),
        't' => (2.3, "M0.9 6.5 L0.9 1.4 Q0.9 0 2 0 L2.4 0.1 M0 4.9 L2.3 4.9"),
        'u' => (3.6, "M0 5 L0 1.8 Q0 0 1.7 0 Q3.6 0 3.6 2 M3.6 5 L3.6 0"),
        'v' => (3.6, "M0 5 L1.8 0 L3.6 5"),
        'w' => (5.6, "M0 5 L1.4 0 L2.8 4.6 L4.2 0 L5.6 5"),
        'x' => (3.5, "M0 5 L3.5 0 M3.5 5 L0 0"),
        'y' => (3.7, "M0 5 L1.9 0.2 M3.7 5 L1.4 -1.2 Q1.1 -2 0.2 -2"),
        'z' => (3.4, "M0.1 5 L3.3 5 L0 0 L3.4 0"),

        'A' => (5.0, "M0 0 L2.5 7 L5 0 M0.9 2.4 L4.1 2.4"),
        'B' => (4.3, "M0 0 L0 7 L2.2 7 Q4 7 4 5.4 Q4 3.8 2.2 3.8 L0 3.8 M2.2 3.8 Q4.3 3.8 4.3 1.9 Q4.3 0 2.2 0 L0 0"),
        'C' => (4.7, "M4.7 5.6 Q4.1 7 2.5 7 Q0 7 0 3.5 Q0 0 2.5 0 Q4.1 0 4.7 1.4"),
        'D' => (4.6, "M0 0 L0 7 L1.8 7 Q4.6 7 4.6 3.5 Q4.6 0 1.8 0 L0 0"),
        'E' => (3.8, "M3.8 7 L0 7 L0 0 L3.8 0 M0 3.7 L3.3 3.7"),
        'F' => (3.8, "M3.8 7 L0 7 L0 0 M0 3.6 L3.2 3.6"),
        'G' => (4.8, "M4.6 5.7 Q4 7 2.5 7 Q0 7 0 3.5 Q0 0 2.5 0 Q4.8 0 4.8 2.4 L4.8 3.3 L2.8 3.3"),
        'H' => (4.4, "M0 7 L0 0 M4.4 7 L4.4 0 M0 3.7 L4.4 3.7"),
        'I' => (0.4, "M0.2 7 L0.2 0"),
        'J' => (2.8, "M2.8 7 L2.8 1.8 Q2.8 0 1.4 0 Q0.3 0 0 1.2"),
        'K' => (4.3, "M0 7 L0 0 M4.1 7 L0 2.6 M1.4 4.1 L4.3 0"),
        'L' => (3.6, "M0 7 L0 0 L3.6 0"),
        'M' => (5.4, "M0 0 L0 7 L2.7 1.4 L5.4 7 L5.4 0"),
        'N' => (4.4, "M0 0 L0 7 L4.4 0 L4.4 7"),
        'O' => (5.2, "M0 3.5 Q0 7 2.6 7 Q5.2 7 5.2 3.5 Q5.2 0 2.6 0 Q0 0 0 3.5"),
        'P' => (4.2, "M0 0 L0 7 L2.2 7 Q4.2 7 4.2 5.1 Q4.2 3.2 2.2 3.2 L0 3.2"),
        'Q' => (5.2, "M0 3.5 Q0 7 2.6 7 Q5.2 7 5.2 3.5 Q5.2 0 2.6 0 Q0 0 0 3.5 M3.2 1.6 L5.1 -0.4"),
        'R' => (4.3, "M0 0 L0 7 L2.2 7 Q4.2 7 4.2 5.1 Q4.2 3.2 2.2 3.2 L0 3.2 M2.1 3.2 L4.3 0"),
        'S' => (4.2, "M4 5.8 Q3.6 7 2.1 7 Q0.2 7 0.2 5.3 Q0.2 3.9 2.1 3.55 Q4.2 3.2 4.2 1.75 Q4.2 0 2.1 0 Q0.4 0 0 1.4"),
        'T' => (4.8, "M0 7 L4.8 7 M2.4 7 L2.4 0"),
        'U' => (4.4, "M0 7 L0 2.3 Q0 0 2.2 0 Q4.4 0 4.4 2.3 L4.4 7"),
        'V' => (4.8, "M0 7 L2.4 0 L4.8 7"),
        'W' => (6.8, "M0 7 L1.7 0 L3.4 6.4 L5.1 0 L6.8 7"),
        'X' => (4.5, "M0 7 L4.5 0 M4.5 7 L0 0"),
        'Y' => (4.6, "M0 7 L2.3 3.4 L4.6 7 M2.3 3.4 L2.3 0"),
        'Z' => (4.3, "M0.1 7 L4.2 7 L0 0 L4.3 0"),

        'µ' | 'μ' => (4.0, "M0 5 L0 -2 M0 1.8 Q0 0 1.7 0 Q3.3 0 3.3 2 M3.3 5 L3.3 0.9 Q3.3 0 4 0"),
        'σ' => (4.4, "M0 2.4 Q0 4.8 2 4.8 Q4 4.8 4 2.4 Q4 0 2 0 Q0 0 0 2.4 M2 4.8 L4.4 4.8"),
        'φ' => (4.6, "M2.3 7 L2.3 -2 M0 2.5 Q0 5 2.3 5 Q4.6 5 4.6 2.5 Q4.6 0 2.3 0 Q0 0 0 2.5"),
        '²' => (2.1, "M0 6.3 Q0.1 7.2 1 7.2 Q2 7.2 2 6.3 Q2 5.7 1.3 5.1 L0 3.9 L2.1 3.9"),
        '³' => (2.0, "M0.1 6.6 Q0.3 7.2 1 7.2 Q1.9 7.2 1.9 6.45 Q1.9 5.7 0.8 5.7 M0.8 5.7 Q2 5.7 2 4.8 Q2 3.9 1 3.9 Q0.1 3.9 0 4.6"),
        '°' => (2.0, "M0 6.2 Q0 7.2 1 7.2 Q2 7.2 2 6.2 Q2 5.2 1 5.2 Q0 5.2 0 6.2"),

        '.' => (0.4, "M0.2 0 L0.2 0.1"),
        '…' => (4.4, "M0.2 0 L0.2 0.1 M2.2 0 L2.2 0.1 M4.2 0 L4.2 0.1"),
        '·' => (0.4, "M0.2 3 L0.2 3.1"),
        ',' => (0.5, "M0.4 0.1 L0 -1.2"),
        ':' => (0.4, "M0.2 0.3 L0.2 0.4 M0.2 4.4 L0.2 4.5"),
        ';' => (0.5, "M0.4 0.2 L0 -1.2 M0.4 4.4 L0.4 4.5"),
        '!' => (0.4, "M0.2 7 L0.2 2.2 M0.2 0 L0.2 0.1"),
        '?' => (3.5, "M0 5.6 Q0.3 7 1.8 7 Q3.5 7 3.5 5.4 Q3.5 4.3 2.5 3.6 Q1.7 3 1.7 1.9 M1.7 0 L1.7 0.1"),
        '-' => (2.6, "M0 2.9 L2.6 2.9"),
        '−' | '–' => (3.4, "M0 3.2 L3.4 3.2"),
        '+' => (3.6, "M0 3.2 L3.6 3.2 M1.8 5 L1.8 1.4"),
        '=' => (3.6, "M0 4.2 L3.6 4.2 M0 2.2 L3.6 2.2"),
        '×' => (3.0, "M0 4.7 L3 1.7 M3 4.7 L0 1.7"),
        '<' => (3.2, "M3.2 5.2 L0 3.2 L3.2 1.2"),
        '>' => (3.2, "M0 5.2 L3.2 3.2 L0 1.2"),
        '≤' => (3.2, "M3.2 6 L0 4 L3.2 2 M0 0.4 L3.2 0.4"),
        '≥' => (3.2, "M0 6 L3.2 4 L0 2 M0 0.4 L3.2 0.4"),
        '~' => (3.6, "M0 2.6 Q0.2 3.6 1 3.6 Q1.4 3.6 1.8 3.1 Q2.2 2.6 2.6 2.6 Q3.4 2.6 3.6 3.6"),
        '(' => (1.5, "M1.5 8 Q0 6 0 3.1 Q0 0.2 1.5 -1.8"),
        ')' => (1.5, "M0 8 Q1.5 6 1.5 3.1 Q1.5 0.2 0 -1.8"),
        '[' => (1.4, "M1.4 7.8 L0 7.8 L0 -1.5 L1.4 -1.5"),
        ']' => (1.4, "M0 7.8 L1.4 7.8 L1.4 -1.5 L0 -1.5"),
        '/' => (2.8, "M0 -0.8 L2.8 7.6"),
        '\\' => (2.8, "M0 7.6 L2.8 -0.8"),
        '|' => (0.4, "M0.2 8 L0.2 -1.8"),
        '_' => (3.6, "M0 -1 L3.6 -1"),
        '\'' => (0.4, "M0.2 7 L0.2 5.3"),
        '"' => (1.8, "M0.2 7 L0.2 5.3 M1.6 7 L1.6 5.3"),
        '#' => (4.4, "M1.5 7 L0.9 0 M3.5 7 L2.9 0 M0.2 4.7 L4.4 4.7 M0 2.2 L4.2 2.2"),
        '*' => (3.0, "M1.5 7 L1.5 4 M0.1 6.3 L2.9 4.7 M2.9 6.3 L0.1 4.7"),
        '%' => (5.2, "M4.6 7 L0.6 0 M0 5.4 Q0 7 1.2 7 Q2.4 7 2.4 5.4 Q2.4 3.8 1.2 3.8 Q0 3.8 0 5.4 M2.8 1.6 Q2.8 3.2 4 3.2 Q5.2 3.2 5.2 1.6 Q5.2 0 4 0 Q2.8 0 2.8 1.6"),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_glyph_is_well_formed_and_stays_in_its_box() {
        let letters = ('!'..='~').chain("µσφ²³°…·−–×≤≥".chars());
        let mut drawn = 0;
        for letter in letters {
            let Some((width, path)) = path(letter) else { continue };
            drawn += 1;
            let mut numbers = 0;
            let mut needed = 0;
            for word in path.split_ascii_whitespace() {
                let number = word.trim_start_matches(['M', 'L', 'Q']);
                number.parse::<f64>().unwrap_or_else(|_| panic!("{letter}: {word}"));
                needed += if word.starts_with('Q') {
                    4
                } else if number.len() < word.len() {
                    2
                } else {
                    0
                };
                numbers += 1;
            }
            assert_eq!(numbers, needed, "{letter}");
            let strokes = flatten(path);
            assert!(!strokes.is_empty(), "{letter}");
            for [x, y] in strokes.into_iter().flatten() {
                assert!(
                    (-0.31..=width + 0.31).contains(&x) && (-2.01..=8.01).contains(&y),
                    "{letter}: {x} {y}"
                );
            }
        }
        assert!(drawn > 95, "{drawn}");
    }

    #[test]
    fn letters_that_are_not_drawn_are_replaced() {
        for (text, shown) in [
            ("Gehäuse-Öl.stl", "Gehause-Ol.stl"),
            ("pie\u{300}ce n°2", "piece n°2"),
            ("Łódź — “été”", "Lodz – \"ete\""),
            ("部品 3.obj", "?? 3.obj"),
            ("tab\tand\nline", "tab and line"),
            ("z = −0.5 · 64³ …", "z = −0.5 · 64³ …"),
        ] {
            assert_eq!(drawable(text), shown);
            assert!(shown.chars().all(|letter| path(letter).is_some()), "{shown}");
        }
    }

    #[test]
    fn a_quarter_is_a_quarter_of_a_circle() {
        let strokes = flatten("M0 0 Q0 2 2 2");
        assert_eq!(strokes.len(), LINES_PER_QUARTER);
        for [_, [x, y]] in strokes {
            assert!(((x - 2.0).hypot(y) - 2.0).abs() < 1e-12);
        }
    }

    #[test]
    fn text_is_as_wide_as_its_letters_and_gaps() {
        assert_eq!(text_width("", 7.0), 0.0);
        assert_eq!(text_width("0", 7.0), 4.0);
        assert!((text_width("00", 14.0) - 2.0 * (8.0 + SPACING)).abs() < 1e-12);
    }
}
