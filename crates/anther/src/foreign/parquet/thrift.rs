//! Thrift's compact protocol, as far as Parquet's metadata needs it.
//!
//! A [`Struct`] keeps each field as the bytes that the file has for it, and looks inside only where
//! it is asked to. So what nobody asks for is written again unchanged, fields of later releases
//! included, and a footer takes no more memory than its bytes and the fields of a few structs.

use crate::error::ForeignError;
use crate::foreign::cursor::Cursor;
use std::borrow::Cow;

/// Types of values, by their numbers in the protocol.
pub(super) const I32: u8 = 5;
pub(super) const I64: u8 = 6;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

/// Real metadata has 5 levels and 17 fields in a struct.
const MAX_DEPTH: u32 = 32;
const MAX_FIELDS: usize = 256;

const BROKEN: ForeignError = ForeignError::Malformed("Thrift metadata");

/// A field: its number, the type of its value, and the value as it is encoded.
#[derive(Clone, Debug)]
struct Field<'a> {
    id: i16,
    kind: u8,
    value: Cow<'a, [u8]>,
}

/// A struct, its fields in the order of the file.
#[derive(Clone, Debug, Default)]
pub(super) struct Struct<'a> {
    fields: Vec<Field<'a>>,
}

impl<'a> Struct<'a> {
    /// Reads a struct from the start of these bytes; returns what follows it, too.
    pub(super) fn read(bytes: &'a [u8]) -> Result<(Struct<'a>, &'a [u8]), ForeignError> {
        let (mut cursor, mut id) = (Cursor::new(bytes), 0);
        let mut fields: Vec<Field<'a>> = Vec::new();
        while let Some((next, kind)) = field_header(&mut cursor, id)? {
            id = next;
            let value = Cow::Borrowed(value(&mut cursor, kind)?);
            if fields.len() == MAX_FIELDS || fields.iter().any(|field| field.id == id) {
                return Err(BROKEN);
            }
            fields.push(Field { id, kind, value });
        }
        Ok((Struct { fields }, cursor.rest()))
    }

    /// Reads a struct that these bytes are.
    pub(super) fn whole(bytes: &'a [u8]) -> Result<Struct<'a>, ForeignError> {
        match Struct::read(bytes)? {
            (all, []) => Ok(all),
            _ => Err(BROKEN),
        }
    }

    /// The struct's bytes.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        let mut last = 0_i16;
        for field in &self.fields {
            match u8::try_from(i32::from(field.id) - i32::from(last)) {
                Ok(step @ 1..=15) => out.push(step << 4 | field.kind),
                _ => {
                    out.push(field.kind);
                    put_varint(out, zigzag(field.id.into()));
                }
            }
            out.extend_from_slice(&field.value);
            last = field.id;
        }
        out.push(0);
    }

    pub(super) fn has(&self, id: i16) -> bool {
        self.fields.iter().any(|field| field.id == id)
    }

    /// The value of a field, if it is there; one of another type is an error.
    fn get(&self, id: i16, kind: u8) -> Result<Option<&Cow<'a, [u8]>>, ForeignError> {
        match self.fields.iter().find(|field| field.id == id) {
            Some(field) if field.kind == kind => Ok(Some(&field.value)),
            Some(_) => Err(BROKEN),
            None => Ok(None),
        }
    }

    /// The bytes of a field that was read, and not changed since.
    fn raw(&self, id: i16, kind: u8) -> Result<Option<&'a [u8]>, ForeignError> {
        Ok(self.get(id, kind)?.and_then(|value| match value {
            Cow::Borrowed(bytes) => Some(*bytes),
            Cow::Owned(_) => None,
        }))
    }

    pub(super) fn i32(&self, id: i16) -> Result<Option<i32>, ForeignError> {
        let value = self.get(id, I32)?.map(|bytes| number(bytes)).transpose()?;
        value.map(|value| i32::try_from(value).map_err(|_| BROKEN)).transpose()
    }

    pub(super) fn i64(&self, id: i16) -> Result<Option<i64>, ForeignError> {
        self.get(id, I64)?.map(|bytes| number(bytes)).transpose()
    }

    pub(super) fn list(&self, id: i16) -> Result<Option<List<'a>>, ForeignError> {
        self.raw(id, LIST)?.map(List::new).transpose()
    }

    pub(super) fn child(&self, id: i16) -> Result<Option<Struct<'a>>, ForeignError> {
        self.raw(id, STRUCT)?.map(Struct::whole).transpose()
    }

    /// The encoded value of a list.
    pub(super) fn raw_list(&self, id: i16) -> Result<Option<&'a [u8]>, ForeignError> {
        self.raw(id, LIST)
    }

    /// Sets a number.
    pub(super) fn set_number(&mut self, id: i16, kind: u8, number: i64) {
        let mut value = Vec::new();
        put_varint(&mut value, zigzag(number));
        self.set(id, kind, value);
    }

    pub(super) fn set_child(&mut self, id: i16, child: &Struct<'_>) {
        let mut value = Vec::new();
        child.write(&mut value);
        self.set(id, STRUCT, value);
    }

    /// Sets a list of structs that are encoded already.
    pub(super) fn set_structs(&mut self, id: i16, structs: &[Vec<u8>]) {
        let mut value = Vec::new();
        match u8::try_from(structs.len()) {
            Ok(len @ ..15) => value.push(len << 4 | STRUCT),
            _ => {
                value.push(0xF0 | STRUCT);
                put_varint(&mut value, structs.len() as u64);
            }
        }
        structs.iter().for_each(|one| value.extend_from_slice(one));
        self.set(id, LIST, value);
    }

    fn set(&mut self, id: i16, kind: u8, value: Vec<u8>) {
        let field = Field { id, kind, value: Cow::Owned(value) };
        match self.fields.iter().position(|other| other.id >= id) {
            Some(at) if self.fields[at].id == id => self.fields[at] = field,
            Some(at) => self.fields.insert(at, field),
            None => self.fields.push(field),
        }
    }
}

