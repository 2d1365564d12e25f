//! Values of JSON lines by their paths, as `serde_json` has them.

use crate::input::Input;
use anther_records::json_lines::{Path, Value, paths, value};
use serde_json::Value as Json;

/// A path and a text.
pub fn run(data: &[u8]) {
    let mut input = Input(data);
    let (path, text) = (input.line(), input.0);
    let Ok(path) = str::from_utf8(path) else { return };
    let ours = value(text, &Path::new(path));
    if let Err(malformed) = &ours {
        assert!(malformed.position <= text.len() + 1 && !malformed.to_string().is_empty());
    }
    // What they read, we read, too. We do not look into what the path passes by.
    let Ok(whole) = serde_json::from_slice::<Json>(text) else { return };
    let ours = ours.expect("valid JSON");
    // An object with this name they take for the text of another value.
    let is_theirs = memchr::memmem::find(text, b"serde_json::private").is_some();
    if !path.contains('\\') && !is_theirs {
        let mut steps = path.split('.').filter(|_| !path.is_empty());
        let theirs = steps.try_fold(&whole, |at, name| match at {
            Json::Object(members) => members.get(name),
            Json::Array(elements) => elements.get(name.parse::<usize>().ok()?),
            _ => None,
        });
        match (&ours, theirs) {
            (Value::Missing, None) | (Value::Null, Some(Json::Null)) => {}
            (Value::Text(ours), Some(Json::String(text))) => assert_eq!(*ours, text.as_bytes()),
            (Value::Made(ours), Some(Json::String(text))) => assert_eq!(ours, text),
            (Value::Text(ours), Some(Json::Number(_))) => assert!(!ours.is_empty()),
            (Value::Other(_), Some(Json::Object(_) | Json::Array(_) | Json::Bool(_))) => {}
            (ours, theirs) => panic!("{path}: {ours:?} {theirs:?}"),
        }
    }
    for path in paths(text).iter().take(8) {
        let path = Path::new(str::from_utf8(path).expect("a path"));
        assert!(matches!(value(text, &path), Ok(Value::Text(_) | Value::Made(_))), "{path:?}");
    }
}
