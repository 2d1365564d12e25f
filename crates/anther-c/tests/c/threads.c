/* Eight threads look up in one filter at once, then eight threads insert into a shared one. */
#include <anther.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 8, KEYS = 20000 };

static const anther_filter *filter;
static anther_shared *shared;

/* Each thread looks up all keys, the even ones of which are present, by one call each and by batches. */
static void *look(void *wrong) {
    uint64_t keys[KEYS];
    static _Thread_local uint8_t found[KEYS];
    for (uint64_t at = 0; at < KEYS; at++) {
        keys[at] = at;
        int maybe = anther_contains_u64(filter, at, NULL);
        if (maybe < 0 || (at % 2 == 0 && maybe != 1)) ++*(size_t *)wrong;
    }
    anther_error error;
    if (anther_contains_many_u64(filter, keys, KEYS, found, 1, &error) < 0) ++*(size_t *)wrong;
    size_t maybes = 0;
    for (size_t at = 0; at < KEYS; at += 2) *(size_t *)wrong += found[at] != 1;
    for (size_t at = 1; at < KEYS; at += 2) maybes += found[at];
    if (maybes > KEYS / 2 / 50) ++*(size_t *)wrong;
    /* An error of this thread: no other thread's text gets into it. */
    char name[32];
    snprintf(name, sizeof name, "kind-%p", wrong);
    for (int at = 0; at < 100; at++) {
        anther_filter *none = NULL;
        if (anther_new(name, 1, 0.1, NULL, NULL, &none, &error) != ANTHER_ARGUMENT) ++*(size_t *)wrong;
        if (!strstr(error.text, name)) ++*(size_t *)wrong;
    }
    return NULL;
}

static void *insert(void *start) {
    uint64_t first = *(size_t *)start;
    for (uint64_t at = 0; at < KEYS; at++) {
        if (anther_shared_insert_u64(shared, first + at, NULL) < 0) abort();
        if (anther_shared_contains_u64(shared, first + at, NULL) != 1) abort();
    }
    return NULL;
}

static void run(void *(*work)(void *), size_t arguments[THREADS]) {
    pthread_t threads[THREADS];
    for (int at = 0; at < THREADS; at++) {
        if (pthread_create(&threads[at], NULL, work, &arguments[at])) exit(2);
    }
    for (int at = 0; at < THREADS; at++) pthread_join(threads[at], NULL);
}

int main(void) {
    anther_error error;
    anther_filter *made = NULL;
    if (anther_new("blocked", KEYS, 0.01, NULL, NULL, &made, &error) < 0) return 2;
    for (uint64_t at = 0; at < KEYS; at += 2) {
        if (anther_insert_u64(made, at, &error) < 0) return 2;
    }
    filter = made;
    size_t wrong[THREADS] = {0}, all = 0, starts[THREADS];
    run(look, wrong);
    for (int at = 0; at < THREADS; at++) all += wrong[at];
    anther_close(made);

    made = NULL;
    if (anther_new("blocked", (uint64_t)THREADS * KEYS, 0.01, NULL, NULL, &made, &error) < 0) return 2;
    if (anther_share(&made, &shared, &error) < 0) return 2;
    for (size_t at = 0; at < THREADS; at++) starts[at] = at * KEYS;
    run(insert, starts);
    if (anther_unshare(&shared, &made, &error) < 0) return 2;
    for (uint64_t at = 0; at < (uint64_t)THREADS * KEYS; at++) {
        all += anther_contains_u64(made, at, &error) != 1;
    }
    anther_close(made);
    printf("%zu wrong answers\n", all);
    return all > 0;
}
