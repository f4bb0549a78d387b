/* Text files of records: [KIND KEY], and below it lines NAME = VALUE, in order.  A line that begins with a blank goes on with
 * the value above it; one that begins with # is a remark. */
#ifndef LAB_PAPER_RECORDS_H
#define LAB_PAPER_RECORDS_H

#include <eigenmesh/eigenmesh.h>

enum { RECORD_FIELDS = 24 };

typedef struct record {
    const char *kind, *key;
    int count;
    struct {
        char *name, *value;
    } fields[RECORD_FIELDS];
} record;

typedef struct records {
    char *text; /* what they point to */
    record *list;
    int count;
} records;

/* A file of lab. */
em_status records_open(records *out, const char *file, em_error *err);
void records_free(records *r); /* accepts the zeroed */

const record *records_find(const records *r, const char *kind, const char *key); /* NULL: there is none */

/* A field's text, "" where there is none; and as a number. */
const char *record_text(const record *of, const char *name);
double record_number(const record *of, const char *name);

/* Is the word one of those in the list, with blanks between them? */
int words_have(const char *list, const char *word);

/* The next word of a list, or what comes up to the next of these separators, without the blanks around it; 0: there is none. */
int next_word(const char **list, const char *separators, char *word, size_t room);

#endif
