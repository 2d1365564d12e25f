//! The lines in Rust that the tab Plan of `anther lab` shows, for every kind. Made by the test
//! `the_lines_are_those_that_are_run`.

type Outcome = Result<(), Box<dyn std::error::Error>>;

#[rustfmt::skip]
#[test]
fn classic() -> Outcome {
    use anther::{Classic, Target};

    let mut seen = Classic::new(Target::new(1_000, 0.01)?)?;
    seen.insert("ada@example.org");
    assert!(seen.contains("ada@example.org"));
    Ok(())
}

#[rustfmt::skip]
#[test]
fn blocked() -> Outcome {
    use anther::{Blocked, Target};

    let mut seen = Blocked::new(Target::new(1_000, 0.01)?)?;
    seen.insert("ada@example.org");
    assert!(seen.contains("ada@example.org"));
    Ok(())
}

#[rustfmt::skip]
#[test]
fn split() -> Outcome {
    use anther::{Split, Target};

    let mut seen = Split::new(Target::new(1_000, 0.01)?)?;
    seen.insert("ada@example.org");
    assert!(seen.contains("ada@example.org"));
    Ok(())
}

#[rustfmt::skip]
#[test]
fn counting() -> Outcome {
    use anther::{Counting, Target};

    let mut seen = Counting::new(Target::new(1_000, 0.01)?)?;
    seen.insert("ada@example.org");
    assert!(seen.contains("ada@example.org"));
    assert_eq!(seen.count("ada@example.org"), 1);
    seen.remove("ada@example.org")?;
    Ok(())
}

#[rustfmt::skip]
#[test]
fn dleft() -> Outcome {
    use anther::{DLeft, Target};

    let mut seen = DLeft::new(Target::new(1_000, 0.01)?)?;
    seen.insert("ada@example.org")?;
    assert!(seen.contains("ada@example.org"));
    assert_eq!(seen.count("ada@example.org"), 1);
    seen.remove("ada@example.org")?;
    Ok(())
}

#[rustfmt::skip]
#[test]
fn variable_increment() -> Outcome {
    use anther::{Target, VariableIncrement};

    let mut seen = VariableIncrement::new(Target::new(1_000, 0.01)?)?;
    seen.insert("ada@example.org");
    assert!(seen.contains("ada@example.org"));
    seen.remove("ada@example.org")?;
    Ok(())
}

#[rustfmt::skip]
#[test]
fn deletable() -> Outcome {
    use anther::{Deletable, Target};

    let mut seen = Deletable::new(Target::new(1_000, 0.01)?)?;
    seen.insert("ada@example.org");
    assert!(seen.contains("ada@example.org"));
    seen.remove("ada@example.org")?;
    Ok(())
}

#[rustfmt::skip]
#[test]
fn compressed() -> Outcome {
    use anther::{Compressed, Target};

    let mut seen = Compressed::new(Target::new(1_000, 0.01)?)?;
    seen.insert("ada@example.org");
    assert!(seen.contains("ada@example.org"));
    Ok(())
}

#[rustfmt::skip]
#[test]
fn scalable() -> Outcome {
    use anther::{Scalable, Target};

    let mut seen = Scalable::new(Target::new(1_000, 0.01)?)?;
    seen.insert("ada@example.org")?;
    assert!(seen.contains("ada@example.org"));
    Ok(())
}

#[rustfmt::skip]
#[test]
fn aging() -> Outcome {
    use anther::{Aging, Target};

    let mut seen = Aging::new(Target::new(1_000, 0.01)?)?;
    seen.insert("ada@example.org");
    assert!(seen.contains("ada@example.org"));
    Ok(())
}

#[rustfmt::skip]
#[test]
fn stable() -> Outcome {
    use anther::{Stable, Target};

    let mut seen = Stable::new(Target::new(1_000, 0.01)?)?;
    seen.insert("ada@example.org");
    assert!(seen.contains("ada@example.org"));
    Ok(())
}

#[rustfmt::skip]
#[test]
fn weighted() -> Outcome {
    use anther::{Target, Weighted};

    let mut seen = Weighted::new(Target::new(1_000, 0.01)?)?;
    seen.insert("ada@example.org");
    assert!(seen.contains("ada@example.org"));
    Ok(())
}

