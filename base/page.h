/* The frame of a self-contained HTML page: one file without references to others, in light or dark colours
 * according to the reader's settings. */
#ifndef VERSO_BASE_PAGE_H
#define VERSO_BASE_PAGE_H

#include "base/text.h"

/* Call these in this order; after each, the caller writes the part that its comment names. */
void verso__page_begin(verso__text *text); /* then: CSS rules of this page */
void verso__page_title(verso__text *text); /* then: the title, which follows the word "Verso " */
void verso__page_main(verso__text *text);  /* then: the body */
void verso__page_end(verso__text *text);

#endif
