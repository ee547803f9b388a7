//! Charts as SVG and PNG.

use isotouch::output::chart::{Axis, Chart, ChartError, Scale};
use isotouch::output::palette;

/// Numbers that no axis likes.
const ODD: [f64; 8] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0, 0.0, 1e-310, 1e308, -1e308];

fn energy() -> Chart {
    let times: Vec<f64> = (0..=5000).map(|step| f64::from(step) / 1000.0).collect();
    let height = |t: f64| (1.0 - (t % 1.0 - 0.5).powi(2) * 4.0) * 0.9f64.powi(t as i32);
    let potential: Vec<f64> = times.iter().map(|&t| 9.81 * height(t)).collect();
    let kinetic: Vec<f64> =
        potential.iter().zip(&times).map(|(p, &t)| 9.81 * 0.9f64.powi(t as i32) - p).collect();
    let total: Vec<f64> = kinetic.iter().zip(&potential).map(|(k, p)| k + p).collect();
    let mut chart = Chart::new("Energy of a bouncing ball", Axis::new("time", "s"), Axis::new("energy", "J"));
    chart.add("kinetic", &times, &kinetic);
    chart.add("potential", &times, &potential);
    chart.add("total", &times, &total);
    chart
}

/// How many pixels have a colour.
fn pixels(chart: &Chart, colour: [u8; 3]) -> usize {
    let image = chart.image();
    let all = (0..image.height()).flat_map(|y| (0..image.width()).map(move |x| (x, y)));
    all.filter(|&(x, y)| image.pixel(x, y) == colour).count()
}

#[test]
fn a_chart_has_its_words_its_numbers_and_its_lines() {
    let chart = energy();
    let svg = chart.svg();
    for word in
        ["Energy of a bouncing ball", "time (s)", "energy (J)", "kinetic", "potential", "total", ">10</text>"]
    {
        assert!(svg.contains(word), "{word}");
    }
    for series in 0..3 {
        assert!(pixels(&chart, palette::distinct(series)) > 1000);
    }
    assert_eq!(pixels(&chart, palette::distinct(3)), 0);
    let image = chart.image();
    assert_eq!((image.width(), image.height()), (1800, 840));
    assert_eq!(chart.svg(), energy().svg());
    assert_eq!(chart.image(), energy().image());
}

#[test]
fn a_million_points_make_a_small_file() {
    let count = 1_000_000;
    let x: Vec<f64> = (0..count).map(|k| k as f64 * 1e-3).collect();
    let y: Vec<f64> = (0..count).map(|k| (k as f64 * 0.7).sin() * (k as f64 * 1e-5).cos()).collect();
    let mut chart = Chart::new("", Axis::new("time", "s"), Axis::new("force", "N"));
    chart.add("", &x, &y);
    let svg = chart.svg();
    assert!(svg.len() < 200_000, "{}", svg.len());
    // The envelope is filled, since each column goes from its least to its largest.
    assert!(pixels(&chart, palette::distinct(0)) > 100_000);
}

#[test]
fn odd_numbers_are_gaps() {
    for scale in [Scale::Linear, Scale::Logarithmic] {
        let axis = || Axis::new("x", "").scaled(scale);
        let mut chart = Chart::new("odd", axis(), axis());
        chart.add("all odd", &ODD, &ODD);
        for odd in ODD {
            chart.add("one", &[1.0, 2.0, 3.0], &[1.0, odd, 3.0]);
            chart.add("other", &[1.0, odd, 3.0], &[1.0, 2.0, 3.0]);
        }
        let svg = chart.svg();
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        chart.image();
        let mut nothing = Chart::new("", axis(), axis());
        nothing.add("", &[], &[]);
        nothing.add("", &[f64::NAN], &[1.0]);
        assert!(nothing.svg().contains("nothing to show"));
    }
}

#[test]
fn words_cannot_break_out_of_the_svg() {
    let mut chart =
        Chart::new("a < b & \"c\" <script>\u{0}", Axis::new("x & y", "</text>"), Axis::new("", ""));
    chart.add("<b>", &[1.0], &[1.0]);
    let svg = chart.svg();
    assert!(
        svg.contains("a &lt; b &amp; \"c\" &lt;script&gt;") && !svg.contains("<b>") && !svg.contains('\u{0}')
    );
    assert_eq!(svg.matches("<text").count(), svg.matches("</text>").count());
}

#[test]
fn the_extension_says_what_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let chart = energy().sized(400.0, f64::NAN);
    for (name, beginning) in [("e.svg", &b"<svg"[..]), ("e.PNG", b"\x89PNG")] {
        chart.write(folder.path().join(name)).unwrap();
        assert!(std::fs::read(folder.path().join(name)).unwrap().starts_with(beginning));
    }
    assert_eq!((chart.image().width(), chart.image().height()), (800, 400));
    let error = chart.write(folder.path().join("e.gif")).unwrap_err();
    assert!(matches!(error, ChartError::UnknownFormat { .. }) && error.to_string().contains("e.gif"));
    let error = chart.write(folder.path().join("no/e.png")).unwrap_err().to_string();
    assert!(error.contains("e.png"), "{error}");
}
