#include "support/svg.h"
#include "support/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *svg_read(const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    long size = ftell(file);
    assert_true(size > 0);
    rewind(file);
    char *text = calloc((size_t)size + 1, 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)size, file), size);
    (void)fclose(file);
    return text;
}

void assert_says(const char *svg, const char *words)
{
    if (!strstr(svg, words)) fail_msg("'%s' is not in the picture", words);
}

void assert_silent(const char *svg, const char *words)
{
    if (strstr(svg, words)) fail_msg("'%s' is in the picture", words);
}

int svg_count(const char *svg, const char *words)
{
    int count = 0;
    for (; (svg = strstr(svg, words)); svg++) count++;
    return count;
}

/* The number after the word, before `end`. */
static double number_after(const char *from, const char *end, const char *word)
{
    const char *at = strstr(from, word);
    if (!at || at > end) fail_msg("no %s in a picture's text", word);
    return at ? strtod(at + strlen(word), NULL) : 0;
}

/* "&lt;" is one letter, and so is "é". */
static int letters(const char *from, const char *end)
{
    int count = 0, entity = 0;
    for (; from < end; from++) {
        if (*from == '&') entity = 1;
        if (!entity && ((unsigned char)*from & 0xc0) != 0x80) count++;
        if (*from == ';' && entity) entity = 0, count++;
    }
    return count;
}

static void check_text(const char *group, const char *text, double width, double height)
{
    const double letter = 0.6; /* of the font's size */
    const char *words = text + strlen("<text>"), *end = strstr(words, "</text>");
    double x = number_after(group, text, "translate("), size = number_after(group, text, "font-size=\"");
    double y = strtod(strchr(strstr(group, "translate("), ',') + 1, NULL);
    double length = letter * size * letters(words, end);
    const char *rotate = strstr(group, "rotate("), *anchor = strstr(group, "text-anchor=\"");
    int upward = rotate && rotate < text;
    assert_true(anchor && anchor < text);
    anchor += strlen("text-anchor=\"");
    double before = *anchor == 'm' ? length / 2 : *anchor == 'e' ? length : 0, at = upward ? height - y : x;
    double room = upward ? height : width, across = upward ? x : y, depth = upward ? width : height;
    if (at - before < 0 || at - before + length > room || across - 0.7 * size < 0 || across > depth)
        fail_msg("'%.*s' runs out of the picture: %g to %g of %g, at %g of %g", (int)(end - words), words, at - before,
                 at - before + length, room, across, depth);
}

/* gnuplot writes <g transform="translate(x,y) rotate(a)" ... font-size="s" text-anchor="a"><text>words</text></g>. */
void assert_texts_inside(const char *svg)
{
    const char *head = strstr(svg, "viewBox=\"0 0 "), *group = svg, *text;
    assert_non_null(head);
    double width = strtod(head + strlen("viewBox=\"0 0 "), (char **)&group), height = strtod(group, NULL);
    int texts = 0;
    for (; (text = strstr(group, "<text>")); texts++, group = text + 1) {
        const char *last = group; /* the nearest group before the text */
        for (const char *next = group; (next = strstr(next, "<g transform=")) && next < text; next++) last = next;
        check_text(last, text, width, height);
    }
    assert_true(texts > 0);
}

canvas svg_canvas(void)
{
    em_error err = {0};
    canvas to = {.kind = PICTURE_SVG};
    assert_ok(emi_output_open(&to.output, scratch("plot.svg"), &err), &err);
    return to;
}

char *svg_drawn(canvas *to, em_status status, em_error *err)
{
    assert_ok(status, err);
    assert_ok(emi_output_commit(&to->output, err), err);
    char *svg = svg_read(scratch("plot.svg"));
    assert_texts_inside(svg);
    return svg;
}
