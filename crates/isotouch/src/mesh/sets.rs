/// Disjoint sets of the numbers 0 to n − 1.
pub(super) struct Sets(Vec<u32>);

impl Sets {
    pub(super) fn new(n: usize) -> Self {
        Self((0..n as u32).collect())
    }

    /// The smallest member of the set that holds `x`.
    pub(super) fn find(&mut self, mut x: u32) -> u32 {
        while self.0[x as usize] != x {
            let above = self.0[self.0[x as usize] as usize];
            self.0[x as usize] = above;
            x = above;
        }
        x
    }

    /// The same without making later searches shorter, so that threads may share it.
    pub(super) fn smallest(&self, mut x: u32) -> u32 {
        while self.0[x as usize] != x {
            x = self.0[x as usize];
        }
        x
    }

    pub(super) fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        self.0[a.max(b) as usize] = a.min(b);
    }

    /// For every number, the smallest member of the set that holds it.
    pub(super) fn into_smallest(mut self) -> Vec<u32> {
        for x in 0..self.0.len() as u32 {
            self.0[x as usize] = self.find(x);
        }
        self.0
    }
}