#[rustfmt::skip]
#[test]
fn spectral() -> Outcome {
    use anther::{Spectral, Target};

    let mut seen = Spectral::new(Target::new(1_000, 0.01)?)?;
    seen.insert("ada@example.org");
    assert!(seen.contains("ada@example.org"));
    assert_eq!(seen.count("ada@example.org"), 1);
    seen.remove("ada@example.org")?;
    Ok(())
}

#[rustfmt::skip]
#[test]
fn generalized() -> Outcome {
    use anther::{Generalized, Target};

    let mut seen = Generalized::new(Target::new(1_000, 0.01)?)?;
    seen.insert("ada@example.org");
    assert!(seen.contains("ada@example.org"));
    Ok(())
}

#[rustfmt::skip]
#[test]
fn robust() -> Outcome {
    use anther::{Robust, Target};

    let mut seen = Robust::new(Target::new(1_000, 0.01)?)?;
    seen.insert("ada@example.org");
    assert!(seen.contains("ada@example.org"));
    Ok(())
}

#[rustfmt::skip]
#[test]
fn floom() -> Outcome {
    use anther::{Floom, Target};

    let mut seen = Floom::new(Target::new(1_000, 0.01)?)?;
    seen.insert("ada@example.org");
    assert!(seen.contains("ada@example.org"));
    Ok(())
}

#[rustfmt::skip]
#[test]
fn fuse() -> Outcome {
    use anther::Fuse;

    let seen = Fuse::build(["ada@example.org", "grace@example.org"], 0.01)?;
    assert!(seen.contains("ada@example.org"));
    Ok(())
}

#[rustfmt::skip]
#[test]
fn ribbon() -> Outcome {
    use anther::Ribbon;

    let seen = Ribbon::build(["ada@example.org", "grace@example.org"], 0.01)?;
    assert!(seen.contains("ada@example.org"));
    Ok(())
}

#[rustfmt::skip]
#[test]
fn cascade() -> Outcome {
    use anther::Cascade;

    let seen = Cascade::build(["ada@example.org"], ["grace@example.org"], Some(0.01))?;
    assert!(seen.contains("ada@example.org"));
    assert!(!seen.contains("grace@example.org"));
    Ok(())
}

#[rustfmt::skip]
#[test]
fn bloomier() -> Outcome {
    use anther::Bloomier;

    let seen = Bloomier::of([("ada@example.org", 1), ("grace@example.org", 0)], 0.01, 1)?;
    assert_eq!(seen.get("ada@example.org"), Some(1));
    Ok(())
}

#[rustfmt::skip]
#[test]
fn quotient() -> Outcome {
    use anther::{Quotient, Target};

    let mut seen = Quotient::new(Target::new(1_000, 0.01)?)?;
    seen.insert("ada@example.org")?;
    assert!(seen.contains("ada@example.org"));
    assert_eq!(seen.count("ada@example.org"), 1);
    seen.remove("ada@example.org")?;
    Ok(())
}

#[rustfmt::skip]
#[test]
fn cuckoo() -> Outcome {
    use anther::{Cuckoo, Target};

    let mut seen = Cuckoo::new(Target::new(1_000, 0.01)?)?;
    seen.insert("ada@example.org")?;
    assert!(seen.contains("ada@example.org"));
    assert_eq!(seen.count("ada@example.org"), 1);
    seen.remove("ada@example.org")?;
    Ok(())
}

#[rustfmt::skip]
#[test]
fn range() -> Outcome {
    use anther::{Range, Seed};

    let seen = Range::build([1_700_000_042], 100, 0.01, Seed::FIXED)?;
    assert!(seen.contains_any(1_700_000_000..=1_700_000_060)?);
    Ok(())
}

#[rustfmt::skip]
#[test]
fn classic_with_a_key() -> Outcome {
    let key = [7; 16];
    use anther::{Classic, Seed, Target};

    // `key`: 16 secret random bytes. The file does not contain them.
    let mut seen = Classic::with_seed(Target::new(1_000, 0.01)?, Seed::keyed(key))?;
    seen.insert("ada@example.org");
    assert!(seen.contains("ada@example.org"));
    Ok(())
}

