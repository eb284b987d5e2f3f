/* response_html.h - the methods of a response that read its body as a page. */
#ifndef ASSAY_LOAD_K6_RESPONSE_HTML_H
#define ASSAY_LOAD_K6_RESPONSE_HTML_H

#include "load/k6/html.h"

/* submitForm({ formSelector, submitSelector, fields, params }): a response object. */
JSValue load_response_submit_form(JSContext *ctx, struct load_html_doc *doc, JSValueConst options);

/* clickLink({ selector, params }): a response object. */
JSValue load_response_click_link(JSContext *ctx, struct load_html_doc *doc, JSValueConst options);

#endif
