//! The user guide builds from the project's own pages, every link in it leads somewhere, and nothing in it needs the network.

use std::path::Path;
use std::process::Command;

#[test]
fn the_guide_builds_and_its_links_lead_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let python = root.join(".venv/bin/python");
    assert!(python.exists(), "{} is missing: run scripts/setup.sh", python.display());
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("guide");
    let done =
        Command::new(python).arg(root.join("scripts/guide.py")).arg("--out").arg(&out).output().expect("python runs");
    let text = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{}\n{text}", String::from_utf8_lossy(&done.stdout));
    for page in
        ["index", "first_case", "command", "studies", "paraview", "kept", "theory", "verification", "speed", "limits"]
    {
        let page = out.join(format!("{page}.html"));
        let text = std::fs::read_to_string(&page).unwrap_or_else(|e| panic!("{}: {e}", page.display()));
        assert!(text.len() > 3000, "{}: only {} bytes", page.display(), text.len());
    }
}