#[rustfmt::skip]
#[test]
fn blocked_with_a_key() -> Outcome {
    let key = [7; 16];
    use anther::{Blocked, Seed, Target};

    // `key`: 16 secret random bytes. The file does not contain them.
    let mut seen = Blocked::with_seed(Target::new(1_000, 0.01)?, Seed::keyed(key))?;
    seen.insert("ada@example.org");
    assert!(seen.contains("ada@example.org"));
    Ok(())
}

#[rustfmt::skip]
#[test]
fn split_with_a_key() -> Outcome {
    let key = [7; 16];
    use anther::{Seed, Split, Target};

    // `key`: 16 secret random bytes. The file does not contain them.
    let mut seen = Split::with_seed(Target::new(1_000, 0.01)?, Seed::keyed(key))?;
    seen.insert("ada@example.org");
    assert!(seen.contains("ada@example.org"));
    Ok(())
}

#[rustfmt::skip]
#[test]
fn counting_with_a_key() -> Outcome {
    let key = [7; 16];
    use anther::{Counting, Seed, Target};

    // `key`: 16 secret random bytes. The file does not contain them.
    let mut seen = Counting::with_seed(Target::new(1_000, 0.01)?, Seed::keyed(key))?;
    seen.insert("ada@example.org");
    assert!(seen.contains("ada@example.org"));
    assert_eq!(seen.count("ada@example.org"), 1);
    seen.remove("ada@example.org")?;
    Ok(())
}

#[rustfmt::skip]
#[test]
fn dleft_with_a_key() -> Outcome {
    let key = [7; 16];
    use anther::{DLeft, Seed, Target};

    // `key`: 16 secret random bytes. The file does not contain them.
    let mut seen = DLeft::with_seed(Target::new(1_000, 0.01)?, Seed::keyed(key))?;
    seen.insert("ada@example.org")?;
    assert!(seen.contains("ada@example.org"));
    assert_eq!(seen.count("ada@example.org"), 1);
    seen.remove("ada@example.org")?;
    Ok(())
}

#[rustfmt::skip]
#[test]
fn variable_increment_with_a_key() -> Outcome {
    let key = [7; 16];
    use anther::{Seed, Target, VariableIncrement};

    // `key`: 16 secret random bytes. The file does not contain them.
    let mut seen = VariableIncrement::with_seed(Target::new(1_000, 0.01)?, Seed::keyed(key))?;
    seen.insert("ada@example.org");
    assert!(seen.contains("ada@example.org"));
    seen.remove("ada@example.org")?;
    Ok(())
}

#[rustfmt::skip]
#[test]
fn deletable_with_a_key() -> Outcome {
    let key = [7; 16];
    use anther::{Deletable, Seed, Target};

    // `key`: 16 secret random bytes. The file does not contain them.
    let mut seen = Deletable::with_seed(Target::new(1_000, 0.01)?, Seed::keyed(key))?;
    seen.insert("ada@example.org");
    assert!(seen.contains("ada@example.org"));
    seen.remove("ada@example.org")?;
    Ok(())
}

#[rustfmt::skip]
#[test]
fn compressed_with_a_key() -> Outcome {
    let key = [7; 16];
    use anther::{Compressed, Seed, Target};

    // `key`: 16 secret random bytes. The file does not contain them.
    let mut seen = Compressed::with_seed(Target::new(1_000, 0.01)?, Seed::keyed(key))?;
    seen.insert("ada@example.org");
    assert!(seen.contains("ada@example.org"));
    Ok(())
}

#[rustfmt::skip]
#[test]
fn scalable_with_a_key() -> Outcome {
    let key = [7; 16];
    use anther::{Scalable, Seed, Target};

    // `key`: 16 secret random bytes. The file does not contain them.
    let mut seen = Scalable::with_seed(Target::new(1_000, 0.01)?, Seed::keyed(key))?;
    seen.insert("ada@example.org")?;
    assert!(seen.contains("ada@example.org"));
    Ok(())
}

#[rustfmt::skip]
#[test]
fn aging_with_a_key() -> Outcome {
    let key = [7; 16];
    use anther::{Aging, Seed, Target};

    // `key`: 16 secret random bytes. The file does not contain them.
    let mut seen = Aging::with_seed(Target::new(1_000, 0.01)?, Seed::keyed(key))?;
    seen.insert("ada@example.org");
    assert!(seen.contains("ada@example.org"));
    Ok(())
}

