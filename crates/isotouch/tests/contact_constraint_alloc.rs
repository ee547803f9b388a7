//! Solving allocates nothing: counted by an allocator of this test's own.

#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use isotouch::contact::constraint::{Contact, FrictionOptions, FrictionSolver, Outcome, Row, Solver};
use isotouch::math::spatial::Cholesky6;
use isotouch::math::{DMat3, DVec3, Mat6, Twist};

struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: everything is passed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promises are passed on.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// One test alone in its binary, for others would be counted too.
#[test]
fn solving_allocates_nothing() {
    let contact = |k: u32| {
        let (sin, cos) = (f64::from(k) * 2.4).sin_cos();
        Contact {
            normal: DVec3::new(0.5 * cos, 0.5 * sin, -0.75f64.sqrt()),
            arm: DVec3::new(sin, cos, 0.1 * f64::from(k % 7)),
            bound: 1e-4 * f64::from(k % 3),
            friction: 0.4,
        }
    };
    let contacts: Vec<Contact> = (0..200).map(contact).collect();
    let rows: Vec<Row> = contacts.iter().map(Contact::row).collect();
    let mut conflicting = rows.clone();
    conflicting[0].bound = -1.0;
    conflicting[1] = Row { direction: conflicting[0].direction * -1.0, bound: 0.5 };
    let metric = Mat6::inertia(1.0, DMat3::IDENTITY);
    let factor = Cholesky6::new(&metric).unwrap();
    let target = Twist { linear: DVec3::new(0.1, 0.2, -1.0), angular: DVec3::new(0.3, 0.0, 0.1) };
    let mut solver = Solver::with_capacity(200);
    let mut rubbing = FrictionSolver::with_capacity(200);

    let before = ALLOCATIONS.load(Ordering::Relaxed);
    let plain = solver.solve(&factor, &target, &rows);
    let warm = solver.solve_from(&factor, &target, &rows, &[3, 5, 100, 900]);
    let relaxed = solver.solve_or_relax(&factor, &target, &conflicting, &[]);
    let freedom = solver.freedom(&factor, &conflicting);
    let rubbed = rubbing.solve(&metric, &target, &contacts, &FrictionOptions::default());
    let after = ALLOCATIONS.load(Ordering::Relaxed);

    assert_eq!(after, before, "allocated {} times", after - before);
    assert_eq!((plain.outcome, warm.outcome), (Outcome::Solved, Outcome::Solved));
    assert_eq!((relaxed.outcome, rubbed.solution.outcome), (Outcome::Relaxed, Outcome::Solved));
    drop(freedom);
    assert!(ALLOCATIONS.load(Ordering::Relaxed) >= before && before > 0, "it counts");
}
