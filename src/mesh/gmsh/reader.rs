//! Numbers and sections of an MSH file, whether they are written as text or as bytes.

use std::fmt;

/// Where in a file something stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The file as a whole.
    File,
    /// A line, from 1.
    Line(u64),
    /// A byte of a binary file, from 0.
    Byte(usize),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::File => Ok(()),
            Place::Line(line) => write!(f, "line {line}: "),
            Place::Byte(byte) => write!(f, "byte {byte}: "),
        }
    }
}

/// Why a mesh file cannot be used.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{place}{message}")]
pub struct GmshError {
    /// Where the problem is.
    pub place: Place,
    /// What it is.
    pub message: String,
}

impl GmshError {
    /// A problem of the file as a whole.
    pub(super) fn whole(message: impl Into<String>) -> Self {
        GmshError { place: Place::File, message: message.into() }
    }
}

/// How the numbers of a file are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Numbers {
    Text,
    Bytes {
        /// Most significant byte first.
        big: bool,
    },
}

/// A file and how far it has been read.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    line: u64,
    numbers: Numbers,
    /// Bytes of a count or tag.
    size: usize,
}

type Result<T> = std::result::Result<T, GmshError>;

impl<'a> Reader<'a> {
    /// A file from its beginning. Numbers are text until [`Reader::binary`] says otherwise.
    pub fn new(bytes: &'a [u8]) -> Self {
        Reader { bytes, at: 0, line: 1, numbers: Numbers::Text, size: 8 }
    }

    /// Bytes not read yet.
    pub fn remaining(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// Whether numbers are stored as bytes.
    pub fn is_binary(&self) -> bool {
        self.numbers != Numbers::Text
    }

    /// The line the reader is in; 0 in a binary file, which has none.
    pub fn line(&self) -> u64 {
        if self.is_binary() { 0 } else { self.line }
    }

    /// A problem where the reader stands.
    pub fn problem(&self, message: impl Into<String>) -> GmshError {
        let place = if self.is_binary() { Place::Byte(self.at) } else { Place::Line(self.line) };
        GmshError { place, message: message.into() }
    }

    /// From here on numbers are stored as bytes, counts and tags in `size` of them. Reads the mark that tells the order.
    pub fn binary(&mut self, size: usize) -> Result<()> {
        self.skip_line_end();
        let mark: [u8; 4] = self.array()?;
        let big = match (i32::from_le_bytes(mark), i32::from_be_bytes(mark)) {
            (1, _) => false,
            (_, 1) => true,
            _ => return Err(self.problem("the mark of the byte order is neither 1 nor a swapped 1")),
        };
        (self.numbers, self.size) = (Numbers::Bytes { big }, size);
        Ok(())
    }

    /// Ends a line of text; what follows may be bytes.
    pub fn skip_line_end(&mut self) {
        while matches!(self.bytes.get(self.at), Some(b' ' | b'\t' | b'\r')) {
            self.at += 1;
        }
        if self.bytes.get(self.at) == Some(&b'\n') {
            self.at += 1;
            self.line += 1;
        }
    }

    /// The next word of text. Its line becomes the reader's line.
    pub fn word(&mut self) -> Result<&'a str> {
        self.skip_blanks();
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        let word = &rest[..length];
        if word.is_empty() {
            return Err(self.problem("the file ends too early"));
        }
        let text = std::str::from_utf8(word).map_err(|_| self.problem(format!("`{}` is not text", clip(word))))?;
        self.at += length;
        Ok(text)
    }

    fn skip_blanks(&mut self) {
        while let Some(byte) = self.bytes.get(self.at).filter(|byte| byte.is_ascii_whitespace()) {
            self.line += u64::from(*byte == b'\n');
            self.at += 1;
        }
    }

