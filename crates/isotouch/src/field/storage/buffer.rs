//! A slice that is either ours or lies in a mapped file.

#![allow(unsafe_code)]

use std::fs::File;
use std::io;
use std::ops::Deref;
use std::sync::Arc;

use bytemuck::Pod;
use memmap2::Mmap;

/// A read-only view of a file in memory.
#[derive(Debug, Clone)]
pub(crate) struct MappedFile(Arc<Mmap>);

impl MappedFile {
    pub(crate) fn open(file: &File) -> io::Result<Self> {
        // SAFETY: the mapping is read-only and only plain numbers are read from it, after their positions were checked
        // against the file's length. Another process that rewrites the file in place can change those numbers (or, by
        // truncating it, end this process with SIGBUS); this library never does: it writes beside and renames.
        let map = unsafe { Mmap::map(file)? };
        Ok(Self(Arc::new(map)))
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// `count` values from byte `offset`; `None` when they do not fit in the file or are not aligned.
    pub(crate) fn slice<T: Pod>(&self, offset: usize, count: usize) -> Option<Buffer<T>> {
        let end = count.checked_mul(size_of::<T>())?.checked_add(offset)?;
        let bytes = self.bytes().get(offset..end)?;
        bytemuck::try_cast_slice::<u8, T>(bytes).ok()?;
        Some(Buffer::Mapped { file: self.clone(), offset, end })
    }
}

/// A slice of plain numbers, owned or mapped.
#[derive(Debug, Clone)]
pub(crate) enum Buffer<T> {
    Owned(Vec<T>),
    Mapped { file: MappedFile, offset: usize, end: usize },
}

impl<T: Pod> Deref for Buffer<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match self {
            Self::Owned(values) => values,
            // Bounds and alignment were checked when the slice was made and cannot change.
            Self::Mapped { file, offset, end } => bytemuck::cast_slice(&file.bytes()[*offset..*end]),
        }
    }
}

impl<T> From<Vec<T>> for Buffer<T> {
    fn from(values: Vec<T>) -> Self {
        Self::Owned(values)
    }
}

impl<T: Pod> Buffer<T> {
    pub(crate) fn size_in_bytes(&self) -> u64 {
        size_of_val::<[T]>(self) as u64
    }
}