#[rustfmt::skip]
#[test]
fn stable_with_a_key() -> Outcome {
    let key = [7; 16];
    use anther::{Seed, Stable, Target};

    // `key`: 16 secret random bytes. The file does not contain them.
    let mut seen = Stable::with_seed(Target::new(1_000, 0.01)?, Seed::keyed(key))?;
    seen.insert("ada@example.org");
    assert!(seen.contains("ada@example.org"));
    Ok(())
}

#[rustfmt::skip]
#[test]
fn weighted_with_a_key() -> Outcome {
    let key = [7; 16];
    use anther::{Seed, Target, Weighted};

    // `key`: 16 secret random bytes. The file does not contain them.
    let mut seen = Weighted::with_seed(Target::new(1_000, 0.01)?, Seed::keyed(key))?;
    seen.insert("ada@example.org");
    assert!(seen.contains("ada@example.org"));
    Ok(())
}

#[rustfmt::skip]
#[test]
fn spectral_with_a_key() -> Outcome {
    let key = [7; 16];
    use anther::{Seed, Spectral, Target};

    // `key`: 16 secret random bytes. The file does not contain them.
    let mut seen = Spectral::with_seed(Target::new(1_000, 0.01)?, Seed::keyed(key))?;
    seen.insert("ada@example.org");
    assert!(seen.contains("ada@example.org"));
    assert_eq!(seen.count("ada@example.org"), 1);
    seen.remove("ada@example.org")?;
    Ok(())
}

#[rustfmt::skip]
#[test]
fn generalized_with_a_key() -> Outcome {
    let key = [7; 16];
    use anther::{Generalized, Seed, Target};

    // `key`: 16 secret random bytes. The file does not contain them.
    let mut seen = Generalized::with_seed(Target::new(1_000, 0.01)?, Seed::keyed(key))?;
    seen.insert("ada@example.org");
    assert!(seen.contains("ada@example.org"));
    Ok(())
}

#[rustfmt::skip]
#[test]
fn robust_with_a_key() -> Outcome {
    let key = [7; 16];
    use anther::{Robust, Seed, Target};

    // `key`: 16 secret random bytes. The file does not contain them.
    let mut seen = Robust::with_seed(Target::new(1_000, 0.01)?, Seed::keyed(key))?;
    seen.insert("ada@example.org");
    assert!(seen.contains("ada@example.org"));
    Ok(())
}

#[rustfmt::skip]
#[test]
fn floom_with_a_key() -> Outcome {
    let key = [7; 16];
    use anther::{Floom, Seed, Target};

    // `key`: 16 secret random bytes. The file does not contain them.
    let mut seen = Floom::with_seed(Target::new(1_000, 0.01)?, Seed::keyed(key))?;
    seen.insert("ada@example.org");
    assert!(seen.contains("ada@example.org"));
    Ok(())
}

#[rustfmt::skip]
#[test]
fn fuse_with_a_key() -> Outcome {
    let key = [7; 16];
    use anther::{Build, Fuse, Key, Options, Seed, Target, Work};

    // `key`: 16 secret random bytes. The file does not contain them.
    let (keys, seed) = (["ada@example.org", "grace@example.org"], Seed::keyed(key));
    let mut hashes: Vec<_> = keys.iter().map(|key| key.key_hash(&seed)).collect();
    let target = Target::new(hashes.len() as u64, 0.01)?;
    let seen = <Fuse as Build>::build(&mut hashes, target, &Options::new(), seed, Work::new())?;
    assert!(seen.contains("ada@example.org"));
    Ok(())
}

#[rustfmt::skip]
#[test]
fn ribbon_with_a_key() -> Outcome {
    let key = [7; 16];
    use anther::{Build, Key, Options, Ribbon, Seed, Target, Work};

    // `key`: 16 secret random bytes. The file does not contain them.
    let (keys, seed) = (["ada@example.org", "grace@example.org"], Seed::keyed(key));
    let mut hashes: Vec<_> = keys.iter().map(|key| key.key_hash(&seed)).collect();
    let target = Target::new(hashes.len() as u64, 0.01)?;
    let seen = <Ribbon as Build>::build(&mut hashes, target, &Options::new(), seed, Work::new())?;
    assert!(seen.contains("ada@example.org"));
    Ok(())
}

