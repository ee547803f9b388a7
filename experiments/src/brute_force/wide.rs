//! Runs a loop compiled for the vector instructions the machine has.

/// A loop worth compiling more than once. Implementations of `run` must be `#[inline(always)]`, as must be what they
/// call: only code that is inlined here is compiled with the wider instructions.
pub(super) trait Kernel {
    type Output;
    fn run(self) -> Self::Output;
}

#[allow(unsafe_code)]
pub(super) fn run<K: Kernel>(kernel: K) -> K::Output {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2")]
        fn avx2<K: Kernel>(kernel: K) -> K::Output {
            kernel.run()
        }
        #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw")]
        fn avx512<K: Kernel>(kernel: K) -> K::Output {
            kernel.run()
        }
        use std::arch::is_x86_feature_detected as has;
        if has!("avx512f") && has!("avx512vl") && has!("avx512dq") && has!("avx512bw") {
            // SAFETY: all enabled features were detected on this machine.
            return unsafe { avx512(kernel) };
        }
        if has!("avx2") {
            // SAFETY: as above.
            return unsafe { avx2(kernel) };
        }
    }
    kernel.run()
}
