/* The frame of a self-contained HTML page: one file that needs no other, light or dark as the reader's screen is. */
#ifndef VERSO_BASE_PAGE_H
#define VERSO_BASE_PAGE_H

#include "base/text.h"

/* In this order; what the page itself has to say is written between them. */
void verso_page_begin(verso_text *text); /* then: rules of style, after those that all pages share */
void verso_page_title(verso_text *text); /* then: the title, after the word Verso */
void verso_page_main(verso_text *text);  /* then: the page */
void verso_page_end(verso_text *text);

#endif
