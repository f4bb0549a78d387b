/* eigenmesh key new, key show: the key that a site is known by. */
#include "command.h"
#include "private.h"

#include "base/error.h"
#include "net/identity.h"

static const option_spec key_new_options[] = {{.name = "output",
                                               .letter = 'o',
                                               .metavar = "FILE",
                                               .preset = "~/.config/eigenmesh/key",
                                               .example = "site.key",
                                               .help = "where the private key goes; never over another file"},
                                              {0}};

static const option_spec key_show_options[] = {{0}};

static em_status key_new(const arguments *args, em_error *err)
{
    em_status status = EM_OK;
    char path[PATH_MAX], id[EMI_ID_TEXT];
    private_process();
    TRY(private_key_path(args_text(args, "output"), path, err));
    TRY(emi_identity_new(path, id, err));
    if (args_reports(args)) (void)puts(id);
done:
    return status;
}

static em_status key_show(const arguments *args, em_error *err)
{
    em_status status = EM_OK;
    char path[PATH_MAX], id[EMI_ID_TEXT];
    emi_identity *identity = NULL;
    private_process();
    TRY(private_key_path(args->operand_count ? args->operands[0] : NULL, path, err));
    TRY(emi_identity_open(&identity, path, err));
    emi_id_write(emi_identity_public(identity), id);
    if (args_reports(args)) (void)puts(id);
done:
    emi_identity_close(&identity);
    return status;
}

const command_spec command_key_new = {.name = "key new",
                                      .summary =
                                          "Make this site's private key, and print the id that others know it by",
                                      .usage = "[-o FILE]",
                                      .options = key_new_options,
                                      .examples = {"eigenmesh key new", "eigenmesh key new -o site.key"},
                                      .run = key_new};

const command_spec command_key_show = {.name = "key show",
                                       .summary = "Print the id of this site's key, to mail to the others",
                                       .usage = "[FILE]",
                                       .operands = {{"FILE", READS}},
                                       .operand_limit = 1,
                                       .operands_optional = 1,
                                       .options = key_show_options,
                                       .examples = {"eigenmesh key show", "eigenmesh key show site.key"},
                                       .run = key_show};
