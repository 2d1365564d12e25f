//! The records that docs/scale.md is made of.

use std::collections::HashMap;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

/// A number of our own record.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// How many keys.
    pub items: u64,
    /// insert, hit, miss or merge.
    pub work: String,
    /// On how many threads.
    pub threads: usize,
    /// Which filter.
    pub who: String,
    /// Nanoseconds per key.
    pub ns: f64,
    /// Bits per key.
    pub bits: f64,
    /// The most memory of the build, in bytes per key.
    pub peak: Option<f64>,
}

/// A build on Spark.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SparkBuild {
    /// How many keys.
    pub keys: f64,
    /// Until the partial filters are there.
    pub seconds_partial: f64,
    /// Merging them.
    pub seconds_merge: f64,
    /// Through the shuffle and to the driver.
    pub bytes_moved: f64,
}

/// The latest record of each kind.
#[derive(Clone, Debug, Default)]
pub struct Records {
    /// Ours.
    pub points: Vec<Point>,
    /// Memory of the machine that measured them, in bytes.
    pub memory: f64,
    /// Keys per second of a command and a pipeline depth.
    pub server: HashMap<(String, u32), f64>,
    /// Builds on Spark, fewest keys first; none if there is no record yet.
    pub spark: Vec<SparkBuild>,
    /// The names of the files.
    pub names: Vec<String>,
}

/// Where records are.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("records")
}

impl Records {
    /// Those whose names end with `-scale.csv`, `-server-redis.csv` and `-spark.csv`; of each the
    /// last by date. Lookups are those of the last full run of the benchmark, which has the machine
    /// to itself.
    pub fn latest() -> Result<Records, Box<dyn Error>> {
        let mut records = Records::default();
        let mut table = |ending: &str| -> Result<Option<Table>, Box<dyn Error>> {
            let names = fs::read_dir(folder())?.filter_map(|entry| {
                let name = entry.ok()?.file_name().into_string().ok()?;
                // Parts and other programs have more than a date before `.csv`.
                (name.get(10..) == Some(ending)).then_some(name)
            });
            let Some(name) = names.max() else { return Ok(None) };
            let text = fs::read_to_string(folder().join(&name))?;
            records.names.push(name);
            Ok(Some(Table::parse(&text)))
        };
        let ours =
            table("-scale.csv")?.ok_or("there is no record: run `cargo xtask bench scale`")?;
        let full = table(".csv")?.ok_or("there is no full run: run `cargo xtask bench`")?;
        let server = table("-server-redis.csv")?;
        let spark = table("-spark.csv")?;
        records.read_ours(&ours)?;
        records.read_lookups(&full)?;
        if let Some(server) = server {
            records.read_server(&server)?;
        }
        if let Some(spark) = spark {
            records.read_spark(&spark)?;
        }
        Ok(records)
    }

    fn read_ours(&mut self, table: &Table) -> Result<(), Box<dyn Error>> {
        for row in &table.rows {
            let field = |name| table.field(row, name);
            if field("work")? == "memory" {
                self.memory = field("note")?.parse()?;
                continue;
            }
            if !["hit", "miss"].contains(&field("work")?) {
                self.points.push(table.point(row)?);
            }
        }
        Ok(())
    }

    fn read_lookups(&mut self, table: &Table) -> Result<(), Box<dyn Error>> {
        let ours = [("section", "table"), ("keys", "u64"), ("rate", "0.01"), ("way", "batch")];
        for row in &table.rows {
            let is = |(name, value)| table.field(row, name).is_ok_and(|field| field == value);
            let looks_up = is(("work", "hit")) || is(("work", "miss"));
            if ours.into_iter().all(is) && looks_up && is(("contender", "anther blocked")) {
                self.points.push(table.point(row)?);
            }
        }
        Ok(())
    }

    fn read_server(&mut self, table: &Table) -> Result<(), Box<dyn Error>> {
        for row in &table.rows {
            let field = |name| table.field(row, name);
            let command = (field("command")?.to_string(), field("pipeline")?.parse()?);
            self.server.insert(command, field("keys_per_second")?.parse()?);
        }
        Ok(())
    }

    /// Of several builds of the same size, the middle one.
    fn read_spark(&mut self, table: &Table) -> Result<(), Box<dyn Error>> {
        let mut all = Vec::new();
        for row in &table.rows {
            let number =
                |name| -> Result<f64, Box<dyn Error>> { Ok(table.field(row, name)?.parse()?) };
            // What our build is compared with has no such phases.
            if table.field(row, "seconds_partial")?.is_empty() {
                continue;
            }
            all.push(SparkBuild {
                keys: number("keys")?,
                seconds_partial: number("seconds_partial")?,
                seconds_merge: number("seconds_merge")?,
                bytes_moved: number("bytes_moved")?,
            });
        }
        let seconds = |build: &SparkBuild| build.seconds_partial + build.seconds_merge;
        all.sort_by(|a, b| a.keys.total_cmp(&b.keys).then(seconds(a).total_cmp(&seconds(b))));
        self.spark =
            all.chunk_by(|a, b| a.keys == b.keys).map(|same| same[same.len() / 2]).collect();
        Ok(())
    }
}

/// Comma-separated values with a line of names, below comments; no field of ours has a comma.
struct Table {
    names: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    fn parse(text: &str) -> Table {
        let split = |line: &str| line.split(',').map(str::to_string).collect::<Vec<_>>();
        let mut lines = text.lines().filter(|line| !line.starts_with('#')).map(split);
        Table { names: lines.next().unwrap_or_default(), rows: lines.collect() }
    }

    fn point(&self, row: &[String]) -> Result<Point, Box<dyn Error>> {
        let field = |name| self.field(row, name);
        Ok(Point {
            items: field("items")?.parse()?,
            work: field("work")?.to_string(),
            threads: field("threads")?.parse()?,
            who: field("contender")?.to_string(),
            ns: field("ns_per_key")?.parse()?,
            bits: field("bits_per_key")?.parse()?,
            peak: field("peak_bytes_per_key")?.parse().ok(),
        })
    }

    fn field<'a>(&self, row: &'a [String], name: &str) -> Result<&'a str, String> {
        let at = self.names.iter().position(|other| other == name);
        let field = at.and_then(|at| row.get(at));
        field.map(String::as_str).ok_or_else(|| format!("a row has no {name}: {row:?}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_several_builds_the_middle_one_is_taken() {
        let text = "keys,cores,seconds_partial,seconds_merge,bytes_moved\n\
                    1e8,2,30,5,9e9\n1e7,2,9,1,9e8\n1e8,2,10,5,9e9\n1e8,2,20,5,9e9\n";
        let mut records = Records::default();
        records.read_spark(&Table::parse(text)).unwrap();
        let seconds: Vec<f64> = records.spark.iter().map(|build| build.seconds_partial).collect();
        assert_eq!(seconds, [9.0, 20.0]);
        assert!(records.read_spark(&Table::parse("keys\n1")).is_err());
    }
}
