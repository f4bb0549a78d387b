#include "flags.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* What a caller of the library does by other means than an option. */
static const struct {
    const char *there, *here;
} phrases[] = {{"one that em_method lists", "eigenmesh fit --help"},
               {"a truth of your own", "file:Q.npy"},
               {"another way to average", "another --average"},
               {"components=10", "-k 10"}};

static const char *const others[] = {"nodes",   "threads",   "patience", "header",
                                     "columns", "delimiter", "missing",  "dtype"};

const char *flag_of(const em_option_info *option, char room[FLAG_ROOM])
{
    int negated = option->kind == EM_OPTION_SWITCH && strcmp(option->preset, "yes") == 0;
    (void)snprintf(room, FLAG_ROOM, "--%s%s", negated ? "no-" : "", option->name);
    return room;
}

static int ends_a_name(char c)
{
    return !isalnum((unsigned char)c) && c != '-' && c != '_' && c != '.';
}

/* The length of the name that the text begins with, 0 where it is none that is known; its flag, and of a switch that it is one. */
static size_t known_name(const char *text, char flag[FLAG_ROOM], int *is_switch)
{
    size_t length = 0;
    while (!ends_a_name(text[length])) length++;
    *is_switch = 0;
    for (int i = 0; em_option(i); i++) {
        const em_option_info *option = em_option(i);
        if (strlen(option->name) != length || strncmp(option->name, text, length) != 0) continue;
        *is_switch = option->kind == EM_OPTION_SWITCH;
        (void)flag_of(option, flag);
        return length;
    }
    for (size_t n = 0; n < sizeof others / sizeof *others; n++) {
        if (strlen(others[n]) != length || strncmp(others[n], text, length) != 0) continue;
        (void)snprintf(flag, FLAG_ROOM, "--%s", others[n]);
        return length;
    }
    return 0;
}

/* What stands at `text` in words of here, and how much of the text that was; 0 where it stays. */
static size_t translate(const char *text, char out[FLAG_ROOM])
{
    static const char word[] = "option ";
    int is_switch;
    size_t length, skipped = strncmp(text, word, strlen(word)) == 0 ? strlen(word) : 0;
    for (size_t n = 0; n < sizeof phrases / sizeof *phrases; n++) {
        if (strncmp(text, phrases[n].there, strlen(phrases[n].there)) != 0) continue;
        (void)snprintf(out, FLAG_ROOM, "%s", phrases[n].here);
        return strlen(phrases[n].there);
    }
    length = known_name(text + skipped, out, &is_switch);
    if (length == 0) return 0;
    if (skipped) return skipped + length;
    if (text[length] != '=') return 0;
    if (is_switch) return length + 1 + strcspn(text + length + 1, " ,;)");
    (void)strncat(out, " ", 2);
    return length + 1;
}

const char *in_flags(const char *text, char *out, size_t room)
{
    char words[FLAG_ROOM];
    size_t used = 0;
    for (int between = 1; *text && used + 1 < room;
         between = isspace((unsigned char)out[used - 1]) || out[used - 1] == '(') {
        size_t length = between ? translate(text, words) : 0;
        int added =
            length ? snprintf(out + used, room - used, "%s", words) : snprintf(out + used, room - used, "%c", *text);
        used = used + (size_t)added < room ? used + (size_t)added : room - 1;
        text += length ? length : 1;
    }
    out[used] = 0;
    return out;
}

void error_in_flags(em_error *err)
{
    char out[sizeof err->msg];
    char *subject = strstr(err->msg, ": ");
    if (!subject) return;
    size_t left = sizeof err->msg - (size_t)(subject - err->msg);
    (void)snprintf(subject, left, "%s", in_flags(subject, out, sizeof out));
}
