//! A JSON Schema as a list of lines, one for each field: what stands in the lock file, and what a
//! diff of it shows. It keeps what decides whether a stored value can be read, and no more.

use serde_json::{Map, Value};
use std::fmt;

/// Most levels of a type that are looked into; below them a field is known by its kind alone.
const MAX_DEPTH: usize = 32;
/// Most fields that are listed of one type.
const MAX_FIELDS: usize = 2_000;

/// One field of a type, or the type itself, whose path is empty.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Field {
    /// `customer.name`; `[]` stands for the items of a list, `*` for the values of a map, and
    /// `|Paid` for one of several forms.
    pub path: String,
    /// It must be there; without it a default stands in.
    pub needed: bool,
    /// What it holds: `string`, `integer uint64`, `object`, `variant`.
    pub kind: String,
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.path.as_str(), self.needed) {
            ("", _) => f.write_str(&self.kind),
            (path, true) => write!(f, "{path}: {}", self.kind),
            (path, false) => write!(f, "{path}?: {}", self.kind),
        }
    }
}

impl Field {
    pub(super) fn parse(line: &str) -> Self {
        let Some((path, kind)) = line.rsplit_once(": ") else {
            return Field::new("", true, line);
        };
        match path.strip_suffix('?') {
            Some(path) => Field::new(path, false, kind),
            None => Field::new(path, true, kind),
        }
    }

    fn new(path: &str, needed: bool, kind: &str) -> Self {
        Field {
            path: path.to_owned(),
            needed,
            kind: kind.to_owned(),
        }
    }
}

/// The fields that a schema tells of, sorted.
pub(super) fn of_schema(schema: &Value) -> Vec<Field> {
    let mut walk = Walk {
        root: schema,
        open: Vec::new(),
        fields: Vec::new(),
    };
    walk.visit("", true, schema);
    walk.fields.sort();
    walk.fields.dedup();
    walk.fields
}

struct Walk<'a> {
    root: &'a Value,
    /// The named schemas that are being looked into: a type may hold itself.
    open: Vec<&'a str>,
    fields: Vec<Field>,
}

impl<'a> Walk<'a> {
    fn visit(&mut self, path: &str, needed: bool, schema: &'a Value) {
        let Some(object) = schema.as_object() else {
            return self.add(path, needed, "anything");
        };
        if let Some(name) = object.get("$ref").and_then(Value::as_str) {
            return self.follow(path, needed, name);
        }
        if let Some(value) = object.get("const") {
            return self.variant(path, &word(value));
        }
        if let Some(values) = object.get("enum").and_then(Value::as_array) {
            self.add(path, needed, "one of");
            return values
                .iter()
                .for_each(|value| self.variant(path, &word(value)));
        }
        if let Some(forms) = list(object, "oneOf").or_else(|| list(object, "anyOf")) {
            return self.forms(path, needed, forms);
        }
        if let Some([only]) = list(object, "allOf").map(Vec::as_slice) {
            return self.visit(path, needed, only);
        }
        self.plain(path, needed, object);
    }

    fn plain(&mut self, path: &str, needed: bool, object: &'a Map<String, Value>) {
        let kind = kind(object);
        let is_closed = object.get("additionalProperties") == Some(&Value::Bool(false));
        let closed = if is_closed { ", no others" } else { "" };
        self.add(path, needed, &format!("{kind}{closed}"));
        if self.open.len() + path.matches(['.', '[', '*']).count() > MAX_DEPTH {
            return;
        }
        let required: Vec<&str> = list(object, "required")
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        if let Some(properties) = object.get("properties").and_then(Value::as_object) {
            for (name, schema) in properties {
                let needed = required.contains(&name.as_str());
                self.visit(&below(path, name), needed, schema);
            }
        }
        if let Some(values) = object
            .get("additionalProperties")
            .filter(|it| it.is_object())
        {
            self.visit(&below(path, "*"), true, values);
        }
        if let Some(items) = object.get("items").filter(|it| it.is_object()) {
            self.visit(&format!("{path}[]"), true, items);
        }
        for (at, item) in list(object, "prefixItems")
            .into_iter()
            .flatten()
            .enumerate()
        {
            self.visit(&format!("{path}[{at}]"), true, item);
        }
    }

    fn follow(&mut self, path: &str, needed: bool, name: &'a str) {
        let found = name.strip_prefix('#').and_then(|at| self.root.pointer(at));
        let short = name.rsplit('/').next().unwrap_or(name);
        match found {
            Some(schema) if !self.open.contains(&name) && self.open.len() < MAX_DEPTH => {
                self.open.push(name);
                self.visit(path, needed, schema);
                self.open.pop();
            }
            _ => self.add(path, needed, &format!("{short} again")),
        }
    }

    /// Several forms of which a value has one; with `null` beside a single other it is that one,
    /// or nothing.
    fn forms(&mut self, path: &str, needed: bool, forms: &'a [Value]) {
        let is_null = |form: &&Value| form.get("type") == Some(&Value::from("null"));
        let others: Vec<&Value> = forms.iter().filter(|form| !is_null(form)).collect();
        if let ([only], true) = (&others[..], others.len() < forms.len()) {
            let from = self.fields.len();
            self.visit(path, needed, only);
            if let Some(field) = self.fields.get_mut(from) {
                field.kind.push_str(" or null");
            }
            return;
        }
        self.add(path, needed, "one of");
        for (at, form) in forms.iter().enumerate() {
            self.form(path, at, form);
        }
    }