#[rustfmt::skip]
#[test]
fn cascade_with_a_key() -> Outcome {
    let key = [7; 16];
    use anther::{Cascade, Key, Seed, Work};

    // `key`: 16 secret random bytes. The file does not contain them.
    let seed = Seed::keyed(key);
    let mut members = vec!["ada@example.org".key_hash(&seed)];
    let mut others = vec!["grace@example.org".key_hash(&seed)];
    let seen = Cascade::build_lists(&mut members, &mut others, Some(0.01), seed, Work::new())?;
    assert!(seen.contains("ada@example.org"));
    Ok(())
}

#[rustfmt::skip]
#[test]
fn bloomier_with_a_key() -> Outcome {
    let key = [7; 16];
    use anther::{Bloomier, Key, Options, Seed, Target, Work};

    // `key`: 16 secret random bytes. The file does not contain them.
    let seed = Seed::keyed(key);
    let mut pairs = vec![("ada@example.org".key_hash(&seed), 1)];
    let (target, options) = (Target::new(1, 0.01)?, Options::new());
    let seen = Bloomier::build_pairs(&mut pairs, target, &options, false, seed, Work::new())?;
    assert_eq!(seen.get("ada@example.org"), Some(1));
    Ok(())
}

#[rustfmt::skip]
#[test]
fn quotient_with_a_key() -> Outcome {
    let key = [7; 16];
    use anther::{Quotient, Seed, Target};

    // `key`: 16 secret random bytes. The file does not contain them.
    let mut seen = Quotient::with_seed(Target::new(1_000, 0.01)?, Seed::keyed(key))?;
    seen.insert("ada@example.org")?;
    assert!(seen.contains("ada@example.org"));
    assert_eq!(seen.count("ada@example.org"), 1);
    seen.remove("ada@example.org")?;
    Ok(())
}

#[rustfmt::skip]
#[test]
fn cuckoo_with_a_key() -> Outcome {
    let key = [7; 16];
    use anther::{Cuckoo, Seed, Target};

    // `key`: 16 secret random bytes. The file does not contain them.
    let mut seen = Cuckoo::with_seed(Target::new(1_000, 0.01)?, Seed::keyed(key))?;
    seen.insert("ada@example.org")?;
    assert!(seen.contains("ada@example.org"));
    assert_eq!(seen.count("ada@example.org"), 1);
    seen.remove("ada@example.org")?;
    Ok(())
}

#[rustfmt::skip]
#[test]
fn range_with_a_key() -> Outcome {
    let key = [7; 16];
    use anther::{Range, Seed};

    // `key`: 16 secret random bytes. The file does not contain them.
    let seen = Range::build([1_700_000_042], 100, 0.01, Seed::keyed(key))?;
    assert!(seen.contains_any(1_700_000_000..=1_700_000_060)?);
    Ok(())
}

#[rustfmt::skip]
#[test]
fn classic_with_probes() -> Outcome {
    use anther::{Classic, Seed, Shape};

    let mut seen = Classic::with_shape(Shape::bits(10_524).probes(4), Seed::FIXED)?;
    seen.insert("ada@example.org");
    assert!(seen.contains("ada@example.org"));
    Ok(())
}

#[rustfmt::skip]
#[test]
fn blocked_with_probes() -> Outcome {
    use anther::{Blocked, Seed, Shape};

    let mut seen = Blocked::with_shape(Shape::bits(11_264).probes(4), Seed::FIXED)?;
    seen.insert("ada@example.org");
    assert!(seen.contains("ada@example.org"));
    Ok(())
}

#[rustfmt::skip]
#[test]
fn compressed_with_probes() -> Outcome {
    use anther::{Compressed, Seed, Shape};

    let mut seen = Compressed::with_shape(Shape::bits(10_524).probes(4), Seed::FIXED)?;
    seen.insert("ada@example.org");
    assert!(seen.contains("ada@example.org"));
    Ok(())
}
