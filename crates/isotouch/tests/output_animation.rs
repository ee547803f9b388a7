//! Films, read back by other people's glTF readers, by Khronos' validator and by our own.

#![allow(clippy::unwrap_used)]

mod oracle;

use std::path::Path;

use gltf::animation::util::ReadOutputs;
use isotouch::cloth::{Cloth, ClothOptions, ClothWorld, garments};
use isotouch::math::{DQuat, DVec3, Pose};
use isotouch::mesh::{TriMesh, report, shapes};
use isotouch::output::animation::{Animation, AnimationError, MAX_SHAPES};
use isotouch::output::cloth_film::ClothFilm;
use isotouch::output::palette;

fn times(frames: usize, rate: f64) -> Vec<f64> {
    (0..frames).map(|frame| frame as f64 / rate).collect()
}

/// Tumbles over several turns, with signs of quaternions that jump.
fn tumble(frames: usize) -> Vec<Pose> {
    let axis = DVec3::new(0.3, 0.9, -0.2).normalize_or_zero();
    (0..frames)
        .map(|frame| {
            let t = frame as f64 / 30.0;
            let rotation = DQuat::from_axis_angle(axis, 9.0 * t);
            Pose {
                position: DVec3::new(t.sin(), 2.0 - t, 0.1 * t),
                rotation: if frame % 3 == 1 { -rotation } else { rotation },
            }
        })
        .collect()
}

/// A square sheet of n × n vertices, and how it waves.
fn sheet(n: u32) -> TriMesh {
    let vertices =
        (0..n * n).map(|k| DVec3::new(f64::from(k % n), 0.0, f64::from(k / n)) / f64::from(n - 1)).collect();
    let cells = (0..n - 1).flat_map(|j| (0..n - 1).map(move |i| j * n + i));
    let triangles = cells.flat_map(|v| [[v, v + n, v + 1], [v + 1, v + n, v + n + 1]]).collect();
    TriMesh::new(vertices, triangles).unwrap()
}

fn wave(sheet: &TriMesh, frames: usize) -> Vec<Vec<DVec3>> {
    let at =
        |t: f64| sheet.vertices().iter().map(move |v| *v + DVec3::Y * (0.2 * (5.0 * v.x + t).sin() + 1.0));
    (0..frames).map(|frame| at(frame as f64 / 10.0).collect()).collect()
}

/// What the `gltf` crate reads.
struct Film {
    document: gltf::Document,
    binary: Vec<u8>,
}

impl Film {
    fn open(path: &Path) -> Self {
        let gltf::Gltf { document, blob } = gltf::Gltf::open(path).unwrap();
        Self { document, binary: blob.unwrap_or_default() }
    }

    fn node(&self, name: &str) -> gltf::Node<'_> {
        self.document.nodes().find(|node| node.name() == Some(name)).unwrap()
    }

    /// Times and outputs of the channel of a node; its outputs are of the kind that `pick` takes.
    fn channel<T>(
        &self,
        name: &str,
        pick: impl Fn(ReadOutputs<'_>) -> Option<Vec<T>>,
    ) -> Option<(Vec<f32>, Vec<T>)> {
        let node = self.node(name).index();
        self.document.animations().flat_map(|animation| animation.channels().collect::<Vec<_>>()).find_map(
            |channel| {
                if channel.target().node().index() != node {
                    return None;
                }
                assert_eq!(channel.sampler().interpolation(), gltf::animation::Interpolation::Linear);
                let reader = channel.reader(|_| Some(&self.binary));
                Some((reader.read_inputs().unwrap().collect(), pick(reader.read_outputs().unwrap())?))
            },
        )
    }

    fn translations(&self, name: &str) -> Option<(Vec<f32>, Vec<[f32; 3]>)> {
        self.channel(name, |outputs| match outputs {
            ReadOutputs::Translations(values) => Some(values.collect()),
            _ => None,
        })
    }

    fn rotations(&self, name: &str) -> Option<(Vec<f32>, Vec<[f32; 4]>)> {
        self.channel(name, |outputs| match outputs {
            ReadOutputs::Rotations(values) => Some(values.into_f32().collect()),
            _ => None,
        })
    }

    fn weights(&self, name: &str) -> Option<(Vec<f32>, Vec<f32>)> {
        self.channel(name, |outputs| match outputs {
            ReadOutputs::MorphTargetWeights(values) => Some(values.into_f32().collect()),
            _ => None,
        })
    }
}

