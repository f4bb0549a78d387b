/* What node.c, meeting.c, awaited.c and leaving.c need of each other. */
#ifndef EIGENMESH_NET_MEETING_H
#define EIGENMESH_NET_MEETING_H

#include "net/node.h"

/* ---- meeting.c --------------------------------------------------------------------------------------------------------- */

enum { EMI_ENTRY_ROOM = 64 + EMI_ENTRY_SIGNED };

/* What an entry's signature is about; its size. */
size_t emi_signed_part(const emi_node *node, const unsigned char bytes[EMI_ENTRY_BYTES],
                       unsigned char out[EMI_ENTRY_ROOM]);

/* An entry that is believed, of a site below or its own, and one that came. */
void emi_note_entry(emi_node *node, const emi_entry *entry, double now);
int emi_take_entry(emi_node *node, int peer, const emi_frame *frame, double now, const char **why);
void emi_say_entry(emi_node *node, emi_link *l, int site);

/* A START of the parent. */
int emi_take_start(emi_node *node, const emi_frame *frame, double now, const char **why);

/* What came too often and waits: its time may have come. */
void emi_take_later(emi_node *node, double now);
size_t emi_start_size(const emi_node *node);
void emi_say_run(emi_node *node, emi_link *l);

emi_link *emi_link_to_parent(emi_node *node); /* NULL: it is the root */

/* ---- leaving.c ---------------------------------------------------------------------------------------------------------- */

void emi_say_leave(emi_node *node, emi_link *l, emi_leave code);
int emi_take_leave(emi_node *node, emi_link *l, const emi_frame *frame, const char **why);

/* ---- node.c -------------------------------------------------------------------------------------------------------------- */

int emi_parent_of(const emi_node *node, int site);
int emi_is_of_run(const emi_node *node, const emi_frame *frame);
int emi_is_child(const emi_node *node, int peer);
int emi_is_below(const emi_node *node, int site, int top);

/* Blocks flow only between those who have said that they are in the same run. */
int emi_node_flows(const emi_node *node, const emi_link *l);

void emi_node_say(emi_node *node, emi_link *l, emi_frame_kind kind, const void *payload, size_t length);
void emi_node_tell(const emi_node *node, emi_news what, int peer, const char *why);

/* What the machine of a link says becomes what is done: 0, or -1, the link is to be closed; where a count cannot be it is down
 * already, and so may all others be. */
int emi_node_settle(emi_node *node, emi_link *l, emi_outcome outcome, double now, const char **why);

#endif
