//! The header is written by hand, for people. Here it is compared with what the library has:
//! functions with their types, constants, and the layout of structs.
#![expect(clippy::unwrap_used, reason = "a test")]
#![expect(clippy::panic, reason = "a test")]

mod harness;

use anther_c::interface::{make, shared};
use anther_c::{ABI_VERSION, Buffer, Bytes, Error, Info, Plan, Status};
use harness::{Prefix, folder, program, run, said};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::mem::offset_of;

fn header() -> String {
    fs::read_to_string(folder().join("include/anther.h")).unwrap()
}

/// Without comments and directives, with single spaces.
fn code(text: &str) -> String {
    let mut code = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("/*") {
        code += before;
        rest = after.split_once("*/").expect("a comment ends").1;
    }
    code += rest;
    let lines = code.lines().filter(|line| !line.starts_with('#'));
    lines.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
}

/// The functions of the header: name to a declaration without spaces that mean nothing.
fn declared() -> BTreeMap<String, String> {
    let code = code(&header());
    let functions = code.split(';').filter(|text| text.contains('(') && !text.contains('{'));
    let functions = functions.map(|text| text.trim().trim_start_matches("extern \"C\" ").trim());
    functions
        .map(|text| {
            let (before, _) = text.split_once('(').unwrap();
            let name = before.rsplit([' ', '*']).next().unwrap();
            (name.to_string(), text.replace(" *", "*").replace("* ", "*"))
        })
        .collect()
}

/// The functions that the library exports, as the header must declare them.
fn exported() -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    for file in ["make", "lookup", "change", "shared"] {
        let path = folder().join("src/interface").join(file).with_extension("rs");
        let source = fs::read_to_string(path).unwrap();
        for function in source.split("#[unsafe(no_mangle)]").skip(1) {
            let (_, rest) = function.split_once("extern \"C\" fn ").unwrap();
            let (name, rest) = rest.split_once('(').unwrap();
            let (arguments, rest) = rest.split_once(')').unwrap();
            let (result, body) = rest.split_once('{').unwrap();
            let result = result.trim().trim_start_matches("->").trim();
            let result = if result.is_empty() { "void ".into() } else { in_c(result) };
            let arguments: Vec<String> = arguments
                .split(',')
                .filter_map(|argument| argument.trim().split_once(": "))
                .map(|(name, of)| in_c(of) + name)
                .collect();
            let arguments =
                if arguments.is_empty() { "void".to_string() } else { arguments.join(", ") };
            let declaration = format!("{result}{name}({arguments})");
            // One place stops panics, and `answer` leads to it; what does not is a constant.
            let is_guarded =
                ["unsafe { run(", "unsafe { answer::<"].iter().any(|call| body.contains(call));
            let is_constant =
                ["anther_abi_version", "anther_version", "anther_kind_name"].contains(&name);
            assert!(is_guarded || is_constant, "{name} does not stop panics");
            all.insert(name.to_string(), declaration.replace(" *", "*"));
        }
    }
    all
}

/// A type in C, with the space that a name needs.
fn in_c(of: &str) -> String {
    if let Some(of) = of.strip_prefix("*mut ") {
        return in_c(of).trim_end().to_string() + "*";
    }
    if let Some(of) = of.strip_prefix("*const ") {
        return format!("const {}*", in_c(of).trim_end());
    }
    let name = match of {
        "c_int" => "int",
        "c_char" => "char",
        "u8" => "uint8_t",
        "u32" => "uint32_t",
        "u64" => "uint64_t",
        "usize" => "size_t",
        "f64" => "double",
        "Filter" => "anther_filter",
        "Shared" => "anther_shared",
        "Bytes" => "anther_bytes",
        "Buffer" => "anther_buffer",
        "Info" => "anther_info",
        "Plan" => "anther_plan",
        "Error" => "anther_error",
        other => panic!("{other}: which type of C is that?"),
    };
    format!("{name} ")
}

#[test]
fn the_functions_are_those_of_the_header() {
    let (declared, exported) = (declared(), exported());
    assert!(exported.len() > 40, "{}", exported.len());
    for (name, declaration) in &exported {
        assert_eq!(declared.get(name), Some(declaration), "{name}");
    }
    let names =
        |functions: &BTreeMap<String, String>| functions.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&declared), names(&exported));
}

#[test]
fn the_shared_library_exports_them_and_nothing_else() {
    let library = harness::built().join("libanther_c.so");
    let output = run(program("nm").args(["-D", "--defined-only"]).arg(library));
    let text = said(&output);
    let mut names: Vec<String> = text
        .lines()
        .filter_map(|line| line.split_whitespace().nth(2))
        .map(str::to_string)
        .collect();
    names.sort();
    assert_eq!(names, declared().into_keys().collect::<Vec<_>>());
}

/// The compiler of C computes what it makes of the header, and Rust what it makes of its types.
#[test]
fn constants_and_structs_are_those_of_the_header() {
    let mut source = "#include <anther.h>\n".to_string();
    let mut claim = |what: &str, value: i64| {
        writeln!(source, "_Static_assert((long)({what}) == {value}, \"{what}\");").unwrap();
    };
    for (status, name) in Status::ALL {
        claim(name, status as i64);
    }
    claim("ANTHER_ABI_VERSION", ABI_VERSION.into());
    claim("ANTHER_OPEN_MAP", make::OPEN_MAP.into());
    claim("ANTHER_OPEN_ANY", make::OPEN_ANY.into());
    claim("ANTHER_SHARED_INSERT", shared::SHARED_INSERT.into());
    macro_rules! layout {
        ($($type:ident as $name:literal: $($field:ident)*;)*) => {$(
            claim(concat!("sizeof(", $name, ")"), size_of::<$type>() as i64);
            $(claim(
                concat!("offsetof(", $name, ", ", stringify!($field), ")"),
                offset_of!($type, $field) as i64,
            );)*
        )*};
    }
    layout! {
        Error as "anther_error": code text;
        Bytes as "anther_bytes": data len;
        Buffer as "anther_buffer": data len;
        Plan as "anther_plan": size bits bits_sent fpr probes;
        Info as "anther_info": size kind items items_error items_target inserted bits bits_sent
            bits_per_key fpr_target fpr_now fill probes layers stuck may_forget saturated overfull
            keyed can_hash has_rule;
    }
    source += "int main(void) { return 0; }\n";
    let prefix = Prefix::install();
    let path = prefix.path("layout.c");
    fs::write(&path, source).unwrap();
    prefix.compile("cc", &path, &[]);
    // No status of the header is missing here.
    let listed = header().matches("    ANTHER_").count();
    assert_eq!(listed, Status::ALL.len());
}

/// The version in `anther.pc`, in the name of the library and in the crate.
#[test]
fn versions_agree() {
    let pc = fs::read_to_string(folder().join("anther.pc")).unwrap();
    assert!(pc.contains(&format!("Version: {}\n", env!("CARGO_PKG_VERSION"))));
    let build = fs::read_to_string(folder().join("build.rs")).unwrap();
    assert!(build.contains(&format!("libanther_c.so.{ABI_VERSION}")));
}