    fn form(&mut self, path: &str, at: usize, form: &'a Value) {
        if let Some(value) = form.get("const") {
            return self.variant(path, &word(value));
        }
        if let Some(values) = form.get("enum").and_then(Value::as_array) {
            return values
                .iter()
                .for_each(|value| self.variant(path, &word(value)));
        }
        let properties = form.get("properties").and_then(Value::as_object);
        let tag = properties.and_then(|all| {
            let mut constants = all.values().filter_map(|property| property.get("const"));
            constants.next().map(word)
        });
        let only = properties
            .filter(|all| all.len() == 1 && tag.is_none())
            .and_then(|all| all.iter().next());
        if let Some((name, content)) = only {
            let name = word(&Value::from(name.as_str()));
            self.variant(path, &name);
            return self.visit(&format!("{path}|{name}"), true, content);
        }
        let name = tag.unwrap_or_else(|| at.to_string());
        self.variant(path, &name);
        self.visit(&format!("{path}|{name}"), true, form);
    }

    fn variant(&mut self, path: &str, name: &str) {
        self.add(&format!("{path}|{name}"), true, "variant");
    }

    fn add(&mut self, path: &str, needed: bool, kind: &str) {
        if self.fields.len() < MAX_FIELDS {
            self.fields.push(Field::new(path, needed, kind));
        }
    }
}

/// A constant, without quotes if it is a word.
fn word(value: &Value) -> String {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    match value.as_str() {
        Some(text) if !text.is_empty() && text.chars().all(is_part) => text.to_owned(),
        _ => value.to_string(),
    }
}

fn list<'a>(object: &'a Map<String, Value>, key: &str) -> Option<&'a Vec<Value>> {
    object.get(key).and_then(Value::as_array)
}

fn below(path: &str, name: &str) -> String {
    match path {
        "" => name.to_owned(),
        path => format!("{path}.{name}"),
    }
}

/// The type, with its format: `integer uint64`, `string or null`.
fn kind(object: &Map<String, Value>) -> String {
    let names: Vec<&str> = match object.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let format = object.get("format").and_then(Value::as_str);
    let mut kinds: Vec<String> = names
        .iter()
        .filter(|name| **name != "null")
        .map(|name| match format {
            Some(format) => format!("{name} {format}"),
            None => (*name).to_owned(),
        })
        .collect();
    if kinds.is_empty() && names.is_empty() {
        kinds.push("anything".to_owned());
    }
    if names.contains(&"null") {
        kinds.push("null".to_owned());
    }
    kinds.join(" or ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn lines(schema: &Value) -> Vec<String> {
        of_schema(schema).iter().map(Field::to_string).collect()
    }

    #[test]
    fn a_struct_is_a_line_for_each_field_and_says_which_have_a_default() {
        let schema = json!({
            "type": "object",
            "properties": {
                "id": { "type": "integer", "format": "uint64", "minimum": 0 },
                "note": { "type": ["string", "null"] },
                "tags": { "type": "array", "items": { "type": "string" } },
                "owner": { "$ref": "#/$defs/Owner" },
            },
            "required": ["id", "owner"],
            "$defs": { "Owner": {
                "type": "object",
                "properties": { "name": { "type": "string" } },
                "required": ["name"],
                "additionalProperties": false,
            } },
        });
        assert_eq!(
            lines(&schema),
            [
                "object",
                "id: integer uint64",
                "note?: string or null",
                "owner: object, no others",
                "owner.name: string",
                "tags?: array",
                "tags[]: string",
            ]
        );
    }

    #[test]
    fn an_enum_is_a_line_for_each_form() {
        let schema = json!({ "oneOf": [
            { "type": "string", "enum": ["Released"] },
            { "type": "object", "required": ["Shipped"], "properties": { "Shipped": {
                "type": "object", "properties": { "parcel": { "type": "string" } },
                "required": ["parcel"],
            } } },
        ] });
        assert_eq!(
            lines(&schema),
            [
                "one of",
                "|Released: variant",
                "|Shipped: object",
                "|Shipped: variant",
                "|Shipped.parcel: string",
            ]
        );
    }

    #[test]
    fn a_type_that_holds_itself_ends() {
        let schema = json!({ "$ref": "#/$defs/Tree", "$defs": { "Tree": {
            "type": "object", "properties": { "left": { "anyOf": [
                { "$ref": "#/$defs/Tree" }, { "type": "null" } ] } },
        } } });
        assert_eq!(lines(&schema), ["object", "left?: Tree again or null"]);
    }

    #[test]
    fn a_line_reads_back_as_the_field() {
        for line in [
            "object",
            "id: integer uint64",
            "a.b?: string",
            "|\"a: b\": variant",
        ] {
            assert_eq!(Field::parse(line).to_string(), line);
        }
    }
}