    /// The name of the next section, or `None` at the end of the file.
    pub fn section(&mut self) -> Result<Option<&'a str>> {
        self.skip_blanks();
        if self.remaining() == 0 {
            return Ok(None);
        }
        let word = self.word()?;
        let name = word.strip_prefix('$').filter(|name| !name.starts_with("End"));
        let name = name
            .ok_or_else(|| self.problem(format!("`{}` stands where a section should begin", clip(word.as_bytes()))))?;
        self.skip_line_end();
        Ok(Some(name))
    }

    /// The end of a section.
    pub fn end(&mut self, name: &str) -> Result<()> {
        let word = self.word()?;
        match word.strip_prefix("$End") {
            Some(ended) if ended == name => Ok(()),
            _ => Err(self.problem(format!("`{}` stands where `$End{name}` should", clip(word.as_bytes())))),
        }
    }

    /// Leaves out the rest of a section.
    pub fn skip(&mut self, name: &str) -> Result<()> {
        let mark = format!("$End{name}");
        let found = self.bytes[self.at..].windows(mark.len()).position(|window| window == mark.as_bytes());
        let Some(length) = found else {
            return Err(self.problem(format!("the section `{name}` has no end")));
        };
        let skipped = &self.bytes[self.at..self.at + length];
        self.line += skipped.iter().filter(|byte| **byte == b'\n').count() as u64;
        self.at += length;
        self.end(name)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let found = self.bytes.get(self.at..self.at + N).and_then(|bytes| bytes.try_into().ok());
        let bytes = found.ok_or_else(|| self.problem("the file ends too early"))?;
        self.at += N;
        Ok(bytes)
    }

    fn parse<T: std::str::FromStr>(&mut self, what: &str) -> Result<T> {
        let word = self.word()?;
        word.parse().map_err(|_| self.problem(format!("`{}` is not {what}", clip(word.as_bytes()))))
    }

    /// A 32-bit integer.
    pub fn int(&mut self) -> Result<i32> {
        match self.numbers {
            Numbers::Text => self.parse("a whole number"),
            Numbers::Bytes { big: false } => self.array().map(i32::from_le_bytes),
            Numbers::Bytes { big: true } => self.array().map(i32::from_be_bytes),
        }
    }

    /// A count or a tag.
    pub fn size(&mut self) -> Result<u64> {
        match (self.numbers, self.size) {
            (Numbers::Text, _) => self.parse("a number of items or a tag"),
            (Numbers::Bytes { big: false }, 4) => self.array().map(|b| u64::from(u32::from_le_bytes(b))),
            (Numbers::Bytes { big: true }, 4) => self.array().map(|b| u64::from(u32::from_be_bytes(b))),
            (Numbers::Bytes { big: false }, _) => self.array().map(u64::from_le_bytes),
            (Numbers::Bytes { big: true }, _) => self.array().map(u64::from_be_bytes),
        }
    }

    /// A finite floating-point number.
    pub fn double(&mut self) -> Result<f64> {
        let value = match self.numbers {
            Numbers::Text => self.parse("a number")?,
            Numbers::Bytes { big: false } => f64::from_le_bytes(self.array()?),
            Numbers::Bytes { big: true } => f64::from_be_bytes(self.array()?),
        };
        if f64::is_finite(value) { Ok(value) } else { Err(self.problem(format!("{value} is not a finite number"))) }
    }

    /// A count of items that take at least `bytes[0]` characters of text or `bytes[1]` bytes each. A count that the rest
    /// of the file cannot hold is refused before memory is set aside for it.
    pub fn count(&mut self, what: &str, [text, bytes]: [usize; 2]) -> Result<usize> {
        let count = self.size()?;
        let most = self.remaining() / if self.is_binary() { bytes } else { text };
        match usize::try_from(count) {
            Ok(count) if count <= most => Ok(count),
            _ => Err(self.problem(format!("{count} {what} are announced; the rest of the file holds at most {most}"))),
        }
    }

    /// The text between double quotes that follows on the same line.
    pub fn quoted(&mut self) -> Result<&'a str> {
        let rest = &self.bytes[self.at..];
        let line = &rest[..rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len())];
        let mut quotes = (0..line.len()).filter(|&i| line[i] == b'"');
        let (Some(open), Some(close)) = (quotes.next(), quotes.next_back()) else {
            return Err(self.problem("a name in double quotes is missing"));
        };
        let text = std::str::from_utf8(&line[open + 1..close])
            .map_err(|_| self.problem(format!("the name `{}` is not valid UTF-8", clip(&line[open + 1..close]))))?;
        self.at += close + 1;
        Ok(text)
    }
}

/// At most 40 characters of what was found, without control characters.
fn clip(word: &[u8]) -> String {
    let shown: String = String::from_utf8_lossy(&word[..word.len().min(40)]).escape_debug().collect();
    if word.len() > 40 { format!("{shown}...") } else { shown }
}
