"""Builds the user guide from the Markdown pages of the project: results/guide/*.html, without network at view time.

    .venv/bin/python scripts/guide.py [--out results/guide]         usually through scripts/guide.sh

Pages come from src/docs, from sections of the README, from the program itself (the keys of a case file) and from the verification
report that the tests write. A page whose source is not there yet says how to make it. Broken links are errors.
"""

import argparse
import html
import pathlib
import re
import shutil
import subprocess
import sys

import markdown

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCS = ROOT / "src" / "docs"
PROGRAM = ROOT / "target" / "release" / "impakt"
EXTENSIONS = ["tables", "fenced_code", "toc", "codehilite", "sane_lists"]
STYLE = """
:root { --ink: #24292f; --soft: #57606a; --line: #d8dee4; --paper: #ffffff; --shade: #f6f8fa; --mark: #b35900; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6edf3; --soft: #9aa5b1; --line: #30363d; --paper: #0f1317; --shade: #171c22; --mark: #f0a35e; }
  img { background: #fff; border-radius: 4px; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.6 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
.page { display: grid; grid-template-columns: 16rem minmax(0, 54rem); gap: 3rem; max-width: 80rem; margin: 0 auto; padding: 0 1.5rem; }
nav { position: sticky; top: 0; align-self: start; max-height: 100vh; overflow-y: auto; padding: 2rem 0; }
nav .name { font-size: 1.3rem; font-weight: 700; color: var(--ink); }
nav p { margin: 1.2rem 0 .2rem; font-size: .75rem; letter-spacing: .06em; text-transform: uppercase; color: var(--soft); }
nav a { display: block; padding: .15rem .6rem; margin-left: -.6rem; border-radius: 4px; color: var(--ink); text-decoration: none; }
nav a:hover { background: var(--shade); }
nav a.here { color: var(--mark); font-weight: 600; }
nav a.below { padding-left: 1.6rem; font-size: .88rem; color: var(--soft); }
main { padding: 2rem 0 6rem; min-width: 0; }
a { color: var(--mark); }
h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 1rem; }
h2 { margin-top: 2.4rem; padding-bottom: .3rem; border-bottom: 1px solid var(--line); }
img { max-width: 100%; height: auto; }
code { font: .88em ui-monospace, "DejaVu Sans Mono", monospace; background: var(--shade); padding: .1em .3em; border-radius: 3px; }
pre { background: var(--shade); padding: .9rem 1rem; overflow-x: auto; border-radius: 6px; border: 1px solid var(--line); line-height: 1.45; }
pre code { padding: 0; background: none; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .9rem; margin: 1rem 0; }
td:nth-child(4):last-child { min-width: 14rem; }
th, td { padding: .35rem .7rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
th { background: var(--shade); }
.gallery { display: grid; grid-template-columns: repeat(auto-fill, minmax(20rem, 1fr)); gap: 1.5rem; }
.gallery figure { margin: 0; } .gallery figcaption { font-size: .9rem; color: var(--soft); }
.turn { display: flex; justify-content: space-between; margin-top: 4rem; padding-top: 1rem; border-top: 1px solid var(--line); }
.codehilite .k, .codehilite .nt, .codehilite .kn { color: #0b61a4; } .codehilite .s, .codehilite .s1, .codehilite .s2 { color: #1a7f37; }
.codehilite .c1, .codehilite .c { color: var(--soft); font-style: italic; } .codehilite .m, .codehilite .mf, .codehilite .mi { color: #8250df; }
@media (prefers-color-scheme: dark) {
  .codehilite .k, .codehilite .nt, .codehilite .kn { color: #79c0ff; } .codehilite .s, .codehilite .s1, .codehilite .s2 { color: #7ee787; }
  .codehilite .m, .codehilite .mf, .codehilite .mi { color: #d2a8ff; }
}
@media (max-width: 60rem) { .page { grid-template-columns: 1fr; gap: 0; } nav { position: static; max-height: none; } nav a.below { display: none; } }
"""


def doc(name):
    return (DOCS / f"{name}.md").read_text(encoding="utf-8")


def readme_section(title, heading=None):
    """A section of the README with its own heading as title of a page."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    if found is None:
        raise SystemExit(f"guide: the README has no section `{title}`")
    body = re.sub(r"^###", "##", found.group(1), flags=re.MULTILINE)
    return f"# {heading or title}\n{body}"


def opening():
    """The start page: what stands above the first section of the README."""
    text = (ROOT / "README.md").read_text(encoding="utf-8").split("\n## ", 1)[0]
    return text + (
        "\n\n## In this guide\n\nStart with [a first case](first_case.html), see it in [ParaView](paraview.html), and look keys up under "
        "*Case file*. [Theory](theory.html) says what is solved, [Verification](verification.html) against what it was checked, "
        "[Limits](limits.html) what not to expect.\n"
    )


def keys():
    """Every key of a case file, as the program's own schema has it; nothing if this build cannot say."""
    if not PROGRAM.is_file():
        return None
    done = subprocess.run([PROGRAM, "schema", "--markdown"], capture_output=True, text=True, check=False)
    if done.returncode != 0 or len(done.stdout) < 500:
        return None
    text = done.stdout
    return text if text.startswith("# ") else f"# Every key\n\n{text}"


def verification():
    report = ROOT / "results" / "verification.md"
    summary = readme_section("What is verified against what", "Verification")
    if not report.is_file():
        return summary + "\n\nThe full report is written by the tests as they run: `scripts/check.sh`, then build the guide again.\n"
    body = report.read_text(encoding="utf-8")
    return summary + "\n\n## The full report\n\nWritten by the last run of the tests.\n\n" + re.sub(r"^# .*\n", "", body, count=1)


