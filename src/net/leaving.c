/* How a node leaves, and how a study ends: who is done says so, and goes when those who have to know it do. */
#include "net/meeting.h"

#include <string.h>

const char *emi_leave_text(int code)
{
    static const char *const texts[EMI_LEAVES] = {[EMI_LEAVE_INTERRUPTED] = "was interrupted",
                                                  [EMI_LEAVE_PATIENCE] = "waited too long",
                                                  [EMI_LEAVE_DATA] = "its data cannot be used",
                                                  [EMI_LEAVE_MEMORY] = "is out of memory",
                                                  [EMI_LEAVE_DISK] = "cannot write to its disk",
                                                  [EMI_LEAVE_SIZE] = "was sent a block of another size",
                                                  [EMI_LEAVE_FAILED] = "failed",
                                                  [EMI_LEAVE_ROOT] = "the root has ended the run",
                                                  [EMI_LEAVE_FINISHED] = "the study is done",
                                                  [EMI_LEAVE_REHEARSED] = "its rehearsal is over",
                                                  [EMI_LEAVE_KNOWN] = "knows that the study is done",
                                                  [EMI_LEAVE_POLICY] = "does not go along with what is asked"};
    return code > 0 && code < EMI_LEAVES ? texts[code] : "left";
}

void emi_say_leave(emi_node *node, emi_link *l, emi_leave code)
{
    unsigned char payload[2];
    emi_u16_write(payload, (uint16_t)code);
    emi_node_say(node, l, EMI_LEAVE, payload, sizeof payload);
    l->said_leave = l->up;
}

/* A child is done, or the parent knows that this node is: noted on the disk, so that a process that comes back here awaits nobody
 * who has gone for good. */
static int note_told(emi_node *node, int peer)
{
    if (node->told[peer]) return 0;
    node->told[peer] = 1;
    return node->config.note_told ? node->config.note_told(node->config.context, node->told) : 0;
}

/* A child hears that it may go only when that is on the disk; else it will say so again. */
static int take_child_done(emi_node *node, emi_link *l)
{
    if (note_told(node, l->peer)) {
        node->told[l->peer] = 0;
        return -1;
    }
    emi_say_leave(node, l, EMI_LEAVE_KNOWN);
    return 0;
}

/* Does it end the run here too, that a neighbour leaves for this reason?  Of a child that is its own matter; what the parent says
 * of those above is believed.  That a block was of another size is believed of whom this node's block is on its way to, and who
 * has not acknowledged all of it: who else could know? */
static int ends_the_run(const emi_node *node, const emi_link *l, const emi_frame *frame, int code)
{
    int parent = l->peer == emi_parent_of(node, node->config.site);
    if (node->finished) return 0;
    if (code == EMI_LEAVE_SIZE)
        return emi_is_of_run(node, frame) && emi_node_flows(node, l) && l->block && l->acked < l->sent;
    return parent && (code == EMI_LEAVE_FINISHED || code == EMI_LEAVE_ROOT);
}

int emi_take_leave(emi_node *node, emi_link *l, const emi_frame *frame, const char **why)
{
    int code = emi_u16_read(frame->payload), peer = l->peer;
    if (l->left != code) emi_node_tell(node, EMI_NEWS_LEFT, peer, emi_leave_text(code));
    l->left = code;
    *why = "left";
    int parent = peer == emi_parent_of(node, node->config.site); /* what a child says of itself ends nothing here */
    if (node->finished && emi_is_child(node, peer) && code == EMI_LEAVE_FINISHED) return take_child_done(node, l);
    if (node->finished && parent && code == EMI_LEAVE_KNOWN) {
        (void)note_told(node, peer); /* it may go, whatever its disk says */
        return 0;
    }
    if (ends_the_run(node, l, frame, code)) {
        node->over = code;
        node->over_by = peer;
        node->over_found = 0;
    }
    if (parent && code == EMI_LEAVE_FINISHED) return 0; /* it stays until it is told the same */
    return -1;
}

void emi_node_leave(emi_node *node, emi_leave code)
{
    for (int n = 0; n < node->config.links; n++) emi_say_leave(node, &node->links[n], code);
}

int emi_node_finish(emi_node *node)
{
    node->finished = 1;
    emi_node_leave(node, EMI_LEAVE_FINISHED);
    return memchr(node->told, 1, (size_t)node->config.sites) != NULL;
}
