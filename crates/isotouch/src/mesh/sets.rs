/// Disjoint sets of the numbers 0 to n − 1.
pub(crate) struct Sets {
    /// A member of the same set nearer to the one that stands for all; that one itself for itself.
    above: Vec<u32>,
    /// How many members a set has, at the one that stands for all.
    sizes: Vec<u32>,
}

impl Sets {
    pub(crate) fn new(n: usize) -> Self {
        Self { above: (0..n as u32).collect(), sizes: vec![1; n] }
    }

    /// The member that stands for all of the set that holds `x`.
    pub(crate) fn find(&mut self, mut x: u32) -> u32 {
        while self.above[x as usize] != x {
            let above = self.above[self.above[x as usize] as usize];
            self.above[x as usize] = above;
            x = above;
        }
        x
    }

    /// The same without making later searches shorter, so that threads may share it.
    pub(crate) fn find_shared(&self, mut x: u32) -> u32 {
        while self.above[x as usize] != x {
            x = self.above[x as usize];
        }
        x
    }

    pub(crate) fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        if a == b {
            return;
        }
        // The smaller below the larger: no search takes more than log₂ n steps, in whatever order sets are joined.
        let (small, large) = if self.sizes[a as usize] < self.sizes[b as usize] { (a, b) } else { (b, a) };
        self.above[small as usize] = large;
        self.sizes[large as usize] += self.sizes[small as usize];
    }

    /// For every number, the member that stands for all of its set.
    pub(crate) fn into_found(mut self) -> Vec<u32> {
        for x in 0..self.above.len() as u32 {
            self.above[x as usize] = self.find(x);
        }
        self.above
    }
}
