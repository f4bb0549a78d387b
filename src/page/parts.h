/* The parts of a page.  Each puts what it knows to say, or says what would tell. */
#ifndef EMI_PAGE_PARTS_H
#define EMI_PAGE_PARTS_H

#include "page/html.h"

#include <eigenmesh/page.h>

/* A noun for a count: "1 row", "2 rows". */
void emi_put_number_of(emi_html *to, unsigned long long count, const char *noun);

/* Is it the page of the fit itself, made by who has the command?  That of a model alone says what a model does not keep. */
int emi_page_is_own(const em_page *page);
#define EMI_NOT_KEPT "a model does not keep: the page of the fit itself has it."

/* Is it known that no mean was subtracted?  Then "variances" are mean squares. */
int emi_page_is_uncentred(const em_page *page);

/* style.css, which the build makes C of. */
extern const char emi_page_style[];

/* words.c: how it ended, and how far the answer can be trusted, for who has never heard of an eigenvector. */
void emi_page_verdict(emi_html *to, const em_model *model); /* in one sentence */
void emi_page_certificate(emi_html *to, const em_page *page);
void emi_page_glossary(emi_html *to, const em_page *page);

/* data.c: rows and columns, and what was done to them. */
void emi_page_data(emi_html *to, const em_page *page);

/* variances.c: the share of each component. */
double emi_page_share(const em_model *model,
                      int components); /* of the first ones together, in percent; NaN: not known */
void emi_page_variances(emi_html *to, const em_model *model, int with_table);

/* loadings.c: which features a component is made of. */
void emi_page_loadings(emi_html *to, const em_model *model);

/* scatter.c: rows as points. */
em_status emi_page_scores(emi_html *to, const em_page *page, em_error *err);

/* network.c: who took part. */
em_status emi_page_network(emi_html *to, const em_page *page, em_error *err);

/* curve.c: how the answer was come by. */
void emi_page_method(emi_html *to, const em_page *page);

/* sent.c: what went where. */
void emi_page_sent(emi_html *to, const em_page *page);

/* again.c: versions, options and the command. */
em_status emi_page_again(emi_html *to, const em_page *page, em_error *err);

#endif
