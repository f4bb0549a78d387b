#include "net/tree.h"

#include "net/no_memory.h"

#include <stdlib.h>
#include <string.h>

em_status emi_tree_open(emi_program *p, em_error *err)
{
    p->child_count = 0;
    p->children = malloc((size_t)p->study->site_count * sizeof *p->children);
    if (!p->children) return emi_no_memory(err);
    for (int n = 0; n < p->study->site_count; n++)
        if (p->study->sites[n].parent == p->site) p->children[p->child_count++] = n;
    return EM_OK;
}

void emi_tree_close(emi_program *p)
{
    free(p->children);
    p->children = NULL;
}

int emi_tree_parent(const emi_program *p)
{
    return p->study->sites[p->site].parent;
}

static em_status round_of(emi_program *p, const int *to, int to_count, const int *from, int from_count,
                          const void *block, size_t bytes, em_error *err)
{
    const void **blocks = malloc(((size_t)to_count + 1) * sizeof *blocks);
    em_status status = blocks ? EM_OK : emi_no_memory(err);
    for (int n = 0; n < to_count && blocks; n++) blocks[n] = block;
    if (status == EM_OK)
        status = emi_hub_begin(p->hub, p->generation, to, blocks, to_count, from, from_count, bytes, err);
    if (status == EM_OK) status = emi_hub_end(p->hub, p->generation, err);
    free(blocks);
    return status;
}

em_status emi_tree_tell(emi_program *p, void *block, size_t bytes, em_error *err)
{
    int parent = emi_tree_parent(p), count = p->child_count;
    em_status status = EM_OK;
    if (parent >= 0) {
        status = round_of(p, NULL, 0, &parent, 1, NULL, bytes, err);
        if (status == EM_OK) memcpy(block, emi_hub_block(p->hub, parent), bytes);
    }
    if (status == EM_OK && count) status = round_of(p, p->children, count, NULL, 0, block, bytes, err);
    return status;
}

static em_status hear_children(emi_program *p, size_t bytes, em_error *err)
{
    return p->child_count ? round_of(p, NULL, 0, p->children, p->child_count, NULL, bytes, err) : EM_OK;
}

static em_status tell_parent(emi_program *p, const void *block, size_t bytes, em_error *err)
{
    int parent = emi_tree_parent(p);
    return parent >= 0 ? round_of(p, &parent, 1, NULL, 0, block, bytes, err) : EM_OK;
}

em_status emi_tree_agree(emi_program *p, const void *block, size_t bytes, em_error *err)
{
    em_status status = hear_children(p, bytes, err);
    for (int n = 0; n < p->child_count && status == EM_OK; n++)
        if (memcmp(emi_hub_block(p->hub, p->children[n]), block, bytes) != 0)
            status = em_fail(err, EM_ENET, "node: %s has another model than this site; try all again",
                             p->study->sites[p->children[n]].name);
    return status == EM_OK ? tell_parent(p, block, bytes, err) : status;
}

em_status emi_tree_add(emi_program *p, uint64_t *numbers, int count, em_error *err)
{
    enum { MOST = 8 };
    unsigned char bytes[8 * MOST];
    size_t size = 8 * (size_t)count;
    em_status status = hear_children(p, size, err);
    for (int n = 0; n < p->child_count && status == EM_OK; n++) {
        const unsigned char *theirs = emi_hub_block(p->hub, p->children[n]);
        for (int k = 0; k < count; k++) numbers[k] += emi_u64_read(theirs + 8 * (size_t)k);
    }
    for (int k = 0; k < count; k++) emi_u64_write(bytes + 8 * (size_t)k, numbers[k]);
    return status == EM_OK ? tell_parent(p, bytes, size, err) : status;
}