fn write(film: &Animation<'_>, folder: &Path) -> Film {
    let path = folder.join("film.glb");
    film.write(&path).unwrap();
    oracle::node::validate_gltf(&path);
    Film::open(&path)
}

#[test]
fn bodies_are_where_they_were_in_every_frame() {
    let folder = tempfile::tempdir().unwrap();
    let (knot, cube) = (shapes::by_name("torus-knot").unwrap(), shapes::cuboid(DVec3::ONE).unwrap());
    let same_cube = cube.clone();
    let poses = tumble(200);
    let times: Vec<f64> = times(200, 30.0).iter().map(|t| t + 5.0).collect();
    let mut film = Animation::new(&times).unwrap();
    film.add_body("knot", &knot, palette::distinct(0), &poses).unwrap();
    film.add_body("cube", &cube, palette::distinct(1), &poses).unwrap();
    film.add_body("same cube", &same_cube, palette::distinct(1), &poses[..1]).unwrap();
    film.add_body("other colour", &cube, palette::distinct(2), &vec![poses[7]; 200]).unwrap();
    let read = write(&film, folder.path());

    for name in ["knot", "cube"] {
        let (moments, positions) = read.translations(name).unwrap();
        let (_, rotations) = read.rotations(name).unwrap();
        assert_eq!((moments.len(), positions.len(), rotations.len()), (200, 200, 200));
        for frame in 0..200 {
            assert!((f64::from(moments[frame]) - frame as f64 / 30.0).abs() < 1e-6, "from 0 on");
            let rotation = DQuat::from_array(rotations[frame].map(f64::from));
            let read = Pose { position: DVec3::from_array(positions[frame].map(f64::from)), rotation };
            for corner in [DVec3::X, DVec3::Y, DVec3::Z] {
                assert!(read.place(corner).distance(poses[frame].place(corner)) < 1e-6);
            }
            if frame > 0 {
                let before = DQuat::from_array(rotations[frame - 1].map(f64::from));
                assert!(rotation.dot(before) > 0.9, "the short way");
            }
        }
    }
    for still in ["same cube", "other colour"] {
        assert!(read.translations(still).is_none() && read.rotations(still).is_none());
    }
    // Equal meshes are one: of one colour the same glTF mesh, of two colours the same numbers.
    let positions = |name: &str| {
        let mesh = read.node(name).mesh().unwrap();
        let primitive = mesh.primitives().next().unwrap();
        (mesh.index(), primitive.get(&gltf::Semantic::Positions).unwrap().index())
    };
    assert_eq!(positions("cube"), positions("same cube"));
    assert_eq!(positions("cube").1, positions("other colour").1);
    assert_ne!(positions("cube").0, positions("other colour").0);
}

#[test]
fn cloth_has_the_shape_of_each_frame() {
    let folder = tempfile::tempdir().unwrap();
    let sheet = sheet(12);
    let frames = wave(&sheet, 40);
    let mut film = Animation::new(&times(40, 25.0)).unwrap();
    film.add_cloth("cloth", &sheet, palette::distinct(3), &frames).unwrap();
    let read = write(&film, folder.path());

    let (moments, weights) = read.weights("cloth").unwrap();
    assert_eq!((moments.len(), weights.len()), (40, 40 * 39));
    let node = read.node("cloth");
    let place = DVec3::from_array(node.transform().decomposed().0.map(f64::from));
    let mesh = node.mesh().unwrap();
    let primitive = mesh.primitives().next().unwrap();
    let reader = primitive.reader(|_| Some(&read.binary));
    let base: Vec<[f32; 3]> = reader.read_positions().unwrap().collect();
    let targets: Vec<Vec<[f32; 3]>> =
        reader.read_morph_targets().map(|(moves, _, _)| moves.unwrap().collect()).collect();
    let vector = |v: [f32; 3]| DVec3::from_array(v.map(f64::from));
    for (frame, positions) in frames.iter().enumerate() {
        let weights = &weights[frame * 39..(frame + 1) * 39];
        for (vertex, &wanted) in positions.iter().enumerate() {
            let moved: DVec3 =
                weights.iter().zip(&targets).map(|(w, target)| f64::from(*w) * vector(target[vertex])).sum();
            assert!((place + vector(base[vertex]) + moved).distance(wanted) < 1e-6);
        }
    }
    for normal in reader.read_normals().unwrap() {
        assert!((vector(normal).length() - 1.0).abs() < 1e-6 && normal[1] > 0.3);
    }
}

