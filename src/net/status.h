/* status.h - the phrases of HTTP's status codes, as Go's net/http words them: k6 shows those. */
#ifndef ASSAY_NET_STATUS_H
#define ASSAY_NET_STATUS_H

/* "Not Found"; "" for a code that is not registered. */
const char *net_status_reason(unsigned status);

#endif
