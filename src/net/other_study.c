/* A neighbour has another study: where do the two begin to differ? */
#include "net/meeting.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_ROOM = 128 };

/* A line of a canonical text, for people: numbers, which are hexadecimal there, as one writes them. */
static void read_line(const char *text, size_t size, char out[LINE_ROOM])
{
    size_t length = 0;
    for (; length < size && length + 1 < LINE_ROOM && text[length] != '\n'; length++) {
        char c = text[length];
        out[length] = (char)(c >= ' ' && c <= '~' && c != '\'' ? c : '?');
    }
    out[length] = 0;
    char *number = strstr(out, " 0x"), *end = NULL;
    double value = number ? strtod(number, &end) : 0;
    if (number && *end == 0) (void)snprintf(number, LINE_ROOM - (size_t)(number - out), " %.15g", value);
    if (length == 0) (void)snprintf(out, LINE_ROOM, "nothing more");
}

void emi_node_other_study(emi_node *node, int peer, const emi_frame *frame)
{
    const char *own = node->config.canonical, *other = (const char *)frame->payload;
    size_t size = node->config.canonical_size, line = 0, at = 0;
    char theirs[LINE_ROOM], ours[LINE_ROOM], words[2 * LINE_ROOM + 32];
    while (at < size && at < frame->length && own[at] == other[at])
        if (own[at++] == '\n') line = at;
    read_line(other + line, frame->length - line, theirs);
    read_line(own + line, size - line, ours);
    (void)snprintf(words, sizeof words, "'%s' there, '%s' here", theirs, ours);
    emi_node_tell(node, EMI_NEWS_STUDY, peer, words);
}
