#include "json.h"

#include <stdlib.h>
#include <string.h>

static struct json *nodes; /* so that a leak checker still sees them */

struct json *json_parse(const char **text) {
    struct json *value = calloc(1, sizeof *value);
    if (!value) abort();
    value->before = nodes, nodes = value;
    *text += strspn(*text, " \n,:");
    if (**text == '"') {
        value->type = *(*text)++;
        value->text = *text;
        value->size = strcspn(*text, "\"");
        *text += value->size + 1;
    } else if (**text == '{' || **text == '[') {
        value->type = *(*text)++;
        struct json **last = &value->first;
        while (*text += strspn(*text, " \n,:"), **text && **text != '}' && **text != ']') {
            const char *name = value->type == '{' ? json_parse(text)->text : NULL;
            *last = json_parse(text);
            (*last)->name = name;
            last = &(*last)->next;
        }
        *text += **text != 0;
    } else {
        value->text = *text;
        value->size = strcspn(*text, ",]}\n");
        *text += value->size;
    }
    return value;
}

const struct json *json_get(const struct json *object, const char *name) {
    const struct json *found = object ? object->first : NULL;
    while (found && (strncmp(found->name, name, strlen(name)) || found->name[strlen(name)] != '"')) found = found->next;
    return found;
}

bool json_is(const struct json *text, const char *expected) {
    return text && text->size == strlen(expected) && strncmp(text->text, expected, text->size) == 0;
}
