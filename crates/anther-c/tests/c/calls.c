/* Every function once, with what it must refuse. Run under ASan and valgrind, too.
 *
 *     calls FOLDER
 *
 * FOLDER has domains.anther, keyed.anther (secret key: 16 bytes of 7), external.anther,
 * map.anther (bloomier: "a" is 41, "b" is 42), corrupt.anther and networks.anther, a list of
 * 203.0.113.0/24 and 198.51.100.7. */
#include <anther.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static anther_error error;

#define CHECK(what)                                                                           \
    do {                                                                                      \
        if (!(what)) {                                                                        \
            fprintf(stderr, "%s:%d: %s (last error: %s)\n", __FILE__, __LINE__, #what, error.text); \
            exit(1);                                                                          \
        }                                                                                     \
    } while (0)

/* The call fails with this code, and the error has it, too. */
#define FAILS(status, call)            \
    do {                               \
        memset(&error, 0, sizeof error); \
        CHECK((call) == (status));     \
        CHECK(error.code == (status)); \
        CHECK(error.text[0] != '\0');  \
    } while (0)

static const uint8_t *bytes(const char *text) { return (const uint8_t *)text; }

static const char *in(const char *folder, const char *name) {
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static anther_filter *make(const char *kind, uint64_t items, const char *options) {
    anther_filter *filter = NULL;
    CHECK(anther_new(kind, items, 0.01, NULL, options, &filter, &error) == 0);
    return filter;
}

/* On failure every answer is "maybe". */
#define ALL_MAYBE(status, call, found, count)                                     \
    do {                                                                          \
        memset(found, 0, count);                                                  \
        FAILS(status, call);                                                      \
        for (size_t answer = 0; answer < (count); answer++) CHECK((found)[answer] == 1); \
    } while (0)

static void making(void) {
    anther_filter *filter = (anther_filter *)&error;
    anther_filter *before = filter;
    FAILS(ANTHER_ARGUMENT, anther_new(NULL, 10, 0.01, NULL, NULL, &filter, &error));
    FAILS(ANTHER_ARGUMENT, anther_new("block", 10, 0.01, NULL, NULL, &filter, &error));
    FAILS(ANTHER_ARGUMENT, anther_new("blocked", 10, 0.01, NULL, NULL, NULL, &error));
    FAILS(ANTHER_ARGUMENT, anther_new("blocked", 10, 0.01, NULL, "x=1", &filter, &error));
    FAILS(ANTHER_ARGUMENT, anther_new("\xff", 10, 0.01, NULL, NULL, &filter, &error));
    FAILS(ANTHER_SIZE, anther_new("blocked", 0, 0.01, NULL, NULL, &filter, &error));
    FAILS(ANTHER_SIZE, anther_new("blocked", 10, NAN, NULL, NULL, &filter, &error));
    FAILS(ANTHER_SIZE, anther_new("blocked", 10, 0.01, NULL, "counter-bits=8", &filter, &error));
    FAILS(ANTHER_UNSUPPORTED, anther_new("ribbon", 10, 0.01, NULL, NULL, &filter, &error));
    FAILS(ANTHER_MEMORY, anther_new("blocked", (uint64_t)1 << 42, 0.01, NULL, NULL, &filter, &error));
    CHECK(filter == before); /* nothing was written */
    CHECK(anther_new("blocked", 0, 0.01, NULL, NULL, &filter, NULL) == ANTHER_SIZE);
    anther_close(NULL);

    size_t kinds = 0;
    while (anther_kind_name(kinds)) kinds++;
    CHECK(kinds > 10 && strcmp(anther_kind_name(1), "blocked") == 0);
    CHECK(anther_abi_version() == ANTHER_ABI_VERSION);
    CHECK(anther_version()[0] == '0');

    anther_plan plan = {.size = sizeof plan};
    CHECK(anther_plan_size("ribbon", 1000000, 0.01, NULL, &plan, &error) == 0);
    CHECK(plan.bits > 6640000 && plan.bits < 6800000 && plan.fpr <= 0.01);
    /* A caller of a newer header knows more fields: they are 0. */
    struct {
        anther_plan plan;
        uint64_t newer, untouched;
    } newer = {.newer = 99, .untouched = 99};
    newer.plan.size = offsetof(__typeof__(newer), untouched);
    CHECK(anther_plan_size("ribbon", 1000000, 0.01, NULL, &newer.plan, &error) == 0);
    CHECK(newer.plan.bits == plan.bits && newer.newer == 0 && newer.untouched == 99);
    plan.size = sizeof(size_t);
    FAILS(ANTHER_ARGUMENT, anther_plan_size("ribbon", 1000000, 0.01, NULL, &plan, &error));
    plan.size = 0;
    FAILS(ANTHER_ARGUMENT, anther_plan_size("ribbon", 1000000, 0.01, NULL, &plan, &error));
    FAILS(ANTHER_ARGUMENT, anther_plan_size("ribbon", 1000000, 0.01, NULL, NULL, &error));
}

static void keys(void) {
    anther_filter *filter = make("cuckoo", 100, NULL);
    CHECK(anther_insert(filter, bytes("ada"), 3, &error) == 1);
    CHECK(anther_insert_u64(filter, 5, &error) == 1);
    CHECK(anther_contains(filter, bytes("ada"), 3, &error) == 1);
    CHECK(anther_contains_u64(filter, 5, &error) == 1);
    CHECK(anther_contains(filter, bytes("5"), 1, &error) == 0);
    CHECK(anther_insert(filter, NULL, 0, &error) == 1); /* the empty key */
    CHECK(anther_contains(filter, bytes("x"), 0, &error) == 1);
    uint64_t hash = 0, count = 7;
    CHECK(anther_hash(filter, bytes("ada"), 3, &hash, &error) == 0);
    CHECK(anther_contains_hash(filter, hash, &error) == 1);
    CHECK(anther_hash_u64(filter, 6, &hash, &error) == 0);
    CHECK(anther_insert_hash(filter, hash, &error) == 1);
    CHECK(anther_contains_u64(filter, 6, &error) == 1);
    CHECK(anther_remove_hash(filter, hash, &error) == 1);
    CHECK(anther_count(filter, bytes("ada"), 3, &count, &error) == 0 && count == 1);
    CHECK(anther_count_u64(filter, 6, &count, &error) == 0 && count == 0);
    CHECK(anther_remove(filter, bytes("ada"), 3, &error) == 1);
    CHECK(anther_remove(filter, bytes("ada"), 3, &error) == 0);
    CHECK(anther_remove_u64(filter, 5, &error) == 1);
    uint64_t value;
    FAILS(ANTHER_UNSUPPORTED, anther_get(filter, bytes("ada"), 3, &value, &error));
    CHECK(strcmp(error.text, "a cuckoo filter cannot store values; bloomier can") == 0);

    FAILS(ANTHER_ARGUMENT, anther_contains(NULL, bytes("a"), 1, &error));
    CHECK(strcmp(error.text, "filter is a null pointer") == 0);
    FAILS(ANTHER_ARGUMENT, anther_contains(filter, NULL, 1, &error));
    FAILS(ANTHER_ARGUMENT, anther_contains(filter, bytes("a"), SIZE_MAX, &error));
    FAILS(ANTHER_ARGUMENT, anther_insert(filter, NULL, 1, &error));
    FAILS(ANTHER_ARGUMENT, anther_insert(NULL, bytes("a"), 1, &error));
    FAILS(ANTHER_ARGUMENT, anther_count(filter, bytes("a"), 1, NULL, &error));
    FAILS(ANTHER_ARGUMENT, anther_hash_u64(filter, 1, NULL, &error));

    int code = 0;
    uint64_t full = 0;
    while (code >= 0 && full < 100000) code = anther_insert_u64(filter, full++, &error);
    CHECK(code == ANTHER_FULL && full > 100);
    anther_close(filter);
}

static void many(void) {
    enum { COUNT = 100000 };
    uint64_t *numbers = malloc(2 * COUNT * sizeof *numbers);
    uint8_t *found = malloc(2 * COUNT);
    for (uint64_t at = 0; at < 2 * COUNT; at++) numbers[at] = at * at;
    anther_filter *filter = make("blocked", COUNT, NULL);
    CHECK(anther_insert_many_u64(filter, numbers, COUNT, 0, &error) == 0);
    for (uint32_t threads = 0; threads < 5; threads++) {
        memset(found, 0xee, 2 * COUNT);
        CHECK(anther_contains_many_u64(filter, numbers, 2 * COUNT, found, threads, &error) == 0);
        size_t maybe = 0;
        for (size_t at = 0; at < COUNT; at++) CHECK(found[at] == 1);
        for (size_t at = COUNT; at < 2 * COUNT; at++) {
            CHECK(found[at] == anther_contains_u64(filter, numbers[at], NULL));
            maybe += found[at];
        }
        CHECK(maybe > COUNT / 200 && maybe < COUNT / 50);
    }
    CHECK(anther_contains_many_u64(filter, NULL, 0, NULL, 0, &error) == 0);
    CHECK(anther_insert_many_u64(filter, NULL, 0, 0, &error) == 0);
    ALL_MAYBE(ANTHER_ARGUMENT, anther_contains_many_u64(filter, NULL, 1, found, 0, &error), found, 1);
    ALL_MAYBE(ANTHER_ARGUMENT, anther_contains_many_u64(NULL, numbers, 9, found, 0, &error), found, 9);
    ALL_MAYBE(ANTHER_ARGUMENT, anther_contains_many_hash(NULL, numbers, 9, found, 0, &error), found, 9);
    ALL_MAYBE(ANTHER_ARGUMENT, anther_shared_contains_many_u64(NULL, numbers, 9, found, 0, &error), found, 9);
    FAILS(ANTHER_ARGUMENT, anther_contains_many_u64(filter, numbers, 1, NULL, 0, &error));
    FAILS(ANTHER_ARGUMENT, anther_contains_many_u64(filter, numbers, SIZE_MAX / 4, found, 0, &error));
    const uint64_t *odd = (const uint64_t *)(const void *)((const char *)numbers + 1);
    FAILS(ANTHER_ARGUMENT, anther_contains_many_u64(filter, odd, 1, found, 0, &error));
    CHECK(strcmp(error.text, "keys is not at a multiple of 8 bytes") == 0);

    anther_bytes texts[] = {{bytes("ada"), 3}, {NULL, 0}, {bytes("grace"), 5}};
    uint8_t three[3];
    anther_filter *words = make("blocked", 10, NULL);
    CHECK(anther_insert_many(words, texts, 2, 1, &error) == 0);
    CHECK(anther_contains_many(words, texts, 3, three, 1, &error) == 0);
    CHECK(three[0] == 1 && three[1] == 1 && three[2] == 0);
    texts[2].data = NULL;
    ALL_MAYBE(ANTHER_ARGUMENT, anther_contains_many(words, texts, 3, three, 1, &error), three, 3);
    CHECK(strcmp(error.text, "key 2: its data is a null pointer") == 0);
    uint64_t hashes[2];
    CHECK(anther_hash(words, bytes("ada"), 3, &hashes[0], &error) == 0);
    CHECK(anther_hash(words, bytes("grace"), 5, &hashes[1], &error) == 0);
    CHECK(anther_contains_many_hash(words, hashes, 2, three, 1, &error) == 0);
    CHECK(three[0] == 1 && three[1] == 0);
    CHECK(anther_insert_many_hash(words, hashes, 2, 1, &error) == 0);
    CHECK(anther_contains(words, bytes("grace"), 5, &error) == 1);

    /* A static filter of the same keys, on one thread and on four: the same bytes. */
    anther_filter *one = NULL, *four = NULL;
    CHECK(anther_build_u64("ribbon", numbers, COUNT, 0.001, NULL, NULL, 1, &one, &error) == 0);
    CHECK(anther_build_u64("ribbon", numbers, COUNT, 0.001, NULL, NULL, 4, &four, &error) == 0);
    CHECK(anther_contains_many_u64(one, numbers, COUNT, found, 2, &error) == 0);
    for (size_t at = 0; at < COUNT; at++) CHECK(found[at] == 1);
    FAILS(ANTHER_UNSUPPORTED, anther_insert_u64(one, 1, &error));
    anther_buffer a = {NULL, 0}, b = {NULL, 0};
    CHECK(anther_to_bytes(one, &a, &error) == 0 && anther_to_bytes(four, &b, &error) == 0);
    CHECK(a.len == b.len && memcmp(a.data, b.data, a.len) == 0);
    anther_buffer_free(&a);
    anther_buffer_free(&a);
    anther_buffer_free(&b);
    anther_buffer_free(NULL);
    anther_filter *named = NULL;
    CHECK(anther_build("fuse", texts, 2, 0.01, NULL, NULL, 0, &named, &error) == 0);
    CHECK(anther_contains(named, bytes("ada"), 3, &error) == 1);
    anther_close(named);
    FAILS(ANTHER_UNSUPPORTED, anther_build("bloomier", texts, 2, 0.01, NULL, NULL, 0, &named, &error));
    FAILS(ANTHER_UNSUPPORTED, anther_merge(one, one, &error));
    FAILS(ANTHER_UNSUPPORTED, anther_merge(one, four, &error));
    anther_close(one);
    anther_close(four);
    anther_close(words);
    anther_close(filter);
    free(numbers);
    free(found);
}

static void merging(void) {
    anther_filter *left = make("blocked", 100, NULL), *right = make("blocked", 100, NULL);
    anther_filter *other = make("blocked", 100, "seed=7"), *kind = make("classic", 100, NULL);
    CHECK(anther_insert(left, bytes("l"), 1, &error) == 1);
    CHECK(anther_insert(right, bytes("r"), 1, &error) == 1);
    FAILS(ANTHER_MISMATCH, anther_merge(left, other, &error));
    FAILS(ANTHER_MISMATCH, anther_merge(left, kind, &error));
    FAILS(ANTHER_ARGUMENT, anther_merge(left, NULL, &error));
    FAILS(ANTHER_ARGUMENT, anther_merge(NULL, left, &error));
    FAILS(ANTHER_ARGUMENT, anther_merge(NULL, NULL, &error));
    CHECK(anther_contains(left, bytes("r"), 1, &error) == 0);
    CHECK(anther_merge(left, right, &error) == 0 && anther_merge(left, left, &error) == 0);
    CHECK(anther_contains(left, bytes("r"), 1, &error) == 1);
    anther_info info = {.size = sizeof info};
    CHECK(anther_filter_info(left, &info, &error) == 0);
    CHECK(strcmp(info.kind, "blocked") == 0 && info.inserted == 2 && info.items == 2);
    CHECK(info.items_target == 100 && info.fpr_target == 0.01 && info.fpr_now < 0.01);
    CHECK(info.can_hash == 1 && info.keyed == 0 && info.has_rule == 0 && info.layers == 1);
    /* A caller of an older header knows fewer fields: no byte after them is written. */
    struct {
        size_t size;
        const char *kind;
        uint64_t items, untouched;
    } older = {.size = offsetof(anther_info, items_error), .untouched = 99};
    CHECK(anther_filter_info(left, (anther_info *)(void *)&older, &error) == 0);
    CHECK(older.items == 2 && older.untouched == 99);
    anther_close(left);
    anther_close(right);
    anther_close(other);
    anther_close(kind);
}

static void files(const char *folder) {
    anther_filter *filter = NULL, *again = NULL;
    FAILS(ANTHER_IO, anther_open(in(folder, "missing.anther"), NULL, 0, &filter, &error));
    CHECK(strstr(error.text, "missing.anther: cannot read: "));
    FAILS(ANTHER_IO, anther_open(in(folder, "missing.anther"), NULL, ANTHER_OPEN_MAP, &filter, &error));
    FAILS(ANTHER_FILE, anther_open(in(folder, "corrupt.anther"), NULL, 0, &filter, &error));
    FAILS(ANTHER_ARGUMENT, anther_open(in(folder, "domains.anther"), NULL, 64, &filter, &error));
    FAILS(ANTHER_ARGUMENT, anther_open(NULL, NULL, 0, &filter, &error));
    FAILS(ANTHER_FILE, anther_from_bytes(bytes("no"), 2, NULL, 0, &filter, &error));
    FAILS(ANTHER_FILE, anther_from_bytes(NULL, 0, NULL, 0, &filter, &error));
    FAILS(ANTHER_ARGUMENT, anther_from_bytes(NULL, 1, NULL, 0, &filter, &error));

    /* The rule of the file: domains. */
    CHECK(anther_open(in(folder, "domains.anther"), NULL, 0, &filter, &error) == 0);
    CHECK(anther_contains(filter, bytes("EXAMPLE.org."), 12, &error) == 1);
    FAILS(ANTHER_KEY, anther_contains(filter, bytes("a b"), 3, &error));
    FAILS(ANTHER_KEY, anther_contains_u64(filter, 42, &error));
    anther_bytes hosts[] = {{bytes("example.org"), 11}, {bytes("a b"), 3}};
    uint8_t found[2] = {0, 0};
    FAILS(ANTHER_KEY, anther_contains_many(filter, hosts, 2, found, 1, &error));
    CHECK(found[0] == 1 && found[1] == 1); /* a failure is no "no" */
    CHECK(strncmp(error.text, "key 1: ", 7) == 0);
    FAILS(ANTHER_KEY, anther_insert_many(filter, hosts, 2, 1, &error));
    CHECK(strncmp(error.text, "key 1: ", 7) == 0);
    CHECK(anther_save(filter, in(folder, "again.anther"), &error) == 0);
    FAILS(ANTHER_IO, anther_save(filter, in(folder, "no/such/folder"), &error));
    CHECK(anther_open(in(folder, "again.anther"), NULL, ANTHER_OPEN_MAP, &again, &error) == 0);
    CHECK(anther_contains(again, bytes("example.org"), 11, &error) == 1);
    CHECK(anther_insert(again, bytes("new.example"), 11, &error) == 1); /* a copy of the map */
    anther_close(again);
    anther_close(filter);

    /* A secret key. */
    uint8_t secret[16];
    memset(secret, 7, sizeof secret);
    FAILS(ANTHER_SECRET, anther_open(in(folder, "keyed.anther"), NULL, 0, &filter, &error));
    CHECK(anther_open(in(folder, "keyed.anther"), secret, 0, &filter, &error) == 0);
    CHECK(anther_contains(filter, bytes("key"), 3, &error) == 1);
    anther_close(filter);
    secret[0] = 8;
    FAILS(ANTHER_SECRET, anther_open(in(folder, "keyed.anther"), secret, 0, &filter, &error));

    /* Without it, hashing would panic in Rust: here it is an error. */
    CHECK(anther_open(in(folder, "keyed.anther"), NULL, ANTHER_OPEN_ANY, &filter, &error) == 0);
    uint64_t hash = 1, key = 1;
    hosts[1] = hosts[0];
    FAILS(ANTHER_SECRET, anther_contains(filter, bytes("key"), 3, &error));
    FAILS(ANTHER_SECRET, anther_contains_u64(filter, 1, &error));
    ALL_MAYBE(ANTHER_SECRET, anther_contains_many(filter, hosts, 2, found, 1, &error), found, 2);
    ALL_MAYBE(ANTHER_SECRET, anther_contains_many_u64(filter, &key, 1, found, 1, &error), found, 1);
    FAILS(ANTHER_SECRET, anther_insert(filter, bytes("key"), 3, &error));
    FAILS(ANTHER_SECRET, anther_insert_u64(filter, 1, &error));
    FAILS(ANTHER_SECRET, anther_insert_many(filter, hosts, 2, 1, &error));
    FAILS(ANTHER_SECRET, anther_insert_many_u64(filter, &key, 1, 1, &error));
    FAILS(ANTHER_SECRET, anther_insert_many_u64(filter, NULL, 0, 1, &error));
    FAILS(ANTHER_SECRET, anther_remove(filter, bytes("key"), 3, &error));
    FAILS(ANTHER_SECRET, anther_remove_u64(filter, 1, &error));
    FAILS(ANTHER_SECRET, anther_count(filter, bytes("key"), 3, &hash, &error));
    FAILS(ANTHER_SECRET, anther_count_u64(filter, 1, &hash, &error));
    FAILS(ANTHER_SECRET, anther_get(filter, bytes("key"), 3, &hash, &error));
    FAILS(ANTHER_SECRET, anther_get_u64(filter, 1, &hash, &error));
    FAILS(ANTHER_SECRET, anther_hash(filter, bytes("key"), 3, &hash, &error));
    FAILS(ANTHER_SECRET, anther_hash_u64(filter, 1, &hash, &error));
    anther_shared *shared = NULL;
    CHECK(anther_share(&filter, &shared, &error) == 0);
    FAILS(ANTHER_SECRET, anther_shared_contains(shared, bytes("key"), 3, &error));
    ALL_MAYBE(ANTHER_SECRET, anther_shared_contains_many_u64(shared, &key, 1, found, 1, &error), found, 1);
    FAILS(ANTHER_SECRET, anther_shared_insert(shared, bytes("key"), 3, &error));
    FAILS(ANTHER_SECRET, anther_shared_insert_many_u64(shared, &key, 1, &error));
    CHECK(anther_shared_close(shared, &error) == 0);

    /* Hashes from elsewhere. */
    FAILS(ANTHER_SECRET, anther_open(in(folder, "external.anther"), NULL, 0, &filter, &error));
    CHECK(anther_open(in(folder, "external.anther"), NULL, ANTHER_OPEN_ANY, &filter, &error) == 0);
    CHECK(anther_contains_hash(filter, 0x123456789abcdef0, &error) == 1);
    FAILS(ANTHER_SECRET, anther_contains(filter, bytes("key"), 3, &error));
    anther_close(filter);

    /* Values. */
    CHECK(anther_open(in(folder, "map.anther"), NULL, 0, &filter, &error) == 0);
    uint64_t value = 0;
    CHECK(anther_get(filter, bytes("a"), 1, &value, &error) == 1 && value == 41);
    CHECK(anther_get(filter, bytes("b"), 1, &value, &error) == 1 && value == 42);
    CHECK(anther_get_u64(filter, 3, &value, &error) == 0 && value == 0);
    anther_close(filter);
}

static void sharing(const char *folder) {
    anther_filter *filter = make("blocked", 1000, NULL), *cuckoo = make("cuckoo", 10, NULL);
    anther_shared *shared = NULL, *view = NULL;
    FAILS(ANTHER_UNSUPPORTED, anther_share(&cuckoo, &shared, &error));
    CHECK(cuckoo && anther_insert_u64(cuckoo, 1, &error) == 1); /* still ours */
    anther_close(cuckoo);
    CHECK(anther_share(&filter, &shared, &error) == 0 && filter == NULL);
    FAILS(ANTHER_ARGUMENT, anther_share(&filter, &shared, &error));
    uint64_t numbers[] = {1, 2, 3, 4};
    anther_bytes words[] = {{bytes("a"), 1}, {bytes("b"), 1}};
    uint8_t found[4];
    CHECK(anther_shared_insert(shared, bytes("x"), 1, &error) == 1);
    CHECK(anther_shared_insert_u64(shared, 9, &error) == 1);
    CHECK(anther_shared_insert_many(shared, words, 2, &error) == 0);
    CHECK(anther_shared_insert_many_u64(shared, numbers, 2, &error) == 0);
    CHECK(anther_shared_contains(shared, bytes("b"), 1, &error) == 1);
    CHECK(anther_shared_contains_u64(shared, 9, &error) == 1);
    CHECK(anther_shared_contains_many(shared, words, 2, found, 1, &error) == 0);
    CHECK(found[0] == 1 && found[1] == 1);
    CHECK(anther_shared_contains_many_u64(shared, numbers, 4, found, 1, &error) == 0);
    CHECK(found[0] == 1 && found[1] == 1 && found[2] == 0 && found[3] == 0);
    CHECK(anther_unshare(&shared, &filter, &error) == 0 && shared == NULL);
    CHECK(anther_contains(filter, bytes("x"), 1, &error) == 1);
    CHECK(anther_save(filter, in(folder, "shared.anther"), &error) == 0);
    anther_close(filter);

    const char *path = in(folder, "shared.anther");
    CHECK(anther_shared_open(path, NULL, ANTHER_SHARED_INSERT, &shared, &error) == 0);
    CHECK(anther_shared_open(path, NULL, 0, &view, &error) == 0);
    FAILS(ANTHER_UNSUPPORTED, anther_shared_insert(view, bytes("y"), 1, &error));
    FAILS(ANTHER_UNSUPPORTED, anther_unshare(&shared, &filter, &error));
    CHECK(anther_shared_contains(view, bytes("y"), 1, &error) == 0);
    CHECK(anther_shared_insert(shared, bytes("y"), 1, &error) == 1);
    CHECK(anther_shared_contains(view, bytes("y"), 1, &error) == 1); /* at once */
    /* Saving over it would lose the key: it is refused until all have closed it. */
    anther_filter *over = make("blocked", 100, NULL);
    FAILS(ANTHER_IO, anther_save(over, path, &error));
    CHECK(strstr(error.text, "shared.anther: is being changed by another process"));
    CHECK(anther_shared_close(view, &error) == 0);
    CHECK(anther_shared_close(shared, &error) == 0);
    CHECK(anther_shared_close(NULL, &error) == 0);
    CHECK(anther_open(path, NULL, 0, &filter, &error) == 0);
    CHECK(anther_contains(filter, bytes("y"), 1, &error) == 1);
    CHECK(anther_save(over, path, &error) == 0 && anther_save(filter, path, &error) == 0);
    anther_close(over);
    anther_close(filter);
}

static anther_bytes text(const char *text) {
    anther_bytes key = {bytes(text), strlen(text)};
    return key;
}

/* A list whose entries stand for many keys. */
static void networks(const char *folder) {
    enum { COUNT = 3000 };
    anther_filter *filter = NULL;
    anther_shared *shared = NULL, *view = NULL;
    CHECK(anther_open(in(folder, "networks.anther"), NULL, 0, &filter, &error) == 0);
    CHECK(anther_contains(filter, bytes("203.0.113.9"), 11, &error) == 1);
    CHECK(anther_contains(filter, bytes("198.51.100.7"), 12, &error) == 1);
    CHECK(anther_contains(filter, bytes("203.0.114.9"), 11, &error) == 0);
    FAILS(ANTHER_KEY, anther_contains(filter, bytes("a"), 1, &error));
    anther_bytes *keys = malloc(COUNT * sizeof *keys);
    uint8_t *found = malloc(COUNT);
    for (int i = 0; i < COUNT; i++) keys[i] = text(i % 3 ? "203.0.114.9" : "203.0.113.9");
    for (uint32_t threads = 1; threads < 4; threads++) {
        CHECK(anther_contains_many(filter, keys, COUNT, found, threads, &error) == 0);
        for (int i = 0; i < COUNT; i++) CHECK(found[i] == (i % 3 == 0));
    }
    keys[COUNT - 1] = text("a");
    FAILS(ANTHER_KEY, anther_contains_many(filter, keys, COUNT, found, 2, &error));
    CHECK(found[1] == 1 && strncmp(error.text, "key 2999: ", 10) == 0);

    /* A network of another length, and a key that is refused, which changes nothing. */
    anther_bytes more[] = {text("10.0.0.0/8"), text("192.0.2.1")};
    anther_bytes refused[] = {text("172.16.0.0/12"), text("a")};
    FAILS(ANTHER_KEY, anther_insert_many(filter, refused, 2, 1, &error));
    CHECK(strncmp(error.text, "key 1: ", 7) == 0);
    CHECK(anther_contains(filter, bytes("172.16.0.1"), 10, &error) == 0);
    CHECK(anther_insert_many(filter, more, 2, 2, &error) == 0);
    CHECK(anther_contains(filter, bytes("10.1.2.3"), 8, &error) == 1);
    CHECK(anther_contains(filter, bytes("192.0.2.1"), 9, &error) == 1);
    CHECK(anther_contains(filter, bytes("192.0.2.2"), 9, &error) == 0);
    CHECK(anther_insert(filter, bytes("192.0.2.0/25"), 12, &error) == 1);
    CHECK(anther_contains(filter, bytes("192.0.2.2"), 9, &error) == 1);
    CHECK(anther_save(filter, in(folder, "more-networks.anther"), &error) == 0);

    /* In memory, then in a file, then one for lookups. */
    CHECK(anther_share(&filter, &shared, &error) == 0);
    for (int in_file = 0; in_file < 2; in_file++) {
        anther_bytes known = text(in_file ? "11.0.0.0/8" : "12.0.0.0/8");
        anther_bytes below = text(in_file ? "11.1.2.3" : "12.1.2.3");
        CHECK(anther_shared_contains(shared, bytes("10.1.2.3"), 8, &error) == 1);
        CHECK(anther_shared_contains(shared, below.data, below.len, &error) == 0);
        CHECK(anther_shared_insert_many(shared, &known, 1, &error) == 0);
        CHECK(anther_shared_contains(shared, below.data, below.len, &error) == 1);
        CHECK(anther_shared_insert(shared, bytes("203.0.113.0/24"), 14, &error) == 0);
        /* Its level cannot be added while others look up. */
        FAILS(ANTHER_KEY, anther_shared_insert(shared, bytes("172.16.0.0/12"), 13, &error));
        CHECK(anther_shared_contains(shared, bytes("172.16.0.1"), 10, &error) == 0);
        keys[COUNT - 1] = text("203.0.114.9");
        for (uint32_t threads = 1; threads < 4; threads++) {
            memset(found, 2, COUNT);
            CHECK(anther_shared_contains_many(shared, keys, COUNT, found, threads, &error) == 0);
            for (int i = 0; i < COUNT; i++) CHECK(found[i] == (i % 3 == 0));
        }
        keys[COUNT - 1] = text("a");
        FAILS(ANTHER_KEY, anther_shared_contains_many(shared, keys, COUNT, found, 2, &error));
        CHECK(found[1] == 1 && strncmp(error.text, "key 2999: ", 10) == 0);
        CHECK(anther_shared_close(shared, &error) == 0);
        const char *path = in(folder, "more-networks.anther");
        CHECK(anther_shared_open(path, NULL, ANTHER_SHARED_INSERT, &shared, &error) == 0);
        if (in_file) CHECK(anther_shared_open(path, NULL, 0, &view, &error) == 0);
    }
    CHECK(anther_shared_contains(view, bytes("11.1.2.3"), 8, &error) == 1);
    CHECK(anther_shared_contains_many(view, keys, COUNT - 1, found, 1, &error) == 0);
    CHECK(found[0] == 1 && found[1] == 0);
    FAILS(ANTHER_UNSUPPORTED, anther_shared_insert(view, bytes("13.0.0.0/8"), 10, &error));
    FAILS(ANTHER_UNSUPPORTED, anther_shared_insert_many(view, more, 2, &error));
    CHECK(anther_shared_close(view, &error) == 0);
    CHECK(anther_shared_close(shared, &error) == 0);
    free(keys);
    free(found);
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    making();
    keys();
    many();
    merging();
    files(argv[1]);
    sharing(argv[1]);
    networks(argv[1]);
    puts("every call did what the header says");
    return 0;
}
