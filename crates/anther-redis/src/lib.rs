//! Bloom filters and their relatives as a module for Redis and Valkey.
//!
//! The command language is that of RedisBloom: the README lists what is added. This file is the
//! table of commands; each is a function in `commands` that parses, calls an object, and replies.

mod arguments;
mod commands;
mod config;
mod errors;
mod object;
mod reply;
#[expect(unsafe_code, reason = "the server's API is C; every block says why it holds")]
mod server;

use commands::{bloom, counting, cuckoo, dump, import, info, insert, merge};
use server::{Command, Module};
use std::ffi::CStr;

/// Bloom filters: the commands of RedisBloom, then ours.
const BLOOM: &[Command] = &[
    Command::write(c"bf.reserve", bloom::reserve).docs(
        "key error_rate:double capacity:integer [EXPANSION expansion:integer] [NONSCALING] \
         [COUNTING|WINDOW items:integer|TTL seconds:double] [HASHKEY digits]",
        c"Creates a new Bloom filter",
        c"O(1)",
        c"1.0.0",
    ),
    Command::write(c"bf.add", insert::add).docs(
        "key item",
        c"Adds an item to a Bloom filter",
        c"O(k), where k is the number of hash functions of the last sub-filter",
        c"1.0.0",
    ),
    Command::write(c"bf.madd", insert::madd).docs(
        "key item...",
        c"Adds one or more items to a Bloom filter, which is created if it does not exist",
        c"O(k * n), where k is the number of hash functions and n the number of items",
        c"1.0.0",
    ),
    Command::write(c"bf.insert", insert::insert)
        .docs(
            "key [CAPACITY capacity:integer] [ERROR error:double] [EXPANSION expansion:integer] \
             [NOCREATE] [NONSCALING] [COUNTING|WINDOW items:integer|TTL seconds:double] \
             [HASHKEY digits] ITEMS item...",
            c"Adds one or more items to a Bloom filter, which is created if it does not exist",
            c"O(k * n), where k is the number of hash functions and n the number of items",
            c"1.0.0",
        )
        .in_valkey(
            "key [CAPACITY capacity:integer] [ERROR error:double] [EXPANSION expansion:integer] \
             [SEED seed] [TIGHTENING tightening:double] [VALIDATESCALETO validatescaleto:integer] \
             [NOCREATE] [NONSCALING] [COUNTING|WINDOW items:integer|TTL seconds:double] \
             [HASHKEY digits] [ITEMS item...]",
        ),
    Command::read(c"bf.exists", bloom::exists).docs(
        "key item",
        c"Checks whether an item exists in a Bloom filter",
        c"O(k), where k is the number of hash functions of the last sub-filter",
        c"1.0.0",
    ),
    Command::read(c"bf.mexists", bloom::mexists).docs(
        "key item...",
        c"Checks whether one or more items exist in a Bloom filter",
        c"O(k * n), where k is the number of hash functions and n the number of items",
        c"1.0.0",
    ),
    Command::read(c"bf.card", bloom::card).docs(
        "key",
        c"Returns the cardinality of a Bloom filter: how many items were new when they were added",
        c"O(1)",
        c"2.4.4",
    ),
    Command::read(c"bf.info", info::bloom).docs(
        "key [CAPACITY|SIZE|FILTERS|ITEMS|EXPANSION|ERROR|TARGET|KIND|ALL]",
        c"Returns information about a Bloom filter",
        c"O(1); ERROR and ALL O(n), where n is the size",
        c"1.0.0",
    ),
    Command::read(c"bf.debug", info::bloom_debug).flags("readonly").docs(
        "key",
        c"Returns internal numbers of a Bloom filter",
        c"O(n), where n is the size",
        c"1.0.0",
    ),
    Command::read(c"bf.scandump", dump::bloom_scan).flags("readonly").docs(
        "key iterator:integer",
        c"Begins an incremental save of a Bloom filter",
        c"O(n), where n is the capacity",
        c"1.0.0",
    ),
    Command::write(c"bf.loadchunk", dump::bloom_load).flags("write deny-oom").docs(
        "key iterator:integer data",
        c"Restores a Bloom filter that was saved with BF.SCANDUMP",
        c"O(n), where n is the capacity",
        c"1.0.0",
    ),
    Command::remove(c"bf.rem", counting::rem).docs(
        "key item",
        c"Removes an item from a Bloom filter made with COUNTING",
        c"O(k), where k is the number of sub-filters",
        OURS,
    ),
    Command::read(c"bf.count", counting::count).docs(
        "key item",
        c"Returns how often an item was added to a Bloom filter made with COUNTING",
        c"O(k), where k is the number of sub-filters",
        OURS,
    ),
    Command::write(c"bf.age", insert::begin_generations).flags("write").docs(
        "key generations:integer",
        c"Begins new generations of a Bloom filter made with WINDOW or TTL",
        c"O(n), where n is the size",
        OURS,
    ),
    Command::write(c"bf.merge", merge::merge).flags("write deny-oom").docs(
        "destination:key source:key...",
        c"Adds the items of Bloom filters of the same shape and hash key to another",
        c"O(n * m), where n is the size and m the number of sources",
        OURS,
    ),
    Command::write(c"bf.import", import::import).flags("write deny-oom").docs(
        "key [HASHKEY digits] file",
        c"Creates a filter from the bytes of an anther file",
        c"O(n), where n is the size",
        OURS,
    ),
    Command::read(c"bf.export", import::export).flags("readonly").docs(
        "key",
        c"Returns a filter as the bytes of an anther file",
        c"O(n), where n is the size",
        OURS,
    ),
    Command::read(c"bf.get", import::get).docs(
        "key item",
        c"Returns the value of an item in an imported bloomier filter",
        c"O(1)",
        OURS,
    ),
    Command::read(c"bf.between", import::between).docs(
        "key first last",
        c"Checks whether an imported range filter has any item between two others",
        c"O(log n), where n is the number of items",
        OURS,
    ),
];

