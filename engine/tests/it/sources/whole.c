#ifndef STORE_H
#define STORE_H
#include "store/page.h"
#include <string.h>

#define PAGE_SIZE 4096
#define MIN(a, b) ((a) < (b) ? (a) : (b))

typedef unsigned int u32;
typedef struct page { u32 id; struct page *next; } page_t;
typedef int (*visit_fn)(page_t *page, void *data);
enum mode { MODE_READ, MODE_WRITE = 2 };
union word { u32 u; float f; };

extern int store_open(const char *path, enum mode mode);
static const char *const names[] = { "read", "write" };
int counter = 0;

static inline page_t *page_next(page_t *page)
{
    return page->next ? page->next : page_alloc(sizeof(page_t));
}

int
walk(page_t *first, visit_fn visit)
{
    int local_proto(void);
    for (page_t *p = first; p; p = page_next(p))
        if (visit(p, names))
            return -1;
    return memcmp(first, first, 0);
}
#endif
