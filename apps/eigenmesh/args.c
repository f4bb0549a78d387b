#include "command.h"
#include "message.h"

#include "base/text.h"

#include <ctype.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the library's options as flags ---------------------------------------------------------------------- */

/* What a caller of the library does by other means than an option. */
static const struct {
    const char *there, *here;
} phrases[] = {{"one that em_method lists", "eigenmesh fit --help"},
               {"a truth of your own", "file:Q.npy"},
               {"another way to average", "another --average"},
               {"components=10", "-k 10"}};

/* Flags that are no options of the library, and that its messages name as if they were. */
static const em_option_info others[] = {{.name = "nodes", .kind = EM_OPTION_TEXT},
                                        {.name = "threads", .kind = EM_OPTION_TEXT},
                                        {.name = "patience", .kind = EM_OPTION_TEXT},
                                        {.name = "header", .kind = EM_OPTION_TEXT},
                                        {.name = "columns", .kind = EM_OPTION_TEXT},
                                        {.name = "delimiter", .kind = EM_OPTION_TEXT},
                                        {.name = "missing", .kind = EM_OPTION_TEXT},
                                        {.name = "dtype", .kind = EM_OPTION_TEXT},
                                        {.name = "key", .kind = EM_OPTION_TEXT},
                                        {.name = "again", .kind = EM_OPTION_SWITCH, .preset = "no"},
                                        {.name = "minimum-rows", .kind = EM_OPTION_TEXT},
                                        {.name = "minimum-sites", .kind = EM_OPTION_TEXT},
                                        {.name = "maximum-columns", .kind = EM_OPTION_TEXT},
                                        {.name = "follow", .kind = EM_OPTION_SWITCH, .preset = "no"},
                                        {.name = "every", .kind = EM_OPTION_TEXT},
                                        {.name = "check", .kind = EM_OPTION_TEXT},
                                        {.name = "models", .kind = EM_OPTION_TEXT},
                                        {.name = "directions", .kind = EM_OPTION_TEXT},
                                        {.name = "data-changed", .kind = EM_OPTION_SWITCH, .preset = "no"}};

enum { OTHERS = sizeof others / sizeof *others };

static const em_option_info *option_named(const char *name, size_t length)
{
    for (int i = 0;; i++) {
        const em_option_info *option = i < OTHERS ? &others[i] : em_option(i - OTHERS);
        if (!option || (strlen(option->name) == length && strncmp(option->name, name, length) == 0)) return option;
    }
}

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

