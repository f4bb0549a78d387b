/* What was sent, for which purpose, and to whom.  Of a study there are two counts: the numbers of the fit, as the model keeps them, and
 * whatever blocks went over a site's own links. */
#include "page/parts.h"

static const char *const purposes[EM_PHASES] = {
    [EM_SETUP] = "to prepare: mean, scale, step",
    [EM_METHOD] = "by the method itself",
    [EM_CONTROL] = "to decide when to stop",
    [EM_REPORT] = "to agree on the answer, and to test it",
};

static void put_row(emi_html *to, const char *purpose, const em_traffic *sent)
{
    emi_put(to, "<tr><th scope=\"row\">%s</th><td>", purpose);
    emi_put_count(to, sent->rounds);
    emi_put(to, "</td><td>");
    emi_put_count(to, sent->messages);
    emi_put(to, "</td><td>");
    emi_put_count(to, sent->bytes);
    emi_put(to, "</td></tr>\n");
}

static void put_phases(emi_html *to, const em_info *info)
{
    em_traffic all = {0};
    emi_put(to, "<div class=\"wide\"><table class=\"numbers\" id=\"sent\"><thead><tr><th scope=\"col\">what "
                "for</th><th scope=\"col\">rounds</th>"
                "<th scope=\"col\">messages</th><th scope=\"col\">bytes</th></tr></thead><tbody>\n");
    for (int phase = 0; phase < EM_PHASES; phase++) {
        put_row(to, purposes[phase], &info->traffic[phase]);
        all.rounds += info->traffic[phase].rounds;
        all.messages += info->traffic[phase].messages;
        all.bytes += info->traffic[phase].bytes;
    }
    put_row(to, "in all", &all);
    emi_put(to, "</tbody></table></div>\n");
}

static void put_links(emi_html *to, const em_page *page)
{
    if (!page->link_count) return;
    emi_put(to,
            "<h3>Over the links of this site</h3>\n<p>This is all that went over them for this study since this site's "
            "program began, but for what encryption and the upkeep of links add: this site's part of the numbers "
            "above, and beside them the names of columns, what sites agree on before and after, the model itself, "
            "and computations before this one, if there were any.</p>\n");
    emi_put(to, "<div class=\"wide\"><table class=\"numbers\" id=\"links\"><thead><tr><th scope=\"col\">neighbour</th>"
                "<th scope=\"col\">sent to it</th><th scope=\"col\">received from it</th><th scope=\"col\">cuts</th>"
                "<th scope=\"col\">waited for it</th></tr></thead><tbody>\n");
    for (size_t n = 0; n < page->link_count; n++) {
        const em_page_link *link = &page->links[n];
        emi_put(to, "<tr><th scope=\"row\">");
        emi_put_name(to, link->name, EMI_NAME_LETTERS);
        emi_put(to, "</th><td>");
        emi_put_bytes(to, (double)link->bytes_sent);
        emi_put(to, "</td><td>");
        emi_put_bytes(to, (double)link->bytes_received);
        emi_put(to, "</td><td>%d</td><td>", link->cuts);
        emi_put_seconds(to, link->seconds_waited);
        emi_put(to, "</td></tr>\n");
    }
    emi_put(to, "</tbody></table></div>\n");
}

void emi_page_sent(emi_html *to, const em_page *page)
{
    const em_info *info = em_model_info(page->model);
    if (info->nodes == 1) {
        emi_put(to, "<p>Nothing: there is one node.</p>\n");
        return;
    }
    emi_put(
        to,
        "<p>For the computation all %snodes together have sent these numbers%s. A round is a time that all wait for a "
        "message; numbers that the method sent have %d bits.</p>\n",
        page->processes == 1 ? "simulated " : "",
        page->graph ? ", each message from a node to one of its neighbours in the drawing" : "", info->wire_bits);
    put_phases(to, info);
    put_links(to, page);
}
