//! From a key by its rule to the bytes that a system hashes.

use super::{ForeignFilter, System};
use crate::error::KeyError;
use crate::recipe::{Given, KeyForm, KeyRule, RuledKey, parts_of};

impl ForeignFilter {
    /// Replaces `out` by the bytes that the system hashes for a key, which its rule has made.
    ///
    /// These are the key's own bytes. Numbers begin with the lowest byte, but with the highest in
    /// Cassandra and in HBase, as its `Bytes.toBytes` writes them. Spark makes 64 bits of every
    /// integer, and has no floats. Integers of no width ([`KeyForm::Int`], times, addresses) are
    /// refused, since every width is another key; so are keys of several parts, but for Cassandra,
    /// where they are a composite partition key.
    ///
    /// ```
    /// use anther::foreign::WriteFormat;
    /// use anther::recipe::{Given, KeyForm, KeyRule};
    /// use anther::{KeyError, Target};
    ///
    /// let filter = WriteFormat::Parquet.empty(Target::new(100, 0.01)?)?;
    /// let (mut made, mut bytes) = (Vec::new(), Vec::new());
    /// let rule = KeyRule { form: KeyForm::Int32, ..KeyRule::default() };
    /// let key = rule.key(&[Given::Text(b"-2")], &mut made)?;
    /// filter.encode(&rule, key, &mut bytes)?;
    /// assert_eq!(bytes, (-2_i32).to_le_bytes());
    ///
    /// let rule = KeyRule { form: KeyForm::Int, ..KeyRule::default() };
    /// let key = rule.key(&[Given::Text(b"-2")], &mut made)?;
    /// let refused = filter.encode(&rule, key, &mut bytes);
    /// assert_eq!(refused, Err(KeyError::NoWidth { form: "int" }));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn encode(
        &self,
        rule: &KeyRule,
        key: RuledKey<'_>,
        out: &mut Vec<u8>,
    ) -> Result<(), KeyError> {
        out.clear();
        if matches!(rule.form, KeyForm::Int | KeyForm::Time | KeyForm::Ip) {
            return Err(KeyError::NoWidth { form: rule.form.name() });
        }
        let is_spark = self.system() == System::Spark;
        if is_spark && matches!(rule.form, KeyForm::Float | KeyForm::Double) {
            let system = System::Spark.title();
            return Err(KeyError::NoSuchType { form: rule.form.name(), system });
        }
        let is_cassandra = self.system() == System::Cassandra;
        let is_big_endian = matches!(self.system(), System::Cassandra | System::HBase);
        let is_number =
            matches!(rule.form, KeyForm::Int32 | KeyForm::Int64 | KeyForm::Float | KeyForm::Double);
        let part = |bytes: &[u8], out: &mut Vec<u8>| {
            let start = out.len();
            out.extend_from_slice(bytes);
            if is_big_endian && is_number {
                out[start..].reverse();
            }
        };
        match key {
            // Spark hashes every integer as a long.
            RuledKey::Bytes(&[a, b, c, d]) if is_spark && rule.form == KeyForm::Int32 => {
                out.extend(i64::from(i32::from_le_bytes([a, b, c, d])).to_le_bytes());
            }
            RuledKey::Bytes(bytes) => part(bytes, out),
            RuledKey::Integer(_) => return Err(KeyError::NoWidth { form: rule.form.name() }),
            RuledKey::Tuple(_) if !is_cassandra => {
                return Err(KeyError::Parts { expected: 1, got: rule.parts.into() });
            }
            RuledKey::Tuple(frame) => {
                for given in parts_of(frame).ok_or(KeyError::Opaque)? {
                    let Given::Text(bytes) = given else { return Err(KeyError::Opaque) };
                    let long = |_| KeyError::LongPart { got: bytes.len() };
                    out.extend(u16::try_from(bytes.len()).map_err(long)?.to_be_bytes());
                    part(bytes, out);
                    out.push(0);
                }
            }
        }
        Ok(())
    }

    /// The system whose filter it is.
    pub fn system(&self) -> System {
        match self {
            ForeignFilter::Cassandra(_) => System::Cassandra,
            ForeignFilter::Dcso(_) => System::Dcso,
            ForeignFilter::Guava(_) => System::Guava,
            ForeignFilter::HBase(_) => System::HBase,
            ForeignFilter::Parquet(_) => System::Parquet,
            ForeignFilter::RedisBloom(_) | ForeignFilter::RedisCuckoo(_) => System::RedisBloom,
            ForeignFilter::Spark(_) => System::Spark,
            ForeignFilter::Squid(_) => System::Squid,
        }
    }
}
