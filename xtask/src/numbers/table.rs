//! Which words of which page have which numbers.

use super::phrases::Phrase;
use super::phrases::Value::{Cell, Day, Ratio, Times};

/// The phrases, page by page.
pub const PHRASES: &[Phrase] = &[
    Phrase {
        page: "README.md",
        words: "one thread, Cargo's default flags, {}, on a shared virtual machine",
        values: &[Day],
    },
    Phrase {
        page: "README.md",
        words: "| one random cache line (the limit) | {} | {} | |",
        values: &[
            Cell(
                "race | section=table | keys=u64 | items=100000000 | rate=0.01 | work=hit | way=batch | threads=1 | contender=line limit | ns_per_key",
            ),
            Cell(
                "race | section=table | keys=u64 | items=100000000 | rate=0.01 | work=miss | way=batch | threads=1 | contender=line limit | ns_per_key",
            ),
        ],
    },
    Phrase {
        page: "README.md",
        words: "| anther `split`, batch | {} | {} | {} |",
        values: &[
            Cell(
                "race | section=table | keys=u64 | items=100000000 | rate=0.01 | work=hit | way=batch | threads=1 | contender=anther split | ns_per_key",
            ),
            Cell(
                "race | section=table | keys=u64 | items=100000000 | rate=0.01 | work=miss | way=batch | threads=1 | contender=anther split | ns_per_key",
            ),
            Cell(
                "race | section=table | keys=u64 | items=100000000 | rate=0.01 | work=hit | way=batch | threads=1 | contender=anther split | bits_per_key",
            ),
        ],
    },
    Phrase {
        page: "README.md",
        words: "| anther `blocked`, batch | {} | {} | {} |",
        values: &[
            Cell(
                "race | section=table | keys=u64 | items=100000000 | rate=0.01 | work=hit | way=batch | threads=1 | contender=anther blocked | ns_per_key",
            ),
            Cell(
                "race | section=table | keys=u64 | items=100000000 | rate=0.01 | work=miss | way=batch | threads=1 | contender=anther blocked | ns_per_key",
            ),
            Cell(
                "race | section=table | keys=u64 | items=100000000 | rate=0.01 | work=hit | way=batch | threads=1 | contender=anther blocked | bits_per_key",
            ),
        ],
    },
    Phrase {
        page: "README.md",
        words: "| anther `cuckoo`, batch | {} | {} | {} |",
        values: &[
            Cell(
                "race | section=table | keys=u64 | items=100000000 | rate=0.01 | work=hit | way=batch | threads=1 | contender=anther cuckoo | ns_per_key",
            ),
            Cell(
                "race | section=table | keys=u64 | items=100000000 | rate=0.01 | work=miss | way=batch | threads=1 | contender=anther cuckoo | ns_per_key",
            ),
            Cell(
                "race | section=table | keys=u64 | items=100000000 | rate=0.01 | work=hit | way=batch | threads=1 | contender=anther cuckoo | bits_per_key",
            ),
        ],
    },
    Phrase {
        page: "README.md",
        words: "| anther `fuse`, 0.39 %, batch | {} | {} | {} |",
        values: &[
            Cell(
                "race | section=table | keys=u64 | items=100000000 | rate=0.01 | work=hit | way=batch | threads=1 | contender=anther fuse | ns_per_key",
            ),
            Cell(
                "race | section=table | keys=u64 | items=100000000 | rate=0.01 | work=miss | way=batch | threads=1 | contender=anther fuse | ns_per_key",
            ),
            Cell(
                "race | section=table | keys=u64 | items=100000000 | rate=0.01 | work=hit | way=batch | threads=1 | contender=anther fuse | bits_per_key",
            ),
        ],
    },
    Phrase {
        page: "README.md",
        words: "| anther `split`, one by one | {} | {} | {} |",
        values: &[
            Cell(
                "race | section=table | keys=u64 | items=100000000 | rate=0.01 | work=hit | way=single | threads=1 | contender=anther split | ns_per_key",
            ),
            Cell(
                "race | section=table | keys=u64 | items=100000000 | rate=0.01 | work=miss | way=single | threads=1 | contender=anther split | ns_per_key",
            ),
            Cell(
                "race | section=table | keys=u64 | items=100000000 | rate=0.01 | work=hit | way=single | threads=1 | contender=anther split | bits_per_key",
            ),
        ],
    },
    Phrase {
        page: "README.md",
        words: "| sbbf-rs | {} | {} | {} |",
        values: &[
            Cell(
                "race | section=table | keys=u64 | items=100000000 | rate=0.01 | work=hit | way=single | threads=1 | contender=sbbf-rs | ns_per_key",
            ),
            Cell(
                "race | section=table | keys=u64 | items=100000000 | rate=0.01 | work=miss | way=single | threads=1 | contender=sbbf-rs | ns_per_key",
            ),
            Cell(
                "race | section=table | keys=u64 | items=100000000 | rate=0.01 | work=hit | way=single | threads=1 | contender=sbbf-rs | bits_per_key",
            ),
        ],
    },
    Phrase {
        page: "README.md",
        words: "| anther `blocked`, one by one | {} | {} | {} |",
        values: &[
            Cell(
                "race | section=table | keys=u64 | items=100000000 | rate=0.01 | work=hit | way=single | threads=1 | contender=anther blocked | ns_per_key",
            ),
            Cell(
                "race | section=table | keys=u64 | items=100000000 | rate=0.01 | work=miss | way=single | threads=1 | contender=anther blocked | ns_per_key",
            ),
            Cell(
                "race | section=table | keys=u64 | items=100000000 | rate=0.01 | work=hit | way=single | threads=1 | contender=anther blocked | bits_per_key",
            ),
        ],
    },
    Phrase {
        page: "README.md",
        words: "| xorf BinaryFuse8, 0.39 % | {} | {} | {} |",
        values: &[
            Cell(
                "race | section=table | keys=u64 | items=100000000 | rate=0.01 | work=hit | way=single | threads=1 | contender=xorf BinaryFuse8 | ns_per_key",
            ),
            Cell(
                "race | section=table | keys=u64 | items=100000000 | rate=0.01 | work=miss | way=single | threads=1 | contender=xorf BinaryFuse8 | ns_per_key",
            ),
            Cell(
                "race | section=table | keys=u64 | items=100000000 | rate=0.01 | work=hit | way=single | threads=1 | contender=xorf BinaryFuse8 | bits_per_key",
            ),
        ],
    },
    Phrase {
        page: "README.md",
        words: "| hashbrown HashSet | {} | {} | {} |",
        values: &[
            Cell(
                "race | section=table | keys=u64 | items=100000000 | rate=0.01 | work=hit | way=single | threads=1 | contender=hashbrown HashSet | ns_per_key",
            ),
            Cell(
                "race | section=table | keys=u64 | items=100000000 | rate=0.01 | work=miss | way=single | threads=1 | contender=hashbrown HashSet | ns_per_key",
            ),
            Cell(
                "race | section=table | keys=u64 | items=100000000 | rate=0.01 | work=hit | way=single | threads=1 | contender=hashbrown HashSet | bits_per_key",
            ),
        ],
    },
    Phrase {
        page: "README.md",
        words: "| anther `fuse`, 0.39 %, one by one | {} | {} | {} |",
        values: &[
            Cell(
                "race | section=table | keys=u64 | items=100000000 | rate=0.01 | work=hit | way=single | threads=1 | contender=anther fuse | ns_per_key",
            ),
            Cell(
                "race | section=table | keys=u64 | items=100000000 | rate=0.01 | work=miss | way=single | threads=1 | contender=anther fuse | ns_per_key",
            ),
            Cell(
                "race | section=table | keys=u64 | items=100000000 | rate=0.01 | work=hit | way=single | threads=1 | contender=anther fuse | bits_per_key",
            ),
        ],
    },
    Phrase {
        page: "README.md",
        words: "| anther `cuckoo`, one by one | {} | {} | {} |",
        values: &[
            Cell(
                "race | section=table | keys=u64 | items=100000000 | rate=0.01 | work=hit | way=single | threads=1 | contender=anther cuckoo | ns_per_key",
            ),
            Cell(
                "race | section=table | keys=u64 | items=100000000 | rate=0.01 | work=miss | way=single | threads=1 | contender=anther cuckoo | ns_per_key",
            ),
            Cell(
                "race | section=table | keys=u64 | items=100000000 | rate=0.01 | work=hit | way=single | threads=1 | contender=anther cuckoo | bits_per_key",
            ),
        ],
    },
    Phrase {
        page: "README.md",
        words: "| fastbloom (foldhash) | {} | {} | {} |",
        values: &[
            Cell(
                "race | section=table | keys=u64 | items=100000000 | rate=0.01 | work=hit | way=single | threads=1 | contender=fastbloom (foldhash) | ns_per_key",
            ),
            Cell(
                "race | section=table | keys=u64 | items=100000000 | rate=0.01 | work=miss | way=single | threads=1 | contender=fastbloom (foldhash) | ns_per_key",
            ),
            Cell(
                "race | section=table | keys=u64 | items=100000000 | rate=0.01 | work=hit | way=single | threads=1 | contender=fastbloom (foldhash) | bits_per_key",
            ),
        ],
    },
    Phrase {
        page: "README.md",
        words: "ours win {} of the {} cells that the benchmark stars: {} of {} in batch lookups, {} of {} in batch inserts, {} of {} in single lookups and {} of {} in single inserts. sbbf-rs wins the other {}.",
        values: &[
            Cell("bench/records/latest.md#Stars: | who=all of anther | stars"),
            Cell("bench/records/latest.md#Stars: | who=all | stars"),
            Cell("bench/records/latest.md#Stars: | who=all of anther | batch lookups"),
            Cell("bench/records/latest.md#Stars: | who=all | batch lookups"),
            Cell("bench/records/latest.md#Stars: | who=all of anther | batch inserts"),
            Cell("bench/records/latest.md#Stars: | who=all | batch inserts"),
            Cell("bench/records/latest.md#Stars: | who=all of anther | single lookups"),
            Cell("bench/records/latest.md#Stars: | who=all | single lookups"),
            Cell("bench/records/latest.md#Stars: | who=all of anther | single inserts"),
            Cell("bench/records/latest.md#Stars: | who=all | single inserts"),
            Cell("bench/records/latest.md#Stars: | who=sbbf-rs | stars"),
        ],
    },
    Phrase {
        page: "docs/texts.md",
        words: "bits set, after {} tries each",
        values: &[Cell("attack | attack=lookups that are false positives | tried for each")],
    },
    Phrase {
        page: "docs/texts.md",
        words: "raise the false-positive rate from 1 % to {} %",
        values: &[Times(
            100.0,
            "attack | attack=10,000 inserts that set only new bits: FPR | default seed",
        )],
    },
    Phrase {
        page: "docs/texts.md",
        words: "each deleted key takes {} % of the others with it; after 1,000 deletions {} % of them are lost",
        values: &[
            Times(100.0, "deleting | deleted=1 | lost predicted"),
            Times(100.0, "deleting | deleted=1000 | lost measured"),
        ],
    },
    Phrase {
        page: "docs/texts.md",
        words: "from 1,000 to 10 million keys a hit got {} times slower",
        values: &[Ratio("probes | items=10000000 | hit", "probes | items=1000 | hit")],
    },
    Phrase {
        page: "docs/texts.md",
        words: "with 100,000 keys it took {} ms instead of {} ns",
        values: &[
            Times(1e-06, "chains | items=100000 | structure=chaining, one bucket | time"),
            Cell("chains | items=100000 | structure=chaining | time"),
        ],
    },
    Phrase {
        page: "docs/texts.md",
        words: "The filter takes {} MB",
        values: &[Times(1e-06, "compare-memory | keys=urls | items=100000000 | filter predicted")],
    },
    Phrase {
        page: "docs/texts.md",
        words: "extrapolated from there: {} GB for a hash table, {} GB for a tree",
        values: &[
            Times(1e-09, "compare-memory | keys=urls | items=100000000 | table extrapolated"),
            Times(1e-09, "compare-memory | keys=urls | items=100000000 | tree extrapolated"),
        ],
    },
    Phrase {
        page: "docs/texts.md",
        words: "twice as many keys as planned turn 1 % into {} %, and four times as many into {} %",
        values: &[
            Times(100.0, "undersized | items=20000 | rate measured"),
            Times(100.0, "undersized | items=40000 | rate measured"),
        ],
    },
    Phrase {
        page: "docs/texts.md",
        words: "with eight layers that took {} times as long as with one",
        values: &[Ratio(
            "scalable-queries | items=255000 | miss",
            "scalable-queries | items=1000 | miss",
        )],
    },
    Phrase {
        page: "docs/texts.md",
        words: "it takes {} bits per key instead of {} at 0.1 %, and {} instead of {} at 0.01 %",
        values: &[
            Cell("cuckoo-classic | made for=0.001 | kind=cuckoo | bits per key"),
            Cell("cuckoo-classic | made for=0.001 | kind=classic | bits per key"),
            Cell("cuckoo-classic | made for=0.0001 | kind=cuckoo | bits per key"),
            Cell("cuckoo-classic | made for=0.0001 | kind=classic | bits per key"),
        ],
    },
    Phrase {
        page: "docs/texts.md",
        words: "lookups of present keys took {} times as long, those of absent keys {} times, and inserts {} times",
        values: &[
            Ratio(
                "cuckoo-classic | made for=0.01 | kind=cuckoo | hit",
                "cuckoo-classic | made for=0.01 | kind=classic | hit",
            ),
            Ratio(
                "cuckoo-classic | made for=0.01 | kind=cuckoo | miss",
                "cuckoo-classic | made for=0.01 | kind=classic | miss",
            ),
            Ratio(
                "cuckoo-classic | made for=0.01 | kind=cuckoo | insert",
                "cuckoo-classic | made for=0.01 | kind=classic | insert",
            ),
        ],
    },
    Phrase {
        page: "docs/texts.md",
        words: "With 16 bits per document a proxy sends {} queries per request to its peers instead of {}",
        values: &[
            Cell("proxies | peers asked=by 16 bits per document | asked per request"),
            Cell("proxies | peers asked=all | asked per request"),
        ],
    },
    Phrase {
        page: "docs/texts.md",
        words: "finding a present row in three tables takes {} reads on average. An absent row, of which the example does not speak, takes {} reads",
        values: &[
            Cell("sstables | tables=3 | row=present | filters=true | reads per query"),
            Cell("sstables | tables=3 | row=absent | filters=true | reads per query"),
        ],
    },
    Phrase {
        page: "docs/texts.md",
        words: "at 0.01 % a cuckoo filter takes {} times the bound, a fuse filter {} times, and a ribbon filter {} times",
        values: &[
            Cell("lower-bound | kind=cuckoo | rate asked=0.0001 | times the bound"),
            Cell("lower-bound | kind=fuse | rate asked=0.0001 | times the bound"),
            Cell("lower-bound | kind=ribbon | rate asked=0.0001 | times the bound"),
        ],
    },
    Phrase {
        page: "docs/texts.md",
        words: "With 16, the false-positive rate is {} times as high as with 7",
        values: &[Ratio(
            "hashes | functions=16 | rate measured",
            "hashes | functions=7 | rate measured",
        )],
    },
    Phrase {
        page: "docs/texts.md",
        words: "for 500 keys at 24 bits per key plain double hashing has {} times the predicted rate",
        values: &[Cell("double-hashing | n, m/n, k=500, 24, 17 | way=double | times predicted")],
    },
    Phrase {
        page: "docs/texts.md",
        words: "It needs {} bits per key for 1 % instead of {}, and {} instead of {} for 0.01 %",
        values: &[
            Cell("layouts | layout=8 lanes of 32, split | rate=0.01 | bits predicted"),
            Cell("layouts | layout=classic, best k | rate=0.01 | bits predicted"),
            Cell("layouts | layout=8 lanes of 32, split | rate=0.0001 | bits predicted"),
            Cell("layouts | layout=classic, best k | rate=0.0001 | bits predicted"),
        ],
    },
    Phrase {
        page: "docs/texts.md",
        words: "512 undivided bits with nine probes take {} bits per key, eight lanes of 32 bits {}, and a classic filter {}",
        values: &[
            Cell("layouts | layout=512 unsplit, k=9 | rate=0.001 | bits predicted"),
            Cell("layouts | layout=8 lanes of 32, split | rate=0.001 | bits predicted"),
            Cell("layouts | layout=classic, best k | rate=0.001 | bits predicted"),
        ],
    },
    Phrase {
        page: "docs/texts.md",
        words: "that lowers the false-positive rate to 1/{} of the counting filter's",
        values: &[Cell("variable-increment | filter=D4, 6 bits | bits per key=40 | times less")],
    },
    Phrase {
        page: "docs/texts.md",
        words: "the plain minimum of the counters is wrong for {} % of the keys",
        values: &[Times(100.0, "spectral | load nk/m=0.7 | method=MS, minimum | wrong")],
    },
    Phrase {
        page: "docs/texts.md",
        words: "it promises {} %, and {} % could be removed",
        values: &[
            Times(100.0, "deletable | n=10000 | bits per key=10 | regions=10000 | paper's form"),
            Times(100.0, "deletable | n=10000 | bits per key=10 | regions=10000 | measured"),
        ],
    },
    Phrase {
        page: "docs/texts.md",
        words: "After 29 further keys {} % of the keys are gone",
        values: &[Times(
            100.0,
            "generalized | what=forgotten after so many others | keys=29 | measured",
        )],
    },
    Phrase {
        page: "docs/texts.md",
        words: "Sent in the same {} bits per key",
        values: &[Cell("compressed | m/n=92.0 | sent")],
    },
    Phrase {
        page: "docs/texts.md",
        words: "With a sound hash the rate is {} % and {} %",
        values: &[
            Times(100.0, "robust | keys=100000 | sound hash"),
            Times(100.0, "robust | keys=1000000 | sound hash"),
        ],
    },
    Phrase {
        page: "docs/texts.md",
        words: "Ours reaches {} %, close to the limit of 98 %",
        values: &[Times(100.0, "cuckoo | what=load, 4 a bucket | measured")],
    },
    Phrase {
        page: "docs/texts.md",
        words: "a fuse filter of a million keys takes {} bits, with four slots per key {}, and a ribbon filter {}",
        values: &[
            Cell("fuse-ribbon | kind=fuse 3 | keys=1000000 | bits"),
            Cell("fuse-ribbon | kind=fuse 4 | keys=1000000 | bits"),
            Cell("fuse-ribbon | kind=ribbon | keys=1000000 | bits"),
        ],
    },
    Phrase {
        page: "docs/texts.md",
        words: "two ribbons take {}, and a cascade of Bloom filters {}",
        values: &[
            Cell("cascade | structure=cascade: two ribbons | members=14300 | bits per member"),
            Cell(
                "cascade | structure=many levels of Bloom filters | members=14300 | bits per member",
            ),
        ],
    },
    Phrase {
        page: "docs/texts.md",
        words: "1,000 keys with three hash functions come out of {} % of the tables at 1.2 cells per key",
        values: &[Times(100.0, "iblt | k=3 | difference=1000 | cells each=1.2 | decoded")],
    },
    Phrase {
        page: "docs/texts.md",
        words: "For 3,000 keys that took {} symbols per key, and for 10 keys {}",
        values: &[
            Cell("rateless | difference=3000 | mean"),
            Cell("rateless | difference=10 | mean"),
        ],
    },
    Phrase {
        page: "docs/texts.md",
        words: "a Bloom filter of prefixes is wrong about {} % of the ranges of 32, and about {} % of those of 1,024",
        values: &[
            Times(100.0, "range | span=32 | queries=next to a key | prefixes"),
            Times(100.0, "range | span=1024 | queries=next to a key | prefixes"),
        ],
    },
];
