#include "net/tls_ocsp.h"

#include <openssl/err.h>
#include <openssl/ocsp.h>
#include <openssl/ssl.h>
#include <time.h>

static const char *reason_name(int reason)
{
	static const char *const names[] = {
		"unspecified",	    "key_compromise",
		"ca_compromise",    "affiliation_changed",
		"superseded",	    "cessation_of_operation",
		"certificate_hold", NULL,
		"remove_from_crl",  "privilege_withdrawn",
		"aa_compromise",
	};

	return reason >= 0 && reason < (int)ARRAY_SIZE(names) ? names[reason] : NULL;
}

static int64_t seconds_of(const ASN1_GENERALIZEDTIME *t)
{
	struct tm tm;

	return t && ASN1_TIME_to_tm(t, &tm) == 1 ? (int64_t)timegm(&tm) : 0;
}

static void read_single(OCSP_BASICRESP *basic, struct net_ocsp *ret)
{
	OCSP_SINGLERESP *single = OCSP_resp_get0(basic, 0);
	ASN1_GENERALIZEDTIME *revoked = NULL, *this_update = NULL, *next_update = NULL;
	int reason = -1, status;

	if (!single)
		return;
	status = OCSP_single_get0_status(single, &reason, &revoked, &this_update, &next_update);
	if (status == V_OCSP_CERTSTATUS_GOOD)
		ret->status = "good";
	if (status == V_OCSP_CERTSTATUS_REVOKED) {
		ret->status = "revoked";
		ret->reason = reason_name(reason);
		ret->revoked_at = seconds_of(revoked);
	}
	ret->produced_at = seconds_of(OCSP_resp_get0_produced_at(basic));
	ret->this_update = seconds_of(this_update);
	ret->next_update = seconds_of(next_update);
}

void net_ocsp_read(struct ssl_st *ssl, struct net_ocsp *ret)
{
	const unsigned char *der;
	long len = SSL_get_tlsext_status_ocsp_resp(ssl, &der);
	OCSP_RESPONSE *response = len > 0 ? d2i_OCSP_RESPONSE(NULL, &der, len) : NULL;
	OCSP_BASICRESP *basic = response ? OCSP_response_get1_basic(response) : NULL;

	*ret = (struct net_ocsp){ .status = "unknown" };
	if (basic)
		read_single(basic, ret);
	OCSP_BASICRESP_free(basic);
	OCSP_RESPONSE_free(response);
	ERR_clear_error();
}
