//! What is made of results: the report, charts, the HTML page in a real browser, sweeps, the drawing of a set-up, progress.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test fails loudly

mod command;
mod runs;

use std::path::{Path, PathBuf};
use std::process::Command;

use command::{Scratch, case, done, impakt, text};
use impakt::output::ResultFile;
use impakt::post::column::column;
use impakt::post::rebound::Rebound;
use runs::claims;
use runs::near;

/// A cylinder in a symmetric groove loses as much to one wall as to the other, and both together what the ledger says.
#[test]
fn friction_is_shared_among_contacts_and_bodies_and_nothing_is_left() {
    claims::source("energy balance; mirror symmetry of the V-groove");
    let scratch = Scratch::new("shares");
    let result = scratch.path("b.vtkhdf");
    done(&["run", &case("vgroove/b_friction_02.yaml"), "-o", &result, "--set", "time.end=1.5e-3", "--quiet"]);
    let file = ResultFile::open(Path::new(&result)).expect("result");
    let last = |path: &str| *column(&file, path).expect(path).last().expect("a row");
    let total = last("friction_dissipation");
    let sides = [last("contacts/0/friction_dissipation"), last("contacts/1/friction_dissipation")];
    near("contacts together lose what the ledger says [J]", sides[0] + sides[1], total, 1e-10 * total);
    near(
        "the body loses what its contacts lose [J]",
        last("bodies/cylinder/friction_dissipation"),
        total,
        1e-10 * total,
    );
    near("left wall as right wall [J]", sides[0], sides[1], 1e-6 * total);
    let report = done(&["post", &result]);
    for part in [
        "where it went",
        "not accounted for",
        "cylinder.surface on right",
        "50.0",
        "first impact",
        "friction energy of a node",
    ] {
        assert!(report.contains(part), "{part} is missing:\n{report}");
    }
}

/// A stiff block that falls 6 mm and bounces with e = 0.8 is measured to do so.
#[test]
fn the_restitution_that_is_measured_is_the_one_of_the_case() {
    claims::source("Newton's law of impact, e = 0.8");
    let scratch = Scratch::new("rebound");
    let result = scratch.path("drop.vtkhdf");
    done(&[
        "run",
        &case("levels/rigid_drop.yaml"),
        "-o",
        &result,
        "--set",
        "time.end=0.06",
        "--set",
        "time.step=2e-5",
        "--set",
        "expect=[]",
        "--quiet",
    ]);
    let file = ResultFile::open(Path::new(&result)).expect("result");
    let rebound = Rebound::of(&file, "block").expect("history").expect("an impact");
    near("coefficient of restitution", rebound.restitution().expect("it left"), 0.8, 1e-3);
    // free fall over 6 mm
    near("time of the impact [s]", rebound.times.0, 34.975e-3, 4e-5);
    assert!(done(&["post", &result]).contains("restitution           0.8"));
}

/// Two equal bars, one at rest: waves carry the whole velocity over (restitution 1 along the impulse, seen from the other bar),
/// though neither bar comes back.
#[test]
fn restitution_between_two_bodies_is_that_of_their_relative_velocity() {
    claims::source("wave equation: equal bars exchange their velocities");
    let scratch = Scratch::new("two-bodies");
    let result = scratch.path("bars.vtkhdf");
    done(&["run", &case("pairs/two_bars.yaml"), "-o", &result, "--quiet"]);
    let file = ResultFile::open(Path::new(&result)).expect("result");
    for (body, other) in [("left", "right"), ("right", "left")] {
        let rebound = Rebound::of(&file, body).expect("history").expect("an impact");
        assert_eq!(rebound.partner.as_deref(), Some(other));
        near(&format!("restitution of {body}"), rebound.restitution().expect("they part"), 1.0, 0.03);
    }
    let report = done(&["post", &result, &result]);
    assert!(report.contains(", relative to right"), "{report}");
    // both results side by side
    assert_eq!(report.lines().filter(|line| line.contains("bars  ")).count(), 2, "{report}");
}

/// Plastic flow and hourglass control are in the account: nothing of Taylor's bar is unaccounted for.
#[test]
fn a_run_with_plastic_flow_is_accounted_for() {
    claims::source("energy balance");
    let scratch = Scratch::new("plastic");
    let result = scratch.path("taylor.vtkhdf");
    done(&[
        "run",
        &case("explicit/taylor_bar.yaml"),
        "-o",
        &result,
        "--set",
        "time.end=1e-5",
        "--set",
        "expect=[]",
        "--quiet",
    ]);
    let report = done(&["post", &result]);
    let number = |label: &str| -> f64 {
        let after = report.rsplit_once(label).unwrap_or_else(|| panic!("{label} is missing:\n{report}")).1;
        after.split_whitespace().next().and_then(|n| n.parse().ok()).expect("a number")
    };
    let plastic = number("  lost to plastic flow");
    assert!(plastic > 1.0, "{report}");
    near("not accounted for [J]", number("not accounted for"), 0.0, 1e-9 * plastic);
}

