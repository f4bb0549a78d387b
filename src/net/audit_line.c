/* A line of the audit log in the making. */
#include "net/audit_line.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *const emi_line_words[EMI_LINE_KINDS] = {"begin", "torn", "up",    "down",  "refused",
                                                    "start", "sum",  "block", "model", "end"};

const char emi_line_signed_as[18] = "eigenmesh audit 1";

int emi_text_is(emi_text text, const char *word)
{
    return text.size == strlen(word) && memcmp(text.at, word, text.size) == 0;
}

emi_line_kind emi_line_kind_of(emi_text word)
{
    int kind = 0;
    while (kind < EMI_LINE_KINDS && !emi_text_is(word, emi_line_words[kind])) kind++;
    return (emi_line_kind)kind;
}

int emi_line_may_name(emi_text name)
{
    static const char *const taken[] = {"n", "time", "before", "what", "signature"};
    if (name.size < 1 || name.size > EMI_LINE_NAME) return 0;
    for (size_t n = 0; n < name.size; n++)
        if (!((name.at[n] >= 'a' && name.at[n] <= 'z') || name.at[n] == '_')) return 0;
    for (size_t n = 0; n < sizeof taken / sizeof *taken; n++)
        if (emi_text_is(name, taken[n])) return 0;
    return 1;
}

int emi_line_is_plain(unsigned char byte)
{
    return byte >= 0x20 && byte <= 0x7e && byte != '"' && byte != '\\';
}

/* ---- writing ------------------------------------------------------------------------------------------------------ */

static void put(emi_draft *draft, const char *text, size_t count)
{
    if (count > sizeof draft->text - draft->size) count = sizeof draft->text - draft->size;
    memcpy(draft->text + draft->size, text, count);
    draft->size += count;
}

static void put_word(emi_draft *draft, const char *word)
{
    put(draft, word, strlen(word));
}

static void put_hex(emi_draft *draft, const unsigned char *bytes, size_t count)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t n = 0; n < count; n++) {
        char two[2] = {digits[bytes[n] >> 4], digits[bytes[n] & 15]};
        put(draft, two, 2);
    }
}

static void put_escaped(emi_draft *draft, const char *text)
{
    size_t size = strnlen(text, EMI_LINE_TEXT + 1), most = size > EMI_LINE_TEXT ? EMI_LINE_TEXT : size;
    for (size_t n = 0; n < most; n++) {
        unsigned char byte = (unsigned char)text[n];
        if (emi_line_is_plain(byte)) {
            put(draft, text + n, 1);
        } else {
            put_word(draft, "\\u00");
            put_hex(draft, &byte, 1);
        }
    }
    if (size > most) put_word(draft, "...");
}

static void put_number(emi_draft *draft, uint64_t number)
{
    char text[24];
    put(draft, text, (size_t)snprintf(text, sizeof text, "%" PRIu64, number));
}

/* A clock before 1970 or after 9999 has no say. */
static void put_time(emi_draft *draft, time_t now)
{
    char text[32] = "";
    struct tm utc;
    if (!gmtime_r(&now, &utc) || utc.tm_year < 70 || utc.tm_year > 9999 - 1900 ||
        strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc) != 20)
        (void)snprintf(text, sizeof text, "1970-01-01T00:00:00Z");
    put_word(draft, text);
}

void emi_draft_begin(emi_draft *draft, uint64_t number, time_t now, const unsigned char before[EMI_SHA_BYTES],
                     const char *what)
{
    draft->size = 0;
    put_word(draft, "{\"n\":");
    put_number(draft, number);
    put_word(draft, ",\"time\":\"");
    put_time(draft, now);
    put_word(draft, "\",\"before\":\"");
    put_hex(draft, before, EMI_SHA_BYTES);
    put_word(draft, "\",\"what\":\"");
    put_word(draft, what);
    put_word(draft, "\"");
}

void emi_draft_add(emi_draft *draft, const emi_field_of_line *field)
{
    put_word(draft, ",\"");
    put_word(draft, field->name);
    put_word(draft, "\":");
    if (field->number) {
        put_number(draft, *field->number);
        return;
    }
    put_word(draft, "\"");
    if (field->digest)
        put_hex(draft, field->digest, EMI_SHA_BYTES);
    else
        put_escaped(draft, field->text);
    put_word(draft, "\"");
}

void emi_draft_sign(emi_draft *draft, const unsigned char signature[EMI_SIGNATURE_BYTES])
{
    put_word(draft, ",\"signature\":\"");
    put_hex(draft, signature, EMI_SIGNATURE_BYTES);
    put_word(draft, "\"");
}

void emi_draft_end(emi_draft *draft)
{
    put_word(draft, "}\n");
}
