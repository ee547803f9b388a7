//! Whether a device takes the scene's coupling without buzzing.

use isotouch::haptics::Coupling;
use isotouch::haptics::device::Capabilities;

use crate::format::number;

/// Where a spring could give out more than was put in, and the device buzz: b ≥ K·T/2 + |B| does not hold, and why; `None` where it does.
pub(super) fn excess(coupling: &Coupling, device: &Capabilities, rate: f64) -> Option<String> {
    let passivity = device.passivity(rate);
    let [shifts, turns] = passivity.exceeded(coupling);
    let mut reasons = Vec::new();
    if shifts && coupling.damping >= passivity.device_damping {
        reasons.push(format!(
            "the coupling's damping of {} N·s/m is more than {} surely takes without buzzing, {} N·s/m, with any stiffness; lower the scene's damping",
            number(coupling.damping),
            device.name,
            number(passivity.device_damping),
        ));
    } else if shifts {
        let with_damping = if coupling.damping > 0.0 {
            format!(" with a damping of {} N·s/m", number(coupling.damping))
        } else {
            String::new()
        };
        reasons.push(format!(
            "the coupling's {} N/m{with_damping} is more than {} surely takes without buzzing, {} N/m; lower the scene's stiffness",
            number(coupling.stiffness),
            device.name,
            number(passivity.most_stiffness(coupling.damping)),
        ));
    }
    if turns {
        let most = 2.0 * (passivity.device_angular_damping - coupling.angular_damping) / passivity.period;
        reasons.push(format!(
            "the coupling's {} N·m/rad with a damping of {} N·m·s/rad is more than {} surely takes without buzzing, {}; lower the scene's {}",
            number(coupling.angular_stiffness),
            number(coupling.angular_damping),
            device.name,
            if most > 0.0 {
                format!("{} N·m/rad", number(most))
            } else {
                format!("{} N·m·s/rad with any stiffness", number(passivity.device_angular_damping))
            },
            if most > 0.0 { "angular_stiffness" } else { "angular_damping" },
        ));
    }
    (!reasons.is_empty()).then(|| reasons.join("; "))
}

#[cfg(test)]
mod tests {
    use isotouch::haptics::device::Preset;

    use super::*;

    #[test]
    fn what_is_too_much_is_told_and_what_is_just_enough_is_not() {
        let device = Preset::Inverse3.capabilities();
        assert_eq!(excess(&Coupling::spring(1500.0, 1e6), &device, 1000.0), None, "it has no torque");
        let stiff = excess(&Coupling::spring(1501.0, 0.0), &device, 1000.0).unwrap_or_default();
        assert!(stiff.contains("1501 N/m is more") && stiff.contains("buzzing, 1500 N/m;"), "{stiff}");
        let damped = Coupling { damping: 28.0, ..Coupling::spring(10.0, 0.0) };
        let damped = excess(&damped, &device, 1000.0).unwrap_or_default();
        assert!(damped.contains("28 N·s/m is more") && damped.contains("0.75 N·s/m"), "{damped}");
        let turned = excess(&Coupling::spring(0.0, 100.0), &Preset::Sigma7.capabilities(), 4000.0);
        assert!(
            turned.is_some_and(
                |words| words.contains("buzzing, 5 N·m/rad; lower the scene's angular_stiffness")
            )
        );
    }
}
