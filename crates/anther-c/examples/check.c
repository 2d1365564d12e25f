/* A proxy's blocklist: reads host names, one per line, and prints those that are
 * blocked. The filter is a file that `anther build --as domain` wrote.
 *
 *     check FILTER < hosts
 *     check FILTER LIST < hosts     also compares the answers with the list itself
 *
 * Exit codes: 0 all is well; 1 a wrong answer; 2 an error. */
#include <anther.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longer than any host name, which has 253 characters at most. */
enum { MOST = 256 };

typedef struct list {
    char (*hosts)[MOST];
    size_t count;
} list;

static int compare(const void *a, const void *b) { return strcmp(a, b); }

/* What the rule of the filter does to a host: lower case, without a final dot. */
static void normalise(char *host) {
    size_t len = strlen(host);
    if (len > 1 && host[len - 1] == '.') host[len - 1] = '\0';
    for (; *host; host++) *host = (char)tolower((unsigned char)*host);
}

/* The next line without its end; 0 at the end of the file. A line that is longer
 * than any host is left out as a whole: its parts would look like hosts. */
static int read_line(FILE *file, char line[MOST]) {
    while (fgets(line, MOST, file)) {
        size_t len = strcspn(line, "\r\n");
        if (line[len] != '\0' || len < MOST - 1) {
            line[len] = '\0';
            return 1;
        }
        int next = getc(file);
        if (next == '\n' || next == EOF) return 1;
        while (next != '\n' && next != EOF) next = getc(file);
        fprintf(stderr, "check: a line is too long for a host: %.40s...\n", line);
    }
    return 0;
}

static list read_list(const char *path) {
    list all = {NULL, 0};
    char line[MOST];
    FILE *file = fopen(path, "r");
    if (!file) {
        perror(path);
        exit(2);
    }
    while (read_line(file, line)) {
        if (all.count % 1024 == 0) {
            all.hosts = realloc(all.hosts, (all.count + 1024) * sizeof *all.hosts);
            if (!all.hosts) exit(2);
        }
        normalise(line);
        memcpy(all.hosts[all.count++], line, MOST);
    }
    fclose(file);
    qsort(all.hosts, all.count, sizeof *all.hosts, compare);
    return all;
}

int main(int argc, char **argv) {
    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: check FILTER [LIST] < hosts\n");
        return 2;
    }
    anther_error error;
    anther_filter *blocklist = NULL;
    if (anther_open(argv[1], NULL, ANTHER_OPEN_MAP, &blocklist, &error) < 0) {
        fprintf(stderr, "check: %s\n", error.text);
        return 2;
    }
    anther_info info = {.size = sizeof info};
    if (anther_filter_info(blocklist, &info, &error) < 0) return 2;
    list truth = argc == 3 ? read_list(argv[2]) : (list){NULL, 0};

    char host[MOST];
    size_t absent = 0, wrong_maybe = 0, wrong_no = 0;
    while (read_line(stdin, host)) {
        int found = anther_contains(blocklist, (const uint8_t *)host, strlen(host), &error);
        if (found == ANTHER_KEY) { /* not a domain: no entry of the list can be equal to it */
            fprintf(stderr, "check: %s: %s\n", host, error.text);
            found = 0;
        } else if (found < 0) {
            fprintf(stderr, "check: %s\n", error.text);
            return 2;
        }
        if (found) printf("%s\n", host);
        if (argc == 3) {
            normalise(host);
            int listed = bsearch(host, truth.hosts, truth.count, sizeof *truth.hosts, compare) != NULL;
            absent += !listed;
            wrong_maybe += !listed && found;
            wrong_no += listed && !found;
        }
    }
    int code = 0;
    if (argc == 3) {
        fprintf(stderr, "check: %zu of %zu absent hosts were false positives, %zu false negatives\n",
                wrong_maybe, absent, wrong_no);
        /* Twice the target and ten more: chance does not explain it. */
        double most = 2.0 * info.fpr_target * (double)absent + 10.0;
        code = wrong_no > 0 || (double)wrong_maybe > most;
    }
    free(truth.hosts);
    anther_close(blocklist);
    return code;
}