def gallery():
    """The pictures of the README's gallery with their captions."""
    section = readme_section("Gallery")
    cells = re.findall(r"^\| !\[[^\]]*\]\(([^)]+)\) \| (.*) \|$", section, re.MULTILINE)
    if not cells:
        raise SystemExit("guide: the gallery of the README has no rows `| ![name](picture) | caption |`")
    figures = [
        f'<figure><img src="{path}" alt="">\n<figcaption>{markdown.markdown(caption)}</figcaption></figure>' for path, caption in cells
    ]
    return "# Gallery\n\nEvery picture comes out of result files; `scripts/gallery.py` makes them.\n\n" + (
        '<div class="gallery">\n' + "\n".join(figures) + "\n</div>\n"
    )


def pages():
    """File name, title in the menu, Markdown; a group of the menu where the text is missing."""
    yield "", "Start", None
    yield "index", "What it is", opening()
    yield "first_case", "A first case", doc("first_case")
    yield "command", "The command", doc("command")
    yield "studies", "Studies", doc("studies")
    yield "paraview", "ParaView", doc("paraview")
    yield "kept", "What is kept", doc("kept")
    yield "gallery", "Gallery", gallery()
    yield "", "Case file", None
    overview = readme_section("A first case of your own", "The keys")
    yield "overview", "Overview", "# The keys\n" + overview[overview.index("## The keys") + len("## The keys") :]
    every = keys()
    if every:
        yield "keys", "Every key", every
    else:
        print("guide: this build has no `impakt schema --markdown`; the page with every key is left out", file=sys.stderr)
    for name, title in (("meshes", "Meshes"), ("materials", "Materials"), ("loads", "Loads and supports"), ("contact", "Contact and time"), ("explicit", "Explicit dynamics"), ("gears", "Gears")):
        yield name, title, doc(name)
    yield "", "Background", None
    yield "theory", "Theory", doc("theory")
    yield "study", "The V-groove study", readme_section("The V-groove beside its paper")
    yield "verification", "Verification", verification()
    yield "speed", "Performance", readme_section("Speed", "Performance")
    yield "limits", "Limits", doc("limits")
    yield "references", "References", doc("references")
    yield "changelog", "Changelog", doc("changelog")


def localise(text, names):
    """Links between the sources become links between pages."""
    text = re.sub(r"\[`?crate::docs::(\w+)`?\]", lambda m: f"[{m.group(1)}]({m.group(1)}.html)", text)
    text = re.sub(r"\]\((?:src/docs/)?(\w+)\.md\)", lambda m: f"]({m.group(1)}.html)", text)
    # rustdoc and GitHub number lists and tables alike; Markdown wants a blank line between two tables
    return re.sub(r"\((?:\.\./\.\./)?cases/pictures/", "(pictures/", text).replace('src="cases/pictures/', 'src="pictures/')


def render(name, title, text, menu, turn):
    parser = markdown.Markdown(extensions=EXTENSIONS, extension_configs={"codehilite": {"guess_lang": False}})
    body = parser.convert(text)
    body = body.replace("<table>", '<div class="wide"><table>').replace("</table>", "</table></div>")
    links = []
    for page, label, is_page in menu:
        if not is_page:
            links.append(f"<p>{html.escape(label)}</p>")
            continue
        here = ' class="here"' if page == name else ""
        links.append(f'<a href="{page}.html"{here}>{html.escape(label)}</a>')
        if page == name:
            sections = parser.toc_tokens[0]["children"] if parser.toc_tokens else []
            links += [f'<a class="below" href="#{s["id"]}">{s["name"]}</a>' for s in sections[:14]]
    before, after = turn
    step = lambda page, arrow: f'<a href="{page[0]}.html">{arrow.format(html.escape(page[1]))}</a>' if page else "<span></span>"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html.escape(title)} · impakt</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<div class=\"page\">\n"
        f'<nav><a class="name" href="index.html">impakt</a>{"".join(links)}</nav>\n<main>\n{body}\n'
        f'<div class="turn">{step(before, "← {}")}{step(after, "{} →")}</div>\n</main>\n</div>\n</body>\n</html>\n'
    )


def broken_links(out):
    """Links and pictures of the pages that lead nowhere, or out to the network for something a page needs."""
    wrong = []
    for page in sorted(out.glob("*.html")):
        text = page.read_text(encoding="utf-8")
        ids = set(re.findall(r'id="([^"]+)"', text))
        for kind, link in re.findall(r'(href|src)="([^"]+)"', text):
            target, _, anchor = link.partition("#")
            if link.startswith(("http://", "https://")):
                wrong += [f"{page.name}: {link} needs the network"] if kind == "src" else []
            elif target and not (out / target).is_file():
                wrong.append(f"{page.name}: {link} is not there")
            elif not target and anchor not in ids:
                wrong.append(f"{page.name}: no place #{anchor}")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "results" / "guide")
    out = parser.parse_args().out
    menu = list(pages())
    names = {name for name, _, text in menu if text}
    shown = [(name, title) for name, title, text in menu if text]
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    shutil.copytree(ROOT / "cases" / "pictures", out / "pictures")
    for name, title, text in menu:
        if text:
            at = shown.index((name, title))
            turn = (shown[at - 1] if at else None, shown[at + 1] if at + 1 < len(shown) else None)
            entries = [(n, t, x is not None) for n, t, x in menu]
            (out / f"{name}.html").write_text(render(name, title, localise(text, names), entries, turn), encoding="utf-8")
    wrong = broken_links(out)
    for problem in wrong:
        print(f"guide: {problem}", file=sys.stderr)
    print(f"{out / 'index.html'}: {len(shown)} pages")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
