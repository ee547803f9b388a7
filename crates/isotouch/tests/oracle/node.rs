//! Khronos' glTF validator, where this machine has Node.js and the package.

use std::path::Path;
use std::process::Command;

/// Prints how many errors, warnings and notes there are, and the first of them.
const SCRIPT: &str = r#"
let validator;
try { validator = require("gltf-validator"); } catch { process.exit(77); }
validator.validateBytes(new Uint8Array(require("fs").readFileSync(process.argv[1])), { maxIssues: 20 }).then((report) => {
  const { numErrors, numWarnings, numInfos, messages } = report.issues;
  if (numErrors + numWarnings + numInfos > 0) { console.log(JSON.stringify(messages, null, 1)); process.exit(1); }
}, (error) => { console.log(String(error)); process.exit(1); });
"#;

/// Panics when the validator finds anything to say about a glTF file; `None` when there is no validator here.
pub fn validate_gltf(file: &Path) -> Option<()> {
    let run = Command::new("node").args(["-e", SCRIPT]).arg(file).output();
    let Some(run) = run.ok().filter(|run| run.status.code() != Some(77)) else {
        println!(
            "skipped: no Node.js with gltf-validator here (./test unit brings the package, not Node.js)"
        );
        return None;
    };
    let said = String::from_utf8_lossy(&run.stdout);
    assert!(run.status.success(), "{}: {said}{}", file.display(), String::from_utf8_lossy(&run.stderr));
    Some(())
}
