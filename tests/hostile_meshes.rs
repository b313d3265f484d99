//! Broken and hostile mesh files: never a panic, never more memory than the size of the file justifies, and a message that
//! says where. Memory is counted by an allocator of our own.

mod support;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use impakt::mesh::gmsh::{read, triangles};
use support::Random;

struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is handed on unchanged to the system allocator; counting has no effect on memory.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let live = LIVE.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(live, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Memory while reading, in bytes for each byte of the file. The records of a mesh are larger than the digits they are read
/// from: a node is 40 bytes in our lists and at least 8 in a file, faces and sets come on top.
const BYTES_PER_BYTE: usize = 40;
/// Memory for messages and for what does not depend on the file.
const FIXED: usize = 16 << 10;

/// Reads a file in both dimensions; returns the message of the first refusal.
fn attempt(what: &str, bytes: &[u8], refused: &mut usize, accepted: &mut usize) -> Option<String> {
    let mut message = None;
    for (dim, group) in [(2, None), (3, None), (2, Some("soft part"))] {
        let before = LIVE.load(Ordering::Relaxed);
        PEAK.store(before, Ordering::Relaxed);
        let outcome = read(bytes, dim, group);
        let used = PEAK.load(Ordering::Relaxed) - before;
        assert!(used <= BYTES_PER_BYTE * bytes.len() + FIXED, "{what}: {used} bytes for a file of {}", bytes.len());
        match outcome {
            Ok(_) => *accepted += 1,
            Err(error) => {
                let text = error.to_string();
                assert!(!text.is_empty() && text.len() < 1000, "{what}: {text}");
                *refused += 1;
                message.get_or_insert(text);
            }
        }
    }
    // the same bytes as the surface of an obstacle: no file is good for much, but none may bring it down
    for group in [None, Some("bottom"), Some("bricks")] {
        let before = LIVE.load(Ordering::Relaxed);
        PEAK.store(before, Ordering::Relaxed);
        let outcome = triangles(bytes, group);
        let used = PEAK.load(Ordering::Relaxed) - before;
        assert!(used <= BYTES_PER_BYTE * bytes.len() + FIXED, "{what}: {used} bytes for a file of {}", bytes.len());
        if let Err(error) = outcome {
            let text = error.to_string();
            assert!(!text.is_empty() && text.len() < 1000, "{what}: {text}");
        }
    }
    message
}

fn file(name: &str) -> Vec<u8> {
    let path = format!("{}/tests/data/gmsh/{name}.msh", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn replaced(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    let (from, at) = (from.as_bytes(), bytes.windows(from.len()).position(|w| w == from.as_bytes()));
    let at = at.unwrap_or_else(|| panic!("{:?} is not in the file", String::from_utf8_lossy(from)));
    [&bytes[..at], to.as_bytes(), &bytes[at + from.len()..]].concat()
}

/// Files broken on purpose, with what the reader must say.
fn table() -> Vec<(&'static str, Vec<u8>, &'static str)> {
    let (text, binary) = (file("plane_text"), file("plane_binary"));
    let t = |from: &str, to: &str| replaced(&text, from, to);
    let bytes_at = |section: &str, offset: usize, value: &[u8]| {
        let mut bytes = binary.clone();
        let mark = format!("${section}\n");
        let at = bytes.windows(mark.len()).position(|w| w == mark.as_bytes()).expect("section") + mark.len() + offset;
        bytes[at..at + value.len()].copy_from_slice(value);
        bytes
    };
    vec![
        ("empty", Vec::new(), "the file is empty"),
        ("blank", b"\n\n \n".to_vec(), "the file is empty"),
        (
            "not a mesh",
            b"solid ascii\nfacet normal 0 0 1\n".to_vec(),
            "line 1: `solid` stands where a section should begin",
        ),
        ("another section first", b"$Nodes\n".to_vec(), "does not begin with `$MeshFormat`"),
        ("not text", vec![0xff, 0xfe, 0x00, 0x80], "is not text"),
        (
            "version 2.2",
            t("4.1 0 8", "2.2 0 8"),
            "line 2: version 2.2 of the format is not supported; save as version 4.1",
        ),
        ("version 4", t("4.1 0 8", "4 0 8"), "version 4 of the format"),
        ("file type", t("4.1 0 8", "4.1 2 8"), "the file type is `2`, not 0 or 1"),
        ("size of counts", t("4.1 0 8", "4.1 0 16"), "the size of a count is `16`, not 4 or 8"),
        ("header only", text[..20].to_vec(), "ends too early"),
        ("byte order", bytes_at("MeshFormat", 8, &[1, 1, 0, 0]), "the mark of the byte order"),
        ("binary said to be text", replaced(&binary, "4.1 1 8", "4.1 0 8"), "stands where `$EndMeshFormat` should"),
        ("text said to be binary", t("4.1 0 8", "4.1 1 8"), "the mark of the byte order"),
        (
            "no nodes",
            text[..text.windows(6).position(|w| w == b"$Nodes").unwrap()].to_vec(),
            "there is no section `Nodes`",
        ),
        ("no end", replaced(&text, "$EndElements\n", ""), "ends too early"),
        ("wrong end", t("$EndNodes", "$EndNoodles"), "stands where `$EndNodes` should"),
        (
            "two sections",
            [text.clone(), b"$Nodes\n0 0 0 0\n$EndNodes\n".to_vec()].concat(),
            "there is a second section `Nodes`",
        ),
        ("two headers", [text.clone(), text.clone()].concat(), "there is a second section `MeshFormat`"),
        (
            "unknown section without end",
            [text.clone(), b"$Other\n1 2 3\n".to_vec()].concat(),
            "the section `Other` has no end",
        ),
        (
            "partitions",
            [text.clone(), b"$PartitionedEntities\n".to_vec()].concat(),
            "partitioned meshes are not supported",
        ),
        ("huge nodes", t("15 44 1 44", "15 99999999999999999 1 44"), "99999999999999999 nodes are announced; the rest"),
        ("huge blocks", t("15 44 1 44", "18446744073709551615 44 1 44"), "blocks of nodes are announced"),
        ("too large a number", t("15 44 1 44", "15 99999999999999999999 1 44"), "is not a number of items or a tag"),
        ("negative count", t("15 44 1 44", "15 -44 1 44"), "`-44` is not a number of items or a tag"),
        ("too few nodes announced", t("15 44 1 44", "15 43 1 44"), "more than the 43 nodes announced"),
        ("too many nodes announced", t("15 44 1 44", "15 45 1 44"), "45 nodes are announced, the blocks have 44"),
        ("huge entities", t("6 7 2 0\n", "6 7 2 4000000000\n"), "4000000000 entities are announced"),
        ("bad dimension", t("0 1 0 1\n1\n", "4 1 0 1\n1\n"), "the dimension is 4; it must be from 0 to 3"),
        ("bad parametric mark", t("0 1 0 1\n1\n", "0 1 7 1\n1\n"), "the mark of parametric coordinates is 7"),
        ("coordinate inf", t("1\n0 0 0\n", "1\ninf 0 0\n"), "inf is not a finite number"),
        ("coordinate text", t("1\n0 0 0\n", "1\n0 O 0\n"), "`O` is not a number"),
        ("name without quotes", t("\"tip\"", "tip"), "a name in double quotes is missing"),
        (
            "name not UTF-8",
            {
                let mut bytes = text.clone();
                let at = bytes.windows(5).position(|w| w == b"\"tip\"").unwrap();
                bytes[at + 2] = 0xff;
                bytes
            },
            "is not valid UTF-8",
        ),
        ("names twice", t("1 3 \"wall\"", "0 5 \"wall\""), "physical group 5 of dimension 0 is named twice"),
        ("huge names", t("5\n0 5 \"tip\"", "2000000000\n0 5 \"tip\""), "is not a whole number"),
        (
            "binary huge nodes",
            bytes_at("Nodes", 8, &u64::MAX.to_le_bytes()),
            "18446744073709551615 nodes are announced; the rest",
        ),
        (
            "binary many nodes",
            bytes_at("Nodes", 8, &1000u64.to_le_bytes()),
            "1000 nodes are announced; the rest of the file holds",
        ),
        (
            "binary huge elements",
            bytes_at("Elements", 0, &(u64::MAX / 3).to_le_bytes()),
            "blocks of elements are announced",
        ),
        (
            "binary unknown element",
            bytes_at("Elements", 32 + 8, &99i32.to_le_bytes()),
            "elements of type 99 are not known",
        ),
        ("binary negative dimension", bytes_at("Elements", 32, &(-1i32).to_le_bytes()), "the dimension is -1"),
    ]
}

/// Valid files that are made to fill memory: many groups of many cells, many groups, many blocks.
fn bloated(groups: usize, blocks: usize, cells: usize) -> Vec<u8> {
    let tags: String = (0..groups).map(|k| format!(" {}", k + 1)).collect();
    let mut text = format!(
        "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 1 0\n1 0 0 0 1 1 0 {groups}{tags} 0\n$EndEntities\n$Nodes\n1 {n} 1 {n}\n2 1 0 {n}\n",
        n = cells + 2
    );
    text += &(1..=cells + 2).map(|k| format!("{k}\n")).collect::<String>();
    text += &(0..cells + 2).map(|k| format!("{} {} 0\n", k / 2, k % 2)).collect::<String>();
    text += &format!("$EndNodes\n$Elements\n{} {cells} 1 {cells}\n", blocks + 1);
    text += &"2 1 2 0\n".repeat(blocks);
    text += &format!("2 1 2 {cells}\n");
    text += &(1..=cells).map(|k| format!("{k} {k} {} {}\n", k + 1, k + 2)).collect::<String>();
    (text + "$EndElements\n").into_bytes()
}

/// Deterministic damage: flipped bits, changed bytes, digits, cuts, doubled and swapped pieces.
fn mutate(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut out = bytes.to_vec();
    let at = |random: &mut Random, n: usize| ((random.unit() * n as f64) as usize).min(n - 1);
    for _ in 0..1 + at(random, 3) {
        if out.is_empty() {
            break;
        }
        let k = at(random, out.len());
        match at(random, 8) {
            0 => out[k] ^= 1 << at(random, 8),
            1 => out[k] = at(random, 256) as u8,
            2 => out.truncate(k),
            3 => out[k] = b"0123456789-.e \n$\""[at(random, 17)],
            4 => {
                let end = (k + at(random, 64)).min(out.len());
                let piece = out[k..end].to_vec();
                out.splice(k..k, piece);
            }
            5 => {
                let end = (k + at(random, 64)).min(out.len());
                out.drain(k..end);
            }
            6 => {
                out.splice(k..k, b"99999999999".iter().copied());
            }
            _ => {
                let end = (k + 8).min(out.len());
                out[k..end].fill([0x00, 0xff, 0x7f, 0x80][at(random, 4)]);
            }
        }
    }
    out
}

// One test only: a second one in this process would allocate at the same time.
#[test]
fn broken_files_are_refused_without_panic_and_without_waste() {
    let (mut refused, mut accepted) = (0, 0);
    let mut wrong = Vec::new();
    for (what, bytes, says) in table() {
        let message = attempt(what, &bytes, &mut refused, &mut accepted).unwrap_or_else(|| "accepted".to_owned());
        if !message.contains(says) {
            wrong.push(format!("{what}: `{message}` does not contain `{says}`"));
        }
    }
    assert!(wrong.is_empty(), "{} messages:\n{}", wrong.len(), wrong.join("\n"));
    for (what, groups, blocks, cells) in
        [("many groups", 32, 0, 2000), ("many blocks", 32, 20_000, 2), ("both", 32, 1000, 1000), ("plain", 1, 0, 3000)]
    {
        let before = accepted;
        attempt(what, &bloated(groups, blocks, cells), &mut refused, &mut accepted);
        assert_eq!(accepted, before + 1, "{what} is a valid plane mesh");
    }
    let message = attempt("too many groups", &bloated(33, 0, 10), &mut refused, &mut accepted).unwrap_or_default();
    assert!(message.contains("entity 1 is in 33 physical groups; at most 32 are supported"), "{message}");
    let files = ["plane_text", "plane_binary", "plane_big_endian", "plane_short_counts", "solid_text", "solid_binary"];
    let mut random = Random::new(20);
    let mut mutations = 0;
    for name in files {
        let good = file(name);
        // Every cut, then damage of all kinds.
        for length in (0..good.len()).step_by(1 + good.len() / 400) {
            attempt(name, &good[..length], &mut refused, &mut accepted);
            mutations += 1;
        }
        for _ in 0..1500 {
            attempt(name, &mutate(&good, &mut random), &mut refused, &mut accepted);
            mutations += 1;
        }
    }
    println!("{mutations} mutations: {refused} readings refused, {accepted} accepted");
    assert!(mutations > 10_000 && refused > 10_000 && accepted > 100);
}
