//! One source, three compilations: the hot kernels are plain loops over fixed-size arrays, compiled once for any
//! machine, once for AVX2 and once for AVX-512, and chosen at run time.
//!
//! All three give the same bits: the kernels use only correctly rounded operations (+, −, ×, ÷, √, comparison) in a
//! fixed order, and rustc never fuses a multiply and an add on its own.

use std::fmt;

/// Which compilation of the hot kernels to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SimdLevel {
    /// What every machine of the target architecture can run.
    Portable,
    /// x86-64 with AVX2, BMI and POPCNT.
    Avx2,
    /// x86-64 with AVX-512 F, VL, DQ and BW.
    Avx512,
}

impl SimdLevel {
    /// The widest level this machine can run.
    pub fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::is_x86_feature_detected as has;
            if has!("avx2") && has!("bmi1") && has!("bmi2") && has!("popcnt") && has!("lzcnt") {
                if has!("avx512f") && has!("avx512vl") && has!("avx512dq") && has!("avx512bw") {
                    return Self::Avx512;
                }
                return Self::Avx2;
            }
        }
        Self::Portable
    }

    /// Every level this machine can run, narrowest first.
    pub fn available() -> Vec<Self> {
        let widest = Self::detect();
        [Self::Portable, Self::Avx2, Self::Avx512].into_iter().filter(|&level| level <= widest).collect()
    }

    /// This level, or the widest one below it that the machine can run. Kernels call this first, so that a level
    /// asked for by a user can never run instructions the machine lacks.
    pub(crate) fn clamp_to_machine(self) -> Self {
        self.min(Self::detect())
    }
}

impl fmt::Display for SimdLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Portable => "portable",
            Self::Avx2 => "AVX2",
            Self::Avx512 => "AVX-512",
        })
    }
}

/// Defines `fn name(level, arguments…)` that runs `body(arguments…)` compiled for `level`.
///
/// `body` and what it calls in its inner loops must be `#[inline(always)]`: only code inlined into the wrapper is
/// compiled with the wider instructions.
macro_rules! multiversioned {
    ($(#[$doc:meta])* $vis:vis fn $name:ident $(<$($life:lifetime),+>)? ($($arg:ident : $ty:ty),* $(,)?) $(-> $ret:ty)? = $body:path) => {
        $(#[$doc])*
        #[allow(unsafe_code)]
        #[allow(clippy::too_many_arguments)]
        $vis fn $name $(<$($life),+>)? (level: $crate::simd::SimdLevel, $($arg: $ty),*) $(-> $ret)? {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
                #[allow(clippy::too_many_arguments)]
                fn avx2 $(<$($life),+>)? ($($arg: $ty),*) $(-> $ret)? { $body($($arg),*) }
                #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,bmi1,bmi2,popcnt,lzcnt")]
                #[allow(clippy::too_many_arguments)]
                fn avx512 $(<$($life),+>)? ($($arg: $ty),*) $(-> $ret)? { $body($($arg),*) }
                match level.clamp_to_machine() {
                    $crate::simd::SimdLevel::Portable => {}
                    // SAFETY: `clamp_to_machine` returns a level only when all its features were detected.
                    $crate::simd::SimdLevel::Avx2 => return unsafe { avx2($($arg),*) },
                    // SAFETY: as above.
                    $crate::simd::SimdLevel::Avx512 => return unsafe { avx512($($arg),*) },
                }
            }
            let _ = level;
            $body($($arg),*)
        }
    };
}
pub(crate) use multiversioned;
