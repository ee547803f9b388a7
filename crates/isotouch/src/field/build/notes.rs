//! Where the vertices of a mesh were met.

use std::sync::{Mutex, PoisonError};

/// Where each vertex of the mesh stood when it was met last: its place, counted on from collection to collection. What was noted
/// before the present one is so told by its number, and nothing needs to be wiped.
#[derive(Default)]
pub(super) struct Notes {
    of_vertex: Vec<u32>,
    /// Number of the first place of the present collection.
    first: u32,
    /// Number of the place that the next new vertex gets.
    next: u32,
}

impl Notes {
    /// Begins a new collection of the vertices of a mesh.
    pub(super) fn forget(&mut self, vertices: usize) {
        let has_numbers = (u32::MAX - self.next) as usize > vertices;
        if self.of_vertex.len() != vertices || !has_numbers {
            self.of_vertex.clear();
            self.of_vertex.resize(vertices, 0);
            // Zero stands for never met.
            self.next = 1;
        }
        self.first = self.next;
    }

    /// Where a vertex stands: where it was met first, or at the next place, from now on.
    #[inline(always)]
    pub(super) fn place(&mut self, vertex: u32) -> u32 {
        let note = &mut self.of_vertex[vertex as usize];
        // Without a branch: whether a vertex was met before is as good as chance.
        let is_new = *note < self.first;
        let number = if is_new { self.next } else { *note };
        *note = number;
        self.next += u32::from(is_new);
        number - self.first
    }

    /// How many different vertices the present collection has.
    pub(super) fn count(&self) -> usize {
        (self.next - self.first) as usize
    }
}

/// Notes that nobody writes at the moment. They are as long as the mesh has vertices, and there is much work of few octets: each takes
/// notes that others have made before.
#[derive(Default)]
pub(super) struct SpareNotes(Mutex<Vec<Notes>>);

impl SpareNotes {
    pub(super) fn take(&self) -> Notes {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    pub(super) fn put_back(&self, notes: Notes) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(notes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_met_before_counts_no_more() {
        let mut notes = Notes::default();
        notes.forget(5);
        assert_eq!([3, 1, 3, 1].map(|vertex| notes.place(vertex)), [0, 1, 0, 1]);
        notes.forget(5);
        assert_eq!([1, 3, 4, 1].map(|vertex| notes.place(vertex)), [0, 1, 2, 0]);
        assert_eq!(notes.count(), 3);
    }

    #[test]
    fn numbers_that_run_out_begin_again() {
        let mut notes = Notes::default();
        notes.forget(3);
        assert_eq!(notes.place(2), 0);
        // As after a great many collections.
        notes.next = u32::MAX - 2;
        notes.of_vertex = vec![0, u32::MAX - 4, 7];
        notes.forget(3);
        assert_eq!([1, 2, 1].map(|vertex| notes.place(vertex)), [0, 1, 0]);
        assert!(notes.next < 10);
    }

    #[test]
    fn another_mesh_begins_anew() {
        let mut notes = Notes::default();
        notes.forget(2);
        assert_eq!(notes.place(1), 0);
        notes.forget(9);
        assert_eq!([8, 1].map(|vertex| notes.place(vertex)), [0, 1]);
    }

    #[test]
    fn spare_notes_know_what_was_met_with_them() {
        let spare = SpareNotes::default();
        let mut notes = spare.take();
        notes.forget(4);
        assert_eq!([2, 3].map(|vertex| notes.place(vertex)), [0, 1]);
        spare.put_back(notes);
        let mut notes = spare.take();
        notes.forget(4);
        assert_eq!([3, 2].map(|vertex| notes.place(vertex)), [0, 1]);
    }
}