#[test]
fn a_long_film_of_cloth_keeps_so_many_shapes_and_both_ends() {
    let folder = tempfile::tempdir().unwrap();
    let sheet = sheet(3);
    let frames = wave(&sheet, 1000);
    let times = times(1000, 100.0);
    let mut film = Animation::new(&times).unwrap();
    film.add_cloth("cloth", &sheet, palette::distinct(3), &frames).unwrap();
    film.add_body("cube", &sheet, palette::distinct(4), &tumble(1000)).unwrap();
    let read = write(&film, folder.path());
    let (moments, weights) = read.weights("cloth").unwrap();
    assert_eq!((moments.len(), weights.len()), (MAX_SHAPES, MAX_SHAPES * (MAX_SHAPES - 1)));
    assert_eq!((moments[0], moments[MAX_SHAPES - 1]), (0.0, 9.99));
    assert_eq!(read.rotations("cube").unwrap().0.len(), 1000);
}

#[test]
fn our_own_reader_sees_the_first_frame() {
    let folder = tempfile::tempdir().unwrap();
    let cube = shapes::cuboid(DVec3::ONE).unwrap();
    let (first, second) = (Pose::at(DVec3::new(3.0, 1.0, 0.0)), Pose::at(DVec3::new(-3.0, 1.0, 0.0)));
    let mut film = Animation::new(&[0.0, 1.0]).unwrap();
    film.add_body("a", &cube, palette::distinct(0), &[first, second]).unwrap();
    film.add_body("b", &cube, palette::distinct(1), &[second]).unwrap();
    write(&film, folder.path());
    let mesh = TriMesh::read(folder.path().join("film.glb")).unwrap();
    let facts = report(&mesh);
    assert!(facts.is_solid() && facts.components == 2);
    assert_eq!(mesh.vertices().len(), 16);
    let bounds = mesh.bounds();
    assert_eq!((bounds.min, bounds.max), (DVec3::new(-3.5, 0.5, -0.5), DVec3::new(3.5, 1.5, 0.5)));
    assert!((mesh.signed_volume() - 2.0).abs() < 1e-12);
}

/// A scan in national coordinates, on which `f32` alone has steps of half a metre; and a mesh far from its own origin.
#[test]
fn shapes_far_away_stay_exact() {
    let folder = tempfile::tempdir().unwrap();
    let far = DVec3::new(4_512_345.25, 120.0, 5_401_234.5);
    let ball = shapes::sphere(1.0, 320).unwrap().mapped(|p| p + far).unwrap();
    let turned = |k: u32| {
        let rotation = DQuat::from_rotation_y(f64::from(k) * 0.1);
        // Around the middle of the ball.
        Pose { position: far - rotation * far, rotation }
    };
    let poses: Vec<Pose> = (0..5).map(turned).collect();
    let mut film = Animation::new(&times(5, 25.0)).unwrap();
    film.add_body("ball", &ball, palette::distinct(0), &poses).unwrap();
    let read = write(&film, folder.path());
    let mesh = TriMesh::read(folder.path().join("film.glb")).unwrap();
    assert!(mesh.bounds().center().distance(far) < 1e-3);
    for vertex in mesh.vertices() {
        assert!((vertex.distance(mesh.bounds().center()) - 1.0).abs() < 1e-6);
    }
    // It turns where it is.
    assert!(read.translations("ball").is_none_or(|(_, places)| {
        places.iter().all(|place| place.iter().zip(places[0]).all(|(a, b)| (a - b).abs() < 1e-6))
    }));
    assert_eq!(read.rotations("ball").unwrap().1.len(), 5);
}

