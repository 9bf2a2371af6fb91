/* The frame of a self-contained HTML page: one file that needs no other, light or dark as the reader's screen is. */
#ifndef VERSO_BASE_PAGE_H
#define VERSO_BASE_PAGE_H

#include "base/text.h"

void verso_page_begin(verso_text *text); /* up to the title, whose text comes next */
/* Ends the title and the head, and opens the page. `style`: rules that come after those that all pages share. */
void verso_page_main(verso_text *text, const char *style);
void verso_page_end(verso_text *text);

#endif
