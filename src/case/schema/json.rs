//! JSON Schema, draft 2020-12.

use serde_json::{Map, Value, json};

use super::describe::Descriptions;
use super::explore::{Field, Form, Key, explore};
use crate::case::decode::Range;

/// The schema of the case file.
pub fn json() -> Value {
    let writer = Writer { descriptions: Descriptions::default() };
    let mut schema = object(json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "https://impakt.invalid/case.schema.json",
        "title": "impakt case",
        "description": "A case of impakt. SI units; angles in degrees.",
    }));
    schema.extend(object(writer.key(&explore(), None)));
    // a case runs in time or has a task, and the probes of the reader cannot see that it needs one of them
    schema.insert("anyOf".to_owned(), json!([{ "required": ["time"] }, { "required": ["task"] }]));
    let mut schema = Value::Object(schema);
    share(&mut schema);
    schema
}

/// The map of a value that is one.
fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

struct Writer {
    descriptions: Descriptions,
}

impl Writer {
    fn key(&self, key: &Key, field: Option<&Field>) -> Value {
        let mut forms: Vec<Value> = key.forms.iter().flat_map(|form| self.form(form)).collect();
        let mut schema = match forms.len() {
            1 => object(forms.swap_remove(0)),
            // the reader refuses everything it was tried with: leave it to the reader
            0 => Map::new(),
            _ => object(json!({ "anyOf": forms })),
        };
        let mut text = self.descriptions.of(&key.path).to_owned();
        if !key.only_in.is_empty() {
            text += &format!(" Only in geometry {}.", key.only_in.join(", "));
        }
        if !text.is_empty() {
            schema.insert("description".to_owned(), json!(text.trim()));
        }
        if let Some(default) = field.and_then(default) {
            schema.insert("default".to_owned(), default);
        }
        Value::Object(schema)
    }

    fn properties(&self, fields: &[Field]) -> Map<String, Value> {
        fields.iter().map(|field| (field.name.clone(), self.key(&field.key, Some(field)))).collect()
    }

    /// The schemas of a form; a choice has two, as a word and as a map.
    fn form(&self, form: &Form) -> Vec<Value> {
        match form {
            Form::Number(range) => vec![number(*range)],
            Form::Integer(low, high) => vec![json!({ "type": "integer", "minimum": low, "maximum": high })],
            // `title: 42` is a title
            Form::Text => vec![json!({ "type": ["string", "number"] })],
            Form::Truth => vec![json!({ "type": "boolean" })],
            Form::List(count, item) => {
                let mut schema = object(json!({ "type": "array", "items": self.key(item, None) }));
                if let Some((low, high)) = count {
                    schema.extend(object(json!({ "minItems": low, "maxItems": high })));
                }
                vec![Value::Object(schema)]
            }
            Form::Names(inner) => vec![json!({
                "type": "object",
                "propertyNames": { "pattern": "^[A-Za-z0-9_-]{1,100}$" },
                "additionalProperties": self.key(inner, None),
            })],
            Form::Map(fields) => {
                let required: Vec<&str> = fields.iter().filter(|f| f.required).map(|f| f.name.as_str()).collect();
                let kind = if required.is_empty() { json!(["object", "null"]) } else { json!("object") };
                let mut schema = object(json!({ "type": kind, "properties": self.properties(fields) }));
                if !required.is_empty() {
                    schema.insert("required".to_owned(), json!(required));
                }
                schema.insert("additionalProperties".to_owned(), json!(false));
                vec![Value::Object(schema)]
            }
            Form::Choice(options, beside) => self.choice(options, beside),
        }
    }

