/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_PAGE_EMBEDDED_FILES_H
#define MEMSEARCH_PAGE_EMBEDDED_FILES_H

/* The files of the page, as text that ends with a zero. */
extern const char page_html[], page_css[], page_js[];

#endif
