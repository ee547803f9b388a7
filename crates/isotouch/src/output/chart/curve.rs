//! From the points of a series to lines on paper.

use super::frame::Frame;

/// Lines through all points that have a place, broken where one has none. Of the points in one column of `column` units only the
/// first, the lowest, the highest and the last are kept: a million of them look the same and take no longer than a thousand.
pub(super) fn lines(points: &[[f64; 2]], frame: &Frame, column: f64) -> Vec<Vec<[f64; 2]>> {
    let mut lines = Vec::new();
    let mut line = Line::default();
    for &point in points {
        match frame.place(point) {
            Some(place) => line.add(place, (place[0] / column).floor() as i64),
            None => line.finish_into(&mut lines),
        }
    }
    line.finish_into(&mut lines);
    lines
}

/// A line so far: what is settled, and the run of points in the current column.
#[derive(Default)]
struct Line {
    points: Vec<[f64; 2]>,
    run: Option<Run>,
}

/// Points one after the other in the same column, each with its number in the run.
struct Run {
    column: i64,
    first: [f64; 2],
    lowest: (usize, [f64; 2]),
    highest: (usize, [f64; 2]),
    last: (usize, [f64; 2]),
}

impl Line {
    fn add(&mut self, place: [f64; 2], column: i64) {
        match &mut self.run {
            Some(run) if run.column == column => {
                let number = run.last.0 + 1;
                run.last = (number, place);
                if place[1] < run.lowest.1[1] {
                    run.lowest = (number, place);
                }
                if place[1] > run.highest.1[1] {
                    run.highest = (number, place);
                }
            }
            _ => {
                self.settle();
                let here = (0, place);
                self.run = Some(Run { column, first: place, lowest: here, highest: here, last: here });
            }
        }
    }

    fn settle(&mut self) {
        let Some(run) = self.run.take() else { return };
        let mut kept = [(0, run.first), run.lowest, run.highest, run.last];
        kept.sort_by_key(|(number, _)| *number);
        let mut before = None;
        for (number, place) in kept {
            if before != Some(number) {
                self.points.push(place);
            }
            before = Some(number);
        }
    }

    fn finish_into(&mut self, lines: &mut Vec<Vec<[f64; 2]>>) {
        self.settle();
        if !self.points.is_empty() {
            lines.push(std::mem::take(&mut self.points));
        }
    }
}

/// The lines cut into dashes and gaps of these lengths.
pub(super) fn dashed(lines: &[Vec<[f64; 2]>], dash: f64, gap: f64) -> Vec<Vec<[f64; 2]>> {
    let mut dashes = Vec::new();
    for line in lines {
        let (mut is_dash, mut left) = (true, dash);
        let mut current: Vec<[f64; 2]> = line.first().copied().into_iter().collect();
        for pair in line.windows(2) {
            let ([from, to], mut done) = ([pair[0], pair[1]], 0.0);
            let length = (to[0] - from[0]).hypot(to[1] - from[1]);
            while length - done > left {
                done += left;
                let at = [0, 1].map(|axis| from[axis] + (to[axis] - from[axis]) * done / length);
                if is_dash {
                    current.push(at);
                    dashes.push(std::mem::take(&mut current));
                } else {
                    current = vec![at];
                }
                is_dash = !is_dash;
                left = if is_dash { dash } else { gap };
            }
            left -= length - done;
            if is_dash {
                current.push(to);
            }
        }
        if !current.is_empty() {
            dashes.push(current);
        }
    }
    dashes
}

#[cfg(test)]
mod tests {
    use super::super::axis::{Range, Scale};
    use super::*;
    use proptest::prelude::*;

    fn frame(width: f64) -> Frame {
        let range = |high| Range { scale: Scale::Linear, low: 0.0, high };
        Frame { left: 0.0, top: 0.0, right: width, bottom: 100.0, x: range(1.0), y: range(1.0) }
    }

    #[test]
    fn a_million_points_keep_their_peaks() {
        let mut points: Vec<[f64; 2]> =
            (0..1_000_000).map(|k| [f64::from(k) / 1e6, 0.5 + 0.1 * f64::from(k % 7) / 7.0]).collect();
        points[123_456][1] = 1.0;
        points[777_777][1] = 0.0;
        points[500_000][1] = f64::NAN;
        let lines = lines(&points, &frame(800.0), 0.5);
        assert_eq!(lines.len(), 2);
        let kept: Vec<_> = lines.iter().flatten().collect();
        assert!(kept.len() <= 4 * 1600 + 4, "{}", kept.len());
        assert!(kept.iter().any(|p| p[1] == 0.0) && kept.iter().any(|p| p[1] == 100.0));
        assert!(kept.windows(2).all(|pair| pair[0][0] <= pair[1][0]));
    }

    #[test]
    fn few_points_are_all_kept_and_gaps_are_gaps() {
        let points = [[0.0, 0.5], [0.1, f64::INFINITY], [0.2, 0.5], [0.3, 0.6], [f64::NAN, 0.0], [0.3, 1.0]];
        let lengths: Vec<usize> = lines(&points, &frame(800.0), 0.5).iter().map(Vec::len).collect();
        assert_eq!(lengths, [1, 2, 1]);
        // Backwards and in circles.
        let circle: Vec<_> = (0..100)
            .map(|k| (f64::from(k) / 10.0).sin_cos())
            .map(|(s, c)| [0.5 + 0.5 * c, 0.5 + 0.5 * s])
            .collect();
        assert_eq!(lines(&circle, &frame(800.0), 0.01)[0].len(), 100);
    }

    proptest! {
        /// Every point that is left out lies between the lowest and the highest of its column.
        #[test]
        fn what_is_left_out_is_hidden(ys in prop::collection::vec(0.0..1.0f64, 1..300), columns in 1..40u32) {
            let points: Vec<[f64; 2]> = ys.iter().enumerate().map(|(k, y)| [k as f64 / 300.0, *y]).collect();
            let (frame, column) = (frame(f64::from(columns)), 1.0);
            let kept = lines(&points, &frame, column).concat();
            for place in points.iter().filter_map(|point| frame.place(*point)) {
                let same: Vec<f64> = kept.iter().filter(|k| k[0].floor() == place[0].floor()).map(|k| k[1]).collect();
                prop_assert!(same.iter().any(|y| *y <= place[1]) && same.iter().any(|y| *y >= place[1]));
            }
        }
    }

    #[test]
    fn dashes_are_as_long_as_asked() {
        let corner = vec![vec![[0.0, 0.0], [5.0, 0.0], [5.0, 10.0]]];
        let dashes = dashed(&corner, 4.0, 3.0);
        assert_eq!(
            dashes,
            [vec![[0.0, 0.0], [4.0, 0.0]], vec![[5.0, 2.0], [5.0, 6.0]], vec![[5.0, 9.0], [5.0, 10.0]]]
        );
    }
}