#[test]
fn charts_are_written_as_svg_and_png_and_compare_results() {
    let scratch = Scratch::new("charts");
    let (a, b) = (scratch.path("a.vtkhdf"), scratch.path("b.vtkhdf"));
    for (case_name, result) in [("vgroove/a_frictionless.yaml", &a), ("vgroove/b_friction_02.yaml", &b)] {
        done(&["run", &case(case_name), "-o", result, "--set", "time.end=1e-3", "--quiet"]);
    }
    let folder = scratch.path("figures");
    let said = done(&["post", &a, &b, "--plot", &folder]);
    assert!(said.contains("charts: "), "{said}");
    for name in ["energies", "drift", "reactions", "contacts", "iterations", "ledger_error", "motion"] {
        let svg = std::fs::read_to_string(Path::new(&folder).join(format!("{name}.svg"))).expect(name);
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n") && svg.contains("time [ms]"), "{name}: {svg}");
        let png = std::fs::read(Path::new(&folder).join(format!("{name}.png"))).expect(name);
        assert!(png.starts_with(b"\x89PNG") && png.len() > 10_000, "{name}: {} bytes", png.len());
    }
    let energies = std::fs::read_to_string(Path::new(&folder).join("energies.svg")).expect("energies");
    assert!(energies.contains("kinetic energy, a") && energies.contains("kinetic energy, b"), "{energies}");
    // what cannot be read, and what would be lost, is refused
    for (arguments, part) in [
        (vec!["post", &a, "--csv", &a], "that is the file"),
        (vec!["post", &a, "--html", &a], "that is the file"),
        (vec!["post", &a, "--plot", &b], "not a folder"),
        (vec!["post", &a, &b, "--csv", "x.csv"], "one result"),
        (vec!["post", "nowhere.vtkhdf"], "nowhere.vtkhdf"),
    ] {
        let refused = impakt(&arguments);
        assert_eq!(refused.status.code(), Some(2), "{arguments:?}");
        assert!(text(&refused.stderr).contains(part), "{arguments:?}: {}", text(&refused.stderr));
    }
}

fn browser() -> Option<PathBuf> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
    names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name))).find(|path| path.exists())
}