/// What hands out secrets.
const KEYS: &[Command] = &[Command::read(c"bf.key", import::key).flags("readonly admin").docs(
    "key",
    c"Returns the hash key of a Bloom filter as 32 hexadecimal digits",
    c"O(1)",
    OURS,
)];

/// Cuckoo filters: the commands of RedisBloom.
const CUCKOO: &[Command] = &[
    Command::write(c"cf.reserve", cuckoo::reserve).docs(
        "key capacity:integer [BUCKETSIZE bucketsize:integer] [MAXITERATIONS maxiterations:integer] \
         [EXPANSION expansion:integer] [ERROR error:double] [HASHKEY digits]",
        c"Creates a new cuckoo filter",
        c"O(1)",
        c"1.0.0",
    ),
    Command::write(c"cf.add", cuckoo::add).docs(
        "key item",
        c"Adds an item to a cuckoo filter",
        c"O(k + i), where k is the number of sub-filters and i is MAXITERATIONS",
        c"1.0.0",
    ),
    Command::write(c"cf.addnx", cuckoo::addnx).docs(
        "key item",
        c"Adds an item to a cuckoo filter if the item did not exist",
        c"O(k + i), where k is the number of sub-filters and i is MAXITERATIONS",
        c"1.0.0",
    ),
    Command::write(c"cf.insert", cuckoo::insert).docs(
        "key [CAPACITY capacity:integer] [NOCREATE] ITEMS item...",
        c"Adds one or more items to a cuckoo filter, which is created if it does not exist",
        c"O(n * (k + i)), where n is the number of items, k of sub-filters and i is MAXITERATIONS",
        c"1.0.0",
    ),
    Command::write(c"cf.insertnx", cuckoo::insertnx).docs(
        "key [CAPACITY capacity:integer] [NOCREATE] ITEMS item...",
        c"Adds items that did not exist to a cuckoo filter, which is created if it does not exist",
        c"O(n * (k + i)), where n is the number of items, k of sub-filters and i is MAXITERATIONS",
        c"1.0.0",
    ),
    Command::read(c"cf.exists", cuckoo::exists).docs(
        "key item",
        c"Checks whether an item exists in a cuckoo filter",
        c"O(k), where k is the number of sub-filters",
        c"1.0.0",
    ),
    Command::read(c"cf.mexists", cuckoo::mexists).docs(
        "key item...",
        c"Checks whether one or more items exist in a cuckoo filter",
        c"O(k * n), where k is the number of sub-filters and n the number of items",
        c"1.0.0",
    ),
    Command::read(c"cf.count", cuckoo::count).docs(
        "key item",
        c"Returns how often an item may be in a cuckoo filter",
        c"O(k), where k is the number of sub-filters",
        c"1.0.0",
    ),
    Command::remove(c"cf.del", cuckoo::del).docs(
        "key item",
        c"Deletes an item from a cuckoo filter",
        c"O(k), where k is the number of sub-filters",
        c"1.0.0",
    ),
    Command::write(c"cf.compact", cuckoo::compact).flags("write").docs(
        "key",
        c"Compacts a cuckoo filter: moves items to earlier sub-filters, and drops empty ones",
        c"O(n * k), where n is the number of slots and k of sub-filters",
        c"2.2.0",
    ),
    Command::read(c"cf.info", info::cuckoo).docs(
        "key",
        c"Returns information about a cuckoo filter",
        c"O(1)",
        c"1.0.0",
    ),
    Command::read(c"cf.debug", info::cuckoo_debug).docs(
        "key",
        c"Returns internal numbers of a cuckoo filter",
        c"O(1)",
        c"1.0.0",
    ),
    Command::read(c"cf.scandump", dump::cuckoo_scan).flags("readonly").docs(
        "key iterator:integer",
        c"Begins an incremental save of a cuckoo filter",
        c"O(n), where n is the capacity",
        c"1.0.0",
    ),
    Command::write(c"cf.loadchunk", dump::cuckoo_load).flags("write deny-oom").docs(
        "key iterator:integer data",
        c"Restores a cuckoo filter that was saved with CF.SCANDUMP",
        c"O(n), where n is the capacity",
        c"1.0.0",
    ),
];

/// The release since which a command of ours is there.
const OURS: &CStr = c"0.1.0";

static MODULE: Module = Module {
    // RedisBloom's name, which clients look for, and the prefix of the settings.
    name: c"bf",
    version: 100,
    groups: &[(c"bloom", BLOOM), (c"cuckoo", CUCKOO), (c"bloomkey", KEYS)],
    settings: &config::SETTINGS,
    is_valkey: config::is_valkey,
    arguments: config::load_arguments,
};
