/* HTML as it grows in memory.  A text gets in by %s, which escapes it: there is no way around that but for the style, so that no
 * name of a column becomes a tag. */
#ifndef EMI_PAGE_HTML_H
#define EMI_PAGE_HTML_H

#include <stddef.h>

typedef struct emi_html {
    char *text; /* not ended by 0 */
    size_t size, room;
    int failed; /* memory ran out: nothing more is put */
} emi_html;

/* As printf does, with a decimal point whatever the locale; of conversions %s, %d, %ld, %llu, %zu, %c and those of doubles.  The
 * format alone is HTML; what %s puts is a text, of which control characters are blanks, and what is no UTF-8 a U+FFFD. */
void emi_put(emi_html *to, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A text whose words, as blanks part them, are each a <span>: the style keeps a line from ending within one. */
void emi_put_words(emi_html *to, const char *text);

/* The style, and nothing that comes from elsewhere. */
void emi_put_as_it_is(emi_html *to, const char *style);

/* A name that somebody else has chosen, apart from the direction of the text around it.  One of more letters than that loses its
 * end. */
enum { EMI_NAME_LETTERS = 120 };
void emi_put_name(emi_html *to, const char *name, int letters);

/* The same inside an SVG's text. */
void emi_put_cut(emi_html *to, const char *text, int letters);

/* The same, where the end tells names apart: "univer…inic-15". */
void emi_put_cut_middle(emi_html *to, const char *text, int letters);

/* How wide a text of that many letters at most will be, where `size` is that of the type: about, and rather too wide. */
double emi_text_width(const char *text, int letters, double size);

/* A number with as many digits as tell it from another one that is a step away, and with no fewer than `digits`. */
enum { EMI_REAL_ROOM = 32 };
const char *emi_real_text(char room[EMI_REAL_ROOM], double value, double step, int digits);

/* "12,345", with a thin blank for the comma. */
void emi_put_count(emi_html *to, unsigned long long count);

/* "3.2 MB" */
void emi_put_bytes(emi_html *to, double bytes);

/* "1.5 h", "12 ms" */
void emi_put_seconds(emi_html *to, double seconds);

#endif