#[test]
fn odd_films_are_valid_too() {
    let folder = tempfile::tempdir().unwrap();
    let sheet = sheet(4);
    let large = shapes::sphere(1.0, 327_680).unwrap();
    let line = TriMesh::new(vec![DVec3::ZERO, DVec3::X, 2.0 * DVec3::X], vec![[0, 1, 2]]).unwrap();
    let empty = folder.path().join("empty.glb");
    Animation::new(&[0.0]).unwrap().write(&empty).unwrap();
    oracle::node::validate_gltf(&empty);

    let still = wave(&sheet, 1);
    let mut film = Animation::new(&[3.0]).unwrap();
    film.add_cloth("cloth \"of\" \n élan", &sheet, [0, 0, 0], &still).unwrap();
    film.add_body("", &line, [255, 255, 255], &[Pose::IDENTITY]).unwrap();
    film.add_body("many vertices", &large, [1, 2, 3], &[Pose::IDENTITY]).unwrap();
    let read = write(&film, folder.path());
    assert_eq!(read.document.animations().count(), 0);
}

#[test]
fn what_cannot_be_shown_is_told() {
    let cube = shapes::cuboid(DVec3::ONE).unwrap();
    assert!(matches!(Animation::new(&[]), Err(AnimationError::NoFrames)));
    for times in [[0.0, 0.0], [0.0, f64::NAN], [1.0, 0.0], [0.0, 1e-50], [f64::INFINITY, f64::INFINITY]] {
        assert!(matches!(Animation::new(&times), Err(AnimationError::Times { .. })), "{times:?}");
    }
    let mut film = Animation::new(&[0.0, 1.0, 2.0]).unwrap();
    let told = |error: Result<(), AnimationError>| error.unwrap_err().to_string();
    let colour = [0; 3];
    assert!(told(film.add_body("a", &cube, colour, &[])).contains("0 poses"));
    assert!(told(film.add_body("a", &cube, colour, &[Pose::IDENTITY; 2])).contains("3 frames"));
    let mut poses = [Pose::IDENTITY; 3];
    poses[2].position.y = f64::NAN;
    assert!(told(film.add_body("a", &cube, colour, &poses)).contains("'a' has a number in frame 2"));
    poses[2] = Pose { position: DVec3::ZERO, rotation: DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0) };
    assert!(told(film.add_body("a", &cube, colour, &poses)).contains("frame 2"));
    poses[2] = Pose::at(DVec3::X * 1e300);
    assert!(told(film.add_body("a", &cube, colour, &poses)).contains("diverge"));
    let empty = TriMesh::default();
    assert!(told(film.add_body("a", &empty, colour, &[Pose::IDENTITY])).contains("no triangles"));
    let short = vec![cube.vertices().to_vec(), Vec::new(), cube.vertices().to_vec()];
    assert!(told(film.add_cloth("c", &cube, colour, &short)).contains("frame 1 of 'c' has 0 vertices"));
    let error = film.write("/no/such/folder/film.glb").unwrap_err().to_string();
    assert!(error.contains("film.glb"), "{error}");
}

/// Cloths of the same name, as all have that are given none: their meshes replaced each other.
#[test]
fn cloths_of_one_name_are_told_apart() {
    let mut world = ClothWorld::default();
    for name in ["cloth", "cloth", "cloth 2", "cloth"] {
        let options = ClothOptions { name: name.into(), ..Default::default() };
        world.add_cloth(Cloth::from_mesh(&garments::tablecloth(1.0, 2).unwrap(), &options).unwrap());
    }
    let film = ClothFilm::new(&world);
    let names: Vec<String> = film.shown().into_iter().map(|of| of.name).collect();
    assert_eq!(names, ["cloth", "cloth 3", "cloth 2", "cloth 4"]);
    let folder = tempfile::tempdir().unwrap();
    let files = film.write_objs(folder.path()).unwrap();
    assert!(files.len() == 4 && files.iter().all(|file| file.exists()));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 4);
    film.write_npz(folder.path().join("all.npz")).unwrap();
}