/// The elements of a list, as they are encoded.
#[derive(Clone, Copy, Debug)]
pub(super) struct List<'a> {
    kind: u8,
    left: u64,
    cursor: Cursor<'a>,
}

impl<'a> List<'a> {
    fn new(bytes: &'a [u8]) -> Result<List<'a>, ForeignError> {
        let mut cursor = Cursor::new(bytes);
        let (left, kind) = list_header(&mut cursor)?;
        Ok(List { kind, left, cursor })
    }

    /// The next element, which must be a struct.
    pub(super) fn next_struct(&mut self) -> Result<Option<Struct<'a>>, ForeignError> {
        self.next_of(STRUCT)?.map(Struct::whole).transpose()
    }

    /// The next element, which must be a text.
    pub(super) fn next_text(&mut self) -> Result<Option<&'a str>, ForeignError> {
        let Some(bytes) = self.next_of(BINARY)? else { return Ok(None) };
        let mut cursor = Cursor::new(bytes);
        let len = varint(&mut cursor)?;
        str::from_utf8(cursor.take(len)?).map(Some).map_err(|_| BROKEN)
    }

    fn next_of(&mut self, kind: u8) -> Result<Option<&'a [u8]>, ForeignError> {
        if self.left == 0 {
            return Ok(None);
        }
        if self.kind != kind {
            return Err(BROKEN);
        }
        self.left -= 1;
        value(&mut self.cursor, kind).map(Some)
    }
}

/// The number and the type of the next field; none at the end of the struct.
fn field_header(cursor: &mut Cursor<'_>, last: i16) -> Result<Option<(i16, u8)>, ForeignError> {
    let byte = cursor.u8()?;
    let id = match byte >> 4 {
        _ if byte == 0 => return Ok(None),
        0 => i16::try_from(number_at(cursor)?).map_err(|_| BROKEN)?,
        step => last.checked_add(step.into()).ok_or(BROKEN)?,
    };
    Ok(Some((id, byte & 15)))
}

fn list_header(cursor: &mut Cursor<'_>) -> Result<(u64, u8), ForeignError> {
    let byte = cursor.u8()?;
    let len = match byte >> 4 {
        15 => varint(cursor)?,
        len => len.into(),
    };
    Ok((len, byte & 15))
}

/// The bytes of a field's value. A field that is true or false has none.
fn value<'a>(cursor: &mut Cursor<'a>, kind: u8) -> Result<&'a [u8], ForeignError> {
    let before = cursor.rest();
    if !matches!(kind, 1 | 2) {
        skip(cursor, kind, MAX_DEPTH)?;
    }
    Ok(&before[..before.len() - cursor.rest().len()])
}

/// Passes a value. Every element has at least a byte, so a length that is forged ends with the
/// bytes.
fn skip(cursor: &mut Cursor<'_>, kind: u8, depth: u32) -> Result<(), ForeignError> {
    let depth = depth.checked_sub(1).ok_or(ForeignError::Malformed("Thrift metadata, nested"))?;
    match kind {
        // True, false, and a byte. Elements that are true or false have a byte.
        1..=3 => _ = cursor.u8()?,
        4..=6 => _ = varint(cursor)?,
        7 => _ = cursor.take(8)?,
        BINARY => {
            let len = varint(cursor)?;
            cursor.take(len)?;
        }
        LIST | 10 => {
            let (len, kind) = list_header(cursor)?;
            for _ in 0..len {
                skip(cursor, kind, depth)?;
            }
        }
        11 => {
            let len = varint(cursor)?;
            let kinds = if len == 0 { 0 } else { cursor.u8()? };
            for _ in 0..len {
                skip(cursor, kinds >> 4, depth)?;
                skip(cursor, kinds & 15, depth)?;
            }
        }
        STRUCT => {
            let mut id = 0;
            while let Some((next, kind)) = field_header(cursor, id)? {
                id = next;
                if !matches!(kind, 1 | 2) {
                    skip(cursor, kind, depth)?;
                }
            }
        }
        13 => _ = cursor.take(16)?,
        _ => return Err(BROKEN),
    }
    Ok(())
}

fn number(bytes: &[u8]) -> Result<i64, ForeignError> {
    number_at(&mut Cursor::new(bytes))
}

#[expect(clippy::cast_possible_wrap, reason = "zigzag")]
fn number_at(cursor: &mut Cursor<'_>) -> Result<i64, ForeignError> {
    let word = varint(cursor)?;
    Ok((word >> 1) as i64 ^ -((word & 1) as i64))
}

#[expect(clippy::cast_sign_loss, reason = "zigzag")]
fn zigzag(number: i64) -> u64 {
    (number << 1 ^ number >> 63) as u64
}

fn varint(cursor: &mut Cursor<'_>) -> Result<u64, ForeignError> {
    let mut word = 0;
    for shift in (0..64).step_by(7) {
        let byte = cursor.u8()?;
        let bits = u64::from(byte & 0x7F);
        if shift == 63 && bits > 1 {
            return Err(BROKEN);
        }
        word |= bits << shift;
        if byte & 0x80 == 0 {
            return Ok(word);
        }
    }
    Err(BROKEN)
}

fn put_varint(out: &mut Vec<u8>, mut word: u64) {
    while word > 0x7F {
        #[expect(clippy::cast_possible_truncation, reason = "the low seven bits")]
        out.push(word as u8 | 0x80);
        word >>= 7;
    }
    #[expect(clippy::cast_possible_truncation, reason = "seven bits are left")]
    out.push(word as u8);
}