/// Opens a page in a headless browser and returns what its scripts made of it.
fn opened(browser: &Path, page: &Path, profile: &Path) -> String {
    let shown = Command::new("timeout")
        .arg("180")
        .arg(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .args(["--virtual-time-budget=20000", "--window-size=1300,1800", "--dump-dom"])
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(format!("file://{}#check", page.display()))
        .output()
        .expect("the browser runs");
    text(&shown.stdout)
}

/// The report of a plane run, of a solid one and of one with rigid bodies alone opens from disk, draws every curve and colours the meshes by every field.
#[test]
fn the_html_report_works_in_a_browser() {
    let scratch = Scratch::new("html");
    let [plane, solid, rigid] = ["b.vtkhdf", "block.vtkhdf", "pile.vtkhdf"].map(|name| scratch.path(name));
    done(&["run", &case("vgroove/b_friction_02.yaml"), "-o", &plane, "--set", "time.end=1.2e-3", "--quiet"]);
    done(&["run", &case("solid/block_on_box_corner.yaml"), "-o", &solid, "--quiet"]);
    done(&["run", &case("rigid/pile.yaml"), "-o", &rigid, "--set", "output.every=0.02", "--quiet"]);
    for (name, result, faces, field) in [
        ("plane", &plane, 192, "von_mises:"),
        ("solid", &solid, 1, "von_mises:"),
        ("rigid", &rigid, 12, "displacement:"),
    ] {
        let page = scratch.path(&format!("{name}.html"));
        done(&["post", result, "--html", &page]);
        let html = std::fs::read_to_string(&page).expect("page");
        assert!(!html.contains("http://") || html.matches("http").count() <= 2, "the page must not fetch anything");
        let Some(browser) = browser() else {
            eprintln!("NOT CHECKED in a browser: chromium is not installed (scripts/setup.sh installs it as root)");
            continue;
        };
        let dom = opened(&browser, Path::new(&page), Path::new(&scratch.path(&format!("{name}-profile"))));
        let status =
            dom.split_once("id=\"status\">").and_then(|(_, rest)| rest.split_once('<')).map(|(status, _)| status);
        let status = status.unwrap_or_else(|| panic!("no status:\n{}", dom.chars().take(2000).collect::<String>()));
        assert!(status.starts_with("ready charts="), "{status}");
        let number = |key: &str| -> usize {
            let rest = status.split_once(key).unwrap_or_else(|| panic!("{key} in {status}")).1;
            rest.split([' ', ',']).next().and_then(|n| n.parse().ok()).unwrap_or_else(|| panic!("{key} in {status}"))
        };
        assert_eq!(number("drawn="), number("charts="), "a curve is blank: {status}");
        assert!(number("faces=") >= faces && number("frames=") > 10, "{status}");
        // many colours: the field is on the mesh, not only in the bar
        assert!(number(field) > 50, "{status}");
        // without a field the bodies themselves are seen
        assert!(number("no field:") > 2, "{status}");
    }
}

/// All combinations, a failing one among them; called again nothing is run twice, and a changed case is.
#[test]
fn a_sweep_keeps_what_worked_and_goes_on_where_it_stopped() {
    let scratch = Scratch::new("sweep");
    let folder = scratch.path("study");
    let file = case("vgroove/b_friction_02.yaml");
    let call = |frictions: &str| {
        let axis = format!("contacts.*.friction={frictions}");
        impakt(&[
            "sweep",
            &file,
            "--set",
            &axis,
            "--set",
            "time.end=4e-4",
            "-o",
            &folder,
            "--jobs",
            "2",
            "--show",
            "max_von_mises:max",
        ])
    };
    let first = call("0,0.2,-1");
    assert_eq!(first.status.code(), Some(1), "{}", text(&first.stderr));
    let table = text(&first.stdout);
    assert!(table.contains("refused") && table.matches(" done ").count() == 2, "{table}");
    assert!(text(&first.stderr).contains("1 of 3 runs"), "{}", text(&first.stderr));
    let stamp = |name: &str| std::fs::metadata(Path::new(&folder).join(name)).and_then(|m| m.modified()).expect(name);
    let before = stamp("friction=0.2,end=4e-4.vtkhdf");
    let second = call("0,0.2,0.4");
    assert_eq!(second.status.code(), Some(0), "{}", text(&second.stderr));
    assert_eq!(text(&second.stderr).matches(" before").count(), 2, "{}", text(&second.stderr));
    assert_eq!(stamp("friction=0.2,end=4e-4.vtkhdf"), before, "a result was run again");
    let csv = std::fs::read_to_string(Path::new(&folder).join("table.csv")).expect("table.csv");
    assert_eq!(csv.lines().count(), 4);
    assert!(
        csv.starts_with("contacts.*.friction,time.end,result,outcome,steps,initial_energy,kinetic_energy"),
        "{csv}"
    );
    // the name of a result has a comma of its own
    let lost: Vec<f64> = csv.lines().skip(1).map(|l| l.split(',').nth(9).unwrap().parse().unwrap()).collect();
    assert!(lost[0] == 0.0 && lost[1] > 0.0 && lost[2] > 0.0, "{csv}");
    for name in ["energies.svg", "energies.png", "max_von_mises_max.png", "table.txt", "friction=0.4,end=4e-4.log"] {
        assert!(Path::new(&folder).join(name).exists(), "{name} is missing");
    }
    for (wrong, part) in
        [("friction", "no `=`"), ("contacts.*.friction=0.1,0.1", "twice"), ("nonsense.x=1", "nonsense")]
    {
        let refused = impakt(&["sweep", &file, "--set", wrong, "-o", &folder]);
        assert_eq!(refused.status.code(), Some(2), "{wrong}");
        assert!(text(&refused.stderr).contains(part), "{wrong}: {}", text(&refused.stderr));
    }
}

#[test]
fn a_starter_case_is_checked_drawn_and_runs() {
    let scratch = Scratch::new("new");
    for (name, extra) in [("plane", None), ("solid", Some("--solid"))] {
        let file = scratch.path(&format!("{name}.yaml"));
        let mut arguments = vec!["new", &file];
        arguments.extend(extra);
        done(&arguments);
        assert!(scratch.0.join("impakt.schema.json").exists());
        let again = impakt(&arguments);
        assert_eq!(again.status.code(), Some(2), "an existing case was overwritten");
        let (svg, png) = (scratch.path(&format!("{name}.svg")), scratch.path(&format!("{name}.png")));
        done(&["check", &file, "--draw", &svg]);
        done(&["check", &file, "--draw", &png]);
        let drawing = std::fs::read_to_string(&svg).expect("drawing");
        for part in ["may touch", "obstacle", "initial velocity", "mm</text>"] {
            assert!(drawing.contains(part), "{part} is missing in the drawing of {name}");
        }
        assert!(std::fs::read(&png).expect("png").starts_with(b"\x89PNG"));
        let log = scratch.path("run.log");
        let quiet =
            done(&["run", &file, "--set", "time.end=2e-4", "-o", &scratch.path("r.vtkhdf"), "--quiet", "--log", &log]);
        assert!(quiet.is_empty(), "{quiet}");
        let logged = std::fs::read_to_string(&log).expect("log");
        assert!(logged.contains("100.0 %") && logged.contains("ledger error"), "{logged}");
    }
    assert_eq!(
        impakt(&["check", &case("vgroove/a_frictionless.yaml"), "--draw", &case("vgroove/a_frictionless.yaml")])
            .status
            .code(),
        Some(2)
    );
}

#[test]
fn completions_and_help_have_every_command() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = done(&["completions", shell]);
        for command in ["run", "check", "post", "sweep", "schema", "new"] {
            assert!(script.contains(command), "{command} in {shell}");
        }
    }
    for command in ["run", "check", "post", "sweep", "schema", "new"] {
        assert!(done(&[command, "--help"]).contains("Examples:"), "{command} --help");
    }
}
