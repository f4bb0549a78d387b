/* Who is really awaited: not the neighbour that is silent because it waits itself. */
#include "net/meeting.h"

static int is_awaited_in_round(const emi_link *l)
{
    return !emi_link_has_sent(l) || !emi_link_has_got(l);
}

int emi_node_round_is_done(const emi_node *node)
{
    for (int n = 0; n < node->config.links; n++)
        if (is_awaited_in_round(&node->links[n])) return 0;
    return 1;
}

/* Through a neighbour: itself, or whom it awaits in turn; also where it waited too long for that, and left just now.  That this
 * may be the node itself is news before a run: its columns are not the root's. */
static int awaited_through(const emi_node *node, int peer)
{
    const emi_link *l = emi_node_link((emi_node *)node, peer);
    int further = l && (l->up || l->left == EMI_LEAVE_PATIENCE) ? l->peer_awaits : EMI_NOBODY;
    int possible = further < node->config.sites && (further != node->config.site || !emi_node_in_run(node));
    return possible ? further : peer;
}

/* Of those who have to know of the end; children first, since the parent's word takes a moment. */
static int first_not_told(const emi_node *node)
{
    int parent = emi_parent_of(node, node->config.site);
    for (int n = 0; n < node->config.links; n++)
        if (emi_is_child(node, node->links[n].peer) && !node->told[node->links[n].peer]) return node->links[n].peer;
    return parent >= 0 && !node->told[parent] ? parent : -1;
}

int emi_node_awaits(const emi_node *node)
{
    int site = node->config.site, nearest = -1;
    for (int n = 0; node->waits_in_round && n < node->config.links; n++)
        if (is_awaited_in_round(&node->links[n])) return awaited_through(node, node->links[n].peer);
    if (node->finished) return first_not_told(node);
    if (node->waits_for_end) return awaited_through(node, emi_parent_of(node, site));
    if (emi_node_in_run(node)) return -1;
    if (node->differs >= 0) return node->differs;
    for (int other = 0; other < node->config.sites && nearest < 0; other++) /* numbers do not fall with depth */
        if (emi_is_below(node, other, site) && !node->here[other] && node->here[emi_parent_of(node, other)])
            nearest = other;
    if (nearest >= 0) return nearest;
    return emi_parent_of(node, site) >= 0 ? awaited_through(node, emi_parent_of(node, site)) : -1;
}
