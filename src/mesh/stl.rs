//! STL files, text and binary: triangles without connection. Nothing is believed before it is compared with the size of the
//! file.

/// Corners of one triangle, counter-clockwise seen from outside. Normals stored in the file are not used: many programs
/// write them carelessly, and the order of the corners says the same.
pub type Triangle = [[f64; 3]; 3];

/// Why bytes are not an STL file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StlError {
    /// Neither form fits.
    #[error("is not an STL file: it neither starts with `solid` nor has the length of a binary STL")]
    Unknown,
    /// A binary file of another length than its count says.
    #[error("says it has {count} triangles, which takes {needed} bytes, but it has {length} bytes")]
    Length {
        /// Triangles by its header.
        count: u32,
        /// Bytes they take.
        needed: u64,
        /// Bytes there are.
        length: u64,
    },
    /// A line of a text file that cannot stand there.
    #[error("line {line}: expected {expected}")]
    Line {
        /// Number of the line, from 1.
        line: usize,
        /// What should stand there.
        expected: &'static str,
    },
    /// The text ends within a triangle or before `endsolid`.
    #[error("ends before `endsolid`")]
    Ended,
}

const HEADER: usize = 84;
const RECORD: usize = 50;

/// Reads an STL file.
pub fn parse(bytes: &[u8]) -> Result<Vec<Triangle>, StlError> {
    let count = bytes.get(80..HEADER).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    let needed = |count: u32| HEADER as u64 + RECORD as u64 * u64::from(count);
    let length = bytes.len() as u64;
    // a binary header may start with `solid` too: the length decides
    if count.is_some_and(|count| needed(count) == length) {
        return Ok(bytes[HEADER..].chunks_exact(RECORD).map(record).collect());
    }
    if bytes.trim_ascii_start().starts_with(b"solid")
        && let Ok(text) = std::str::from_utf8(bytes)
    {
        return ascii(text);
    }
    match count {
        Some(count) => Err(StlError::Length { count, needed: needed(count), length }),
        None => Err(StlError::Unknown),
    }
}

fn record(bytes: &[u8]) -> Triangle {
    let number = |k: usize| f64::from(f32::from_le_bytes([bytes[k], bytes[k + 1], bytes[k + 2], bytes[k + 3]]));
    std::array::from_fn(|corner| std::array::from_fn(|i| number(12 * (corner + 1) + 4 * i)))
}

fn ascii(text: &str) -> Result<Vec<Triangle>, StlError> {
    let mut triangles = Vec::new();
    let mut corners: Vec<[f64; 3]> = Vec::with_capacity(3);
    let (mut within, mut ended) = (false, false);
    for (number, line) in text.lines().enumerate() {
        let wrong = |expected: &'static str| StlError::Line { line: number + 1, expected };
        let mut words = line.split_ascii_whitespace();
        match words.next() {
            None | Some("outer" | "endloop") => {}
            Some("solid") => ended = false,
            Some("endsolid") if within => return Err(wrong("`endfacet`")),
            Some("endsolid") => ended = true,
            Some("facet") if within => return Err(wrong("`endfacet`")),
            Some("facet") => {
                within = true;
                corners.clear();
            }
            Some("vertex") if within && corners.len() < 3 => {
                let mut corner = [0.0; 3];
                for value in &mut corner {
                    let word = words.next().ok_or_else(|| wrong("`vertex` and three numbers"))?;
                    *value = word.parse().map_err(|_| wrong("`vertex` and three numbers"))?;
                }
                corners.push(corner);
            }
            Some("vertex") => return Err(wrong("three vertices within `facet` and `endfacet`")),
            Some("endfacet") if within && corners.len() == 3 => {
                triangles.push([corners[0], corners[1], corners[2]]);
                within = false;
            }
            Some("endfacet") => return Err(wrong("three vertices within `facet` and `endfacet`")),
            Some(_) => return Err(wrong("`facet`, `outer loop`, `vertex`, `endloop`, `endfacet` or `endsolid`")),
        }
    }
    if ended { Ok(triangles) } else { Err(StlError::Ended) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "solid a\n facet normal 0 0 1\n  outer loop\n   vertex 0 0 0\n   vertex 1 0 0\n   vertex 0 1e0 0\n  \
                        endloop\n endfacet\nendsolid a\n";

    fn binary(count: u32, records: usize) -> Vec<u8> {
        let mut bytes = vec![b' '; 80];
        bytes.extend(count.to_le_bytes());
        for _ in 0..records {
            for number in [0f32, 0., 1., 0., 0., 0., 1., 0., 0., 0., 1., 0.] {
                bytes.extend(number.to_le_bytes());
            }
            bytes.extend([0, 0]);
        }
        bytes
    }

    #[test]
    fn both_forms_say_the_same() {
        let expected = vec![[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]];
        assert_eq!(parse(TEXT.as_bytes()).unwrap(), expected);
        assert_eq!(parse(&binary(1, 1)).unwrap(), expected);
        let mut solid = binary(1, 1);
        solid[..5].copy_from_slice(b"solid");
        assert_eq!(parse(&solid).unwrap(), expected);
    }

    #[test]
    fn broken_files_say_what_is_wrong() {
        let says = |bytes: &[u8]| parse(bytes).unwrap_err().to_string();
        assert!(says(b"").contains("not an STL file"));
        assert!(says(&binary(u32::MAX, 1)).contains("4294967295 triangles, which takes 214748364834 bytes"));
        assert!(says(&binary(2, 2)[..150]).contains("2 triangles, which takes 184 bytes, but it has 150"));
        assert!(says(&TEXT.as_bytes()[..60]).contains("ends before"));
        assert!(says(TEXT.replace("1e0", "one").as_bytes()).contains("line 6: expected `vertex` and three numbers"));
        assert!(says(TEXT.replace("   vertex 1 0 0\n", "").as_bytes()).contains("line 7: expected three vertices"));
        assert!(says(TEXT.replace("endfacet", "endfaces").as_bytes()).contains("line 8: expected `facet`"));
        // every truncation of a good file is refused or read, never a panic
        for cut in 0..TEXT.len() {
            let _ = parse(&TEXT.as_bytes()[..cut]);
        }
        let good = binary(3, 3);
        for cut in 0..good.len() {
            assert!(parse(&good[..cut]).is_err());
        }
    }
}
