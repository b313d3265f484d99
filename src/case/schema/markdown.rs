//! A page of every key.

use std::fmt::Write as _;

use super::describe::Descriptions;
use super::explore::{Field, Form, Key, explore};

/// The page, one section for each key at the top of a case file.
pub fn markdown() -> String {
    let mut page = Page { text: String::new(), descriptions: Descriptions::default() };
    page.text += "# Every key of the case file\n\n\
        Made by `impakt schema --markdown` from the program's own reader. SI units; angles in degrees. `*` stands for a name \
        of your choice or for the items of a list. A key without default may be left out unless it is called required.\n";
    let root = explore();
    for form in &root.forms {
        let Form::Map(fields) = form else { continue };
        for field in fields {
            let _ = writeln!(page.text, "\n## `{}`\n", field.name);
            let _ = writeln!(page.text, "{}\n", page.sentence(&field.key));
            page.text += "| key | takes | default | meaning |\n|---|---|---|---|\n";
            page.row(&field.key, Some(field));
            page.inside(&field.key);
        }
    }
    page.text
}

struct Page {
    text: String,
    descriptions: Descriptions,
}

impl Page {
    fn sentence(&self, key: &Key) -> String {
        let text = self.descriptions.of(&key.path).to_owned();
        if key.only_in.is_empty() { text } else { format!("{text} (geometry {} only)", key.only_in.join(", ")) }
    }

    fn row(&mut self, key: &Key, field: Option<&Field>) {
        let takes: Vec<String> = key.forms.iter().map(takes).collect();
        let default = match field {
            Some(field) if field.required => "required".to_owned(),
            Some(field) => default_text(field).map_or_else(String::new, |text| format!("`{text}`")),
            None => String::new(),
        };
        let (takes, sentence) = (takes.join(" or "), self.sentence(key));
        // a bar would end the cell
        let cell = |text: &str| text.replace('|', "\\|");
        let _ = writeln!(self.text, "| `{}` | {} | {} | {} |", key.path, cell(&takes), cell(&default), cell(&sentence));
    }

    fn inside(&mut self, key: &Key) {
        for form in &key.forms {
            match form {
                Form::List(_, item) | Form::Names(item) => self.inside(item),
                Form::Map(fields) => self.fields(fields),
                Form::Choice(options, beside) => {
                    for (_, option) in options {
                        // plain words are named in the row of the choice
                        if option.forms.iter().any(|form| !matches!(form, Form::Map(fields) if fields.is_empty())) {
                            self.row(option, None);
                            self.inside(option);
                        }
                    }
                    self.fields(beside);
                }
                _ => {}
            }
        }
    }

    fn fields(&mut self, fields: &[Field]) {
        for field in fields {
            self.row(&field.key, Some(field));
            self.inside(&field.key);
        }
    }
}

/// What a form takes, in few words.
fn takes(form: &Form) -> String {
    use crate::case::decode::Range;
    match form {
        Form::Number(Range::Any) => "number".to_owned(),
        Form::Number(range) => format!("number {range}"),
        Form::Integer(low, high) => format!("whole number, {low} to {high}"),
        Form::Text => "text".to_owned(),
        Form::Truth => "`true` or `false`".to_owned(),
        Form::List(count, item) => {
            let inner: Vec<String> = item.forms.iter().map(takes).collect();
            let inner = if inner.is_empty() { "anything".to_owned() } else { inner.join(" or ") };
            match count {
                Some((low, high)) if low == high => format!("list of {low}: {inner}"),
                Some((low, high)) => format!("list of {low} to {high}: {inner}"),
                None => format!("list: {inner}"),
            }
        }
        Form::Names(_) => "map of names".to_owned(),
        Form::Map(_) => "map".to_owned(),
        Form::Choice(options, _) => {
            let names: Vec<String> = options.iter().map(|(name, _)| format!("`{name}`")).collect();
            format!("one of {}", names.join(", "))
        }
    }
}

/// The default of a key as it would be typed, where that can be told from what Rust writes: numbers, truths, words.
pub(super) fn default_text(field: &Field) -> Option<String> {
    let text = field.default.as_deref()?;
    // values that remember their place
    let text = text.strip_prefix("Located { value: ").and_then(|rest| rest.split([',', ' ']).next()).unwrap_or(text);
    if text.parse::<f64>().is_ok() || matches!(text, "true" | "false") {
        return Some(text.to_owned());
    }
    let mut word = String::new();
    for (k, c) in text.chars().enumerate() {
        if c.is_ascii_uppercase() && k > 0 {
            word.push('_');
        }
        word.push(c.to_ascii_lowercase());
    }
    field.key.words().contains(&word.as_str()).then_some(word)
}