/* What stands at `text` in words of here, and how much of the text that was; 0 where it stays. */
static size_t translate(const char *text, char out[FLAG_ROOM])
{
    for (size_t n = 0; n < sizeof phrases / sizeof *phrases; n++)
        if (emi_text_after(text, phrases[n].there)) {
            (void)snprintf(out, FLAG_ROOM, "%s", phrases[n].here);
            return strlen(phrases[n].there);
        }
    const char *after = emi_text_after(text, "option "), *name = after ? after : text, *end = name;
    while (!ends_a_name(*end)) end++;
    const em_option_info *option = option_named(name, (size_t)(end - name));
    if (!option || (!after && *end != '=')) return 0;
    (void)flag_of(option, out);
    size_t length = (size_t)(end - text);
    if (after) return length;
    if (option->kind == EM_OPTION_SWITCH) return length + strcspn(end, " ,;)");
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

/* ---- the options of a command ------------------------------------------------------------------------ */

static void add(arguments *args, option_spec spec)
{
    if (args->count == ARGS_MAX) abort(); /* ARGS_MAX is to grow with the tables */
    args->specs[args->count++] = spec;
}

/* A switch has no value: it is "resume", or "no-center" where that is the default. */
static void add_from_library(arguments *args, const em_option_info *info, file_use file)
{
    if (!info || args->count == ARGS_MAX)
        abort(); /* a command's table names an option that the library does not have */
    option_spec spec = {.name = flag_of(info, args->flags[args->count]) + strlen("--"),
                        .help = in_flags(info->help, args->helps[args->count], ARGS_HELP),
                        .info = info,
                        .file = file};
    if (info->kind != EM_OPTION_SWITCH) {
        spec.metavar = info->metavar;
        spec.preset = info->preset;
    }
    if (strcmp(info->name, "method") == 0) spec.letter = 'm';
    if (strcmp(info->name, "components") == 0) {
        spec.letter = 'k';
        spec.example = "10";
        spec.required = 1;
    }
    add(args, spec);
}

static int takes(const command_spec *command, const char *option)
{
    for (const option_spec *own = command->options; own->name; own++)
        if (strcmp(own->name, option) == 0) return 0;
    if (!command->takes_solver_options || !command->solver_options) return command->takes_solver_options;
    for (const char *const *name = command->solver_options; *name; name++)
        if (strcmp(*name, option) == 0) return 1;
    return 0;
}

void args_collect(arguments *args, const command_spec *command)
{
    *args = (arguments){.command = command};
    for (const option_spec *own = command->options; own->name; own++) {
        if (own->help)
            add(args, *own);
        else
            add_from_library(args, option_named(own->name, strlen(own->name)), own->file);
    }
    if (command->prints_table)
        add(args, (option_spec){.name = "json", .help = "print one JSON object and nothing else"});
    add(args, (option_spec){.name = "quiet", .letter = 'q', .help = "print nothing but errors"});
    add(args, (option_spec){.name = "help", .letter = 'h', .help = "print this help"});
    args->first_solver = args->count;
    for (int i = 0; em_option(i); i++)
        if (takes(command, em_option(i)->name)) add_from_library(args, em_option(i), NO_FILE);
}

static const option_spec *find(const arguments *args, const char *name)
{
    for (int i = 0; i < args->count; i++)
        if (strcmp(args->specs[i].name, name) == 0) return &args->specs[i];
    abort(); /* a command asks for an option that is not in its table */
}

/* ---- reading what was typed --------------------------------------------------------------------------- */

enum { LETTERS = 256 }; /* getopt_long's value of the i-th option is LETTERS + i, or its letter */

static void describe(const arguments *args, struct option *options, char *letters)
{
    *letters++ = ':'; /* tell a missing value from an unknown option */
    for (int i = 0; i < args->count; i++) {
        const option_spec *spec = &args->specs[i];
        options[i] = (struct option){spec->name, spec->metavar ? required_argument : no_argument, NULL, LETTERS + i};
        if (!spec->letter) continue;
        *letters++ = spec->letter;
        if (spec->metavar) *letters++ = ':';
    }
    options[args->count] = (struct option){0};
    *letters = 0;
}

static int index_of(const arguments *args, int value)
{
    int i = 0;
    while (i < args->count && value != LETTERS + i && value != args->specs[i].letter) i++;
    return i;
}

static em_status unknown(const arguments *args, const char *typed, em_error *err)
{
    const char *command = args->command->name;
    if (optopt >= LETTERS)
        return emi_fail(err, EM_EINVAL, "--%s: takes no value; try it alone", args->specs[optopt - LETTERS].name);
    if (optopt)
        return emi_fail(err, EM_EINVAL, "-%c: no such option of %s; try 'eigenmesh %s --help'", optopt, command,
                        command);
    int length = (int)strcspn(typed, "="), beginnings = 0;
    for (int i = 0; i < args->count; i++)
        beginnings += length > 2 && strncmp(args->specs[i].name, typed + 2, (size_t)length - 2) == 0;
    return emi_fail(err, EM_EINVAL,
                    beginnings > 1 ? "%.*s: more than one option of %s begins like this; try 'eigenmesh %s --help'"
                                   : "%.*s: no such option of %s; try 'eigenmesh %s --help'",
                    length, typed, command, command);
}

static em_status parse_options(arguments *args, int argc, char **argv, em_error *err)
{
    struct option options[ARGS_MAX + 1];
    char letters[2 * ARGS_MAX + 2];
    describe(args, options, letters);
    opterr = 0;
    optind = 1;
    for (;;) {
        int value = getopt_long(argc, argv, letters, options, NULL);
        if (value == -1) return EM_OK;
        if (value == '?') return unknown(args, argv[optind - 1], err);
        int i = index_of(args, value == ':' ? optopt : value);
        const option_spec *spec = &args->specs[i];
        if (value == ':')
            return emi_fail(err, EM_EINVAL, "--%s: needs a value; try --%s %s", spec->name, spec->name,
                            spec->example ? spec->example : spec->metavar);
        if (args->values[i]) return emi_fail(err, EM_EINVAL, "--%s: given twice; try it once", spec->name);
        args->values[i] = spec->metavar ? optarg : "";
    }
}

static em_status check_operands(const arguments *args, em_error *err)
{
    const command_spec *command = args->command;
    int limit = command->operand_limit;
    int least = limit == ANY_NUMBER ? 1 : limit - command->operands_optional;
    if (args->operand_count < least)
        return emi_fail(err, EM_EINVAL, "%s: %s is missing; try '%s'", command->name,
                        command->operands[args->operand_count].name, command->examples[0]);
    if (limit != ANY_NUMBER && args->operand_count > limit)
        return emi_fail(err, EM_EINVAL, "%s: '%s' is one argument too many; try '%s'", command->name,
                        args->operands[limit], command->examples[0]);
    return EM_OK;
}

static em_status check_required(const arguments *args, em_error *err)
{
    for (int i = 0; i < args->count; i++) {
        const option_spec *spec = &args->specs[i];
        if (!spec->required || args->values[i]) continue;
        if (spec->letter)
            return emi_fail(err, EM_EINVAL, "-%c, --%s: required, and not given; try -%c %s", spec->letter, spec->name,
                            spec->letter, spec->example);
        return emi_fail(err, EM_EINVAL, "--%s: required, and not given; try --%s %s", spec->name, spec->name,
                        spec->example);
    }
    return EM_OK;
}

em_status args_parse(arguments *args, const command_spec *command, int argc, char **argv, em_error *err)
{
    em_status status = EM_OK;
    args_collect(args, command);
    TRY(parse_options(args, argc, argv, err));
    if (args_given(args, "help")) return EM_OK;
    args->operands = argv + optind;
    args->operand_count = argc - optind;
    TRY(check_operands(args, err));
    TRY(check_required(args, err));
done:
    return status;
}

/* ---- values --------------------------------------------------------------------------------------------- */

const char *args_text(const arguments *args, const char *name)
{
    return args->values[find(args, name) - args->specs];
}

const char *args_value(const arguments *args, const char *name)
{
    const char *text = args_text(args, name);
    return text ? text : find(args, name)->preset;
}

int args_given(const arguments *args, const char *name)
{
    return args_text(args, name) != NULL;
}

int args_reports(const arguments *args)
{
    return !args_given(args, "quiet") && !args->stdout_is_taken;
}

static em_status not_a_number(const arguments *args, const char *name, const char *wanted, em_error *err)
{
    const option_spec *spec = find(args, name);
    return emi_fail(err, EM_EINVAL, "--%s: '%s' is not %s; try --%s %s", name, args_text(args, name), wanted, name,
                    spec->example ? spec->example : spec->preset);
}

em_status args_whole(const arguments *args, const char *name, uint64_t least, uint64_t most, uint64_t *value,
                     em_error *err)
{
    char wanted[96];
    uint64_t number;
    const char *text = args_text(args, name);
    if (!text) return EM_OK;
    if (emi_text_u64(text, &number) == 0 && number >= least && number <= most) {
        *value = number;
        return EM_OK;
    }
    if (most == UINT64_MAX)
        (void)snprintf(wanted, sizeof wanted, "a whole number from %llu on", (unsigned long long)least);
    else
        (void)snprintf(wanted, sizeof wanted, "a whole number from %llu to %llu", (unsigned long long)least,
                       (unsigned long long)most);
    return not_a_number(args, name, wanted, err);
}

em_status args_int(const arguments *args, const char *name, int least, int *value, em_error *err)
{
    uint64_t number = (uint64_t)*value;
    em_status status = args_whole(args, name, (uint64_t)least, INT_MAX, &number, err);
    if (status == EM_OK) *value = (int)number;
    return status;
}

em_status args_real(const arguments *args, const char *name, double *value, em_error *err)
{
    const char *text = args_text(args, name);
    if (!text || emi_text_double(text, value) == 0) return EM_OK;
    return not_a_number(args, name, "a number", err);
}

em_status args_solver(const arguments *args, em_options *options, em_error *err)
{
    for (int i = 0; i < args->count; i++) {
        const em_option_info *option = args->specs[i].info;
        if (!option || !args->values[i]) continue;
        const char *other = strcmp(option->preset, "yes") == 0 ? "no" : "yes";
        const char *value = option->kind == EM_OPTION_SWITCH ? other : args->values[i];
        em_status status = em_options_set(options, option->name, value, err);
        if (status == EM_OK) continue;
        em_error library = *err; /* speaks of "step"; here it is --step */
        if (emi_text_after(library.msg, option->name)) (void)emi_fail(err, status, "--%s", library.msg);
        return status;
    }
    return EM_OK;
}

int duration_read(const char *text, double *seconds)
{
    static const struct unit {
        const char *name;
        double seconds;
    } units[] = {{"", 1}, {"s", 1}, {"min", 60}, {"h", 3600}};
    char *end = NULL;
    if (strcmp(text, "forever") == 0) {
        *seconds = INFINITY;
        return 0;
    }
    if (!isdigit((unsigned char)*text)) return -1; /* strtod would take " 1", "-1" and "inf" */
    double number = emi_text_strtod(text, &end);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(end, units[i].name) == 0 && number > 0 && isfinite(number)) {
            *seconds = number * units[i].seconds;
            return 0;
        }
    return -1;
}

const char *duration_text(double seconds, char out[DURATION_ROOM])
{
    double unit = seconds < 120 ? 1 : seconds < 7200 ? 60 : 3600, number = seconds / unit;
    (void)snprintf(out, DURATION_ROOM, number < 10 ? "%.2g %s" : "%.0f %s", number,
                   unit == 1    ? "s"
                   : unit == 60 ? "min"
                                : "h");
    return out;
}