    fn choice(&self, options: &[(&'static str, Key)], beside: &[Field]) -> Vec<Value> {
        let mut schemas = Vec::new();
        let words: Vec<&str> = options.iter().filter(|(_, key)| key.can_be_empty()).map(|(name, _)| *name).collect();
        if !words.is_empty() {
            schemas.push(json!({ "enum": words }));
        }
        // plain words have nothing inside
        let plain = |key: &Key| key.forms.iter().all(|form| matches!(form, Form::Map(fields) if fields.is_empty()));
        if !options.iter().all(|(_, key)| plain(key)) {
            let mut properties: Map<String, Value> =
                options.iter().map(|(name, key)| ((*name).to_owned(), self.key(key, None))).collect();
            properties.extend(self.properties(beside));
            let one: Vec<Value> = options.iter().map(|(name, _)| json!({ "required": [name] })).collect();
            schemas.push(json!({
                "type": "object",
                "properties": properties,
                "oneOf": one,
                "additionalProperties": false,
            }));
        }
        schemas
    }
}

fn number(range: Range) -> Value {
    match range {
        Range::Any => json!({ "type": "number" }),
        Range::Positive => json!({ "type": "number", "exclusiveMinimum": 0 }),
        Range::NonNegative => json!({ "type": "number", "minimum": 0 }),
        Range::LeftOpen(low, high) => json!({ "type": "number", "exclusiveMinimum": low, "maximum": high }),
        Range::Open(low, high) => json!({ "type": "number", "exclusiveMinimum": low, "exclusiveMaximum": high }),
        Range::Closed(low, high) => json!({ "type": "number", "minimum": low, "maximum": high }),
    }
}

/// A default as JSON: numbers, truths, and words that are among the choices.
fn default(field: &Field) -> Option<Value> {
    let text = super::markdown::default_text(field)?;
    if let Ok(number) = text.parse::<f64>() {
        return Some(json!(number));
    }
    match text.as_str() {
        "true" => Some(json!(true)),
        "false" => Some(json!(false)),
        word if field.key.words().contains(&word) => Some(json!(word)),
        _ => None,
    }
}

/// Shortest text of a part that is worth a definition of its own.
const WORTH_SHARING: usize = 400;

/// Moves parts that occur more than once (functions of time, meshes within meshes) into `$defs`.
fn share(schema: &mut Value) {
    let mut counts: Vec<(String, usize)> = Vec::new();
    count(schema, &mut counts);
    let mut shared: Vec<String> =
        counts.into_iter().filter(|(text, n)| *n > 1 && text.len() > WORTH_SHARING).map(|(text, _)| text).collect();
    // large parts first: they hold smaller ones
    shared.sort_by_key(|text| std::cmp::Reverse(text.len()));
    let mut definitions: Map<String, Value> = Map::new();
    if let Value::Object(map) = schema {
        for value in map.values_mut() {
            replace(value, &shared);
        }
        for (k, text) in shared.iter().enumerate() {
            if let Ok(mut value) = serde_json::from_str::<Value>(text) {
                if let Value::Object(inner) = &mut value {
                    inner.values_mut().for_each(|value| replace(value, &shared));
                }
                definitions.insert(format!("part{k}"), value);
            }
        }
        if !definitions.is_empty() {
            map.insert("$defs".to_owned(), Value::Object(definitions));
        }
    }
}

/// The part of a schema without its description and default, which belong to the place where it is used.
fn bare(map: &Map<String, Value>) -> Option<String> {
    let known = map.contains_key("anyOf") || map.contains_key("type");
    let inner: Map<String, Value> = map
        .iter()
        .filter(|(key, _)| !matches!(key.as_str(), "description" | "default"))
        .map(|(k, v)| (k.clone(), v.clone()))
        .collect();
    known.then(|| Value::Object(inner).to_string())
}

fn count(value: &Value, counts: &mut Vec<(String, usize)>) {
    match value {
        Value::Object(map) => {
            if let Some(text) = bare(map) {
                match counts.iter_mut().find(|(known, _)| *known == text) {
                    Some((_, n)) => *n += 1,
                    None => counts.push((text, 1)),
                }
            }
            map.values().for_each(|value| count(value, counts));
        }
        Value::Array(items) => items.iter().for_each(|value| count(value, counts)),
        _ => {}
    }
}

fn replace(value: &mut Value, shared: &[String]) {
    if let Value::Object(map) = value {
        if let Some(k) = bare(map).and_then(|text| shared.iter().position(|known| *known == text)) {
            let keep = ["description", "default"].map(|key| map.get(key).map(|value| (key.to_owned(), value.clone())));
            *map = keep.into_iter().flatten().collect();
            map.insert("$ref".to_owned(), json!(format!("#/$defs/part{k}")));
            return;
        }
        map.values_mut().for_each(|value| replace(value, shared));
    } else if let Value::Array(items) = value {
        items.iter_mut().for_each(|value| replace(value, shared));
    }
}
