/* Text files with places to fill in, which a person can open and edit: pages and gnuplot scripts.
 *
 *   {{name}}           a text, in which nothing is taken for HTML, Markdown, JSON or a gnuplot string, by the file's name
 *   {{raw name}}       a text as it is
 *   {{base64 name}}    a text in the digits of RFC 4648
 *   {{#name}}..{{/name}}   once for each item of a list, or where a text is not empty
 *   {{^name}}..{{/name}}   where there is no such item or text
 *   {{?name}}..{{/name}}   once, where there is any
 *   {{#more}}..{{/more}}   where the item at hand is not the last of its list
 *   {{>file}}          another file, filled in with the same
 *
 * A name is looked up in the item at hand, then in what that is part of.  A line with nothing but a # ^ ? / tag is no line of
 * the output. */
#ifndef LAB_TEMPLATE_H
#define LAB_TEMPLATE_H

#include <eigenmesh/eigenmesh.h>

/* The files below lab that the program brings along, by their path there; one without a name ends them. */
typedef struct lab_file {
    const char *name, *text;
} lab_file;
extern const lab_file lab_files[];

/* The text of such a file, to be released by free: the program's own, or where LAB_DIR is set in the environment, that
 * of the file in this directory. */
em_status lab_file_text(char **out, const char *name, em_error *err);

/* What a template is filled in with: texts and lists, by name.  A want of memory is told by template_put: where it left NULL,
 * nothing more is filled in. */
typedef struct fill fill;

fill *fill_new(void);
void fill_fail(fill *with); /* memory ran out elsewhere */
void fill_free(fill **with);

/* A text, and more of it at its end. */
void fill_text(fill *with, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));
void fill_more(fill *with, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));
void fill_flag(fill *with, const char *name, int value);

/* Texts as they are, NULL for an empty one: fill_texts(with, {"name", text}, {"other", another}). */
#define fill_texts(with, ...)                                                                                          \
    fill_pairs(with, (const char *const[][2]){__VA_ARGS__},                                                            \
               sizeof((const char *const[][2]){__VA_ARGS__}) / sizeof(const char *[2]))
void fill_pairs(fill *with, const char *const (*pairs)[2], size_t count);

/* Numbers in 9 digits: fill_numbers(with, {"width", 640}, {"height", 480}). */
#define fill_numbers(with, ...)                                                                                        \
    fill_number_list(with, (const fill_number[]){__VA_ARGS__},                                                         \
                     sizeof((const fill_number[]){__VA_ARGS__}) / sizeof(fill_number))
typedef struct fill_number {
    const char *name;
    double value;
} fill_number;
void fill_number_list(fill *with, const fill_number *list, size_t count);

/* One more item of a list. */
fill *fill_add(fill *with, const char *name);

/* What a want of memory has spoilt is an error; failures of the stream are the caller's to find. */
em_status template_put(FILE *out, const char *file, const fill *with, em_error *err);

#endif
