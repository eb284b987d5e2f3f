/* Names and numbers as dotnet-counters 10 wrote them into its files, and .NET's number form. */
#include "watch/name.h"

#include <math.h>

#include "test.h"

static const struct watch_value plain = {
	.interval_s = 1, .provider = "p", .name = "n", .unit = "", .tags = "", .total = NAN
};

static const char *named(struct watch_value v)
{
	static struct strbuf sb;

	strbuf_clear(&sb);
	watch_name(&sb, &v);
	watch_tags(&sb, &v, ';');
	return strbuf_cstr(&sb);
}

TEST(name_of_each_kind)
{
	struct watch_value v = plain;

	v.kind = WATCH_RATE;
	v.name = "dotnet.gc.pause.time";
	v.unit = "s";
	ASSERT_STREQ(named(v), "dotnet.gc.pause.time (s / 1 sec)");
	v.unit = "";
	v.display = "Gen0 GCs";
	v.interval_s = 0.5;
	ASSERT_STREQ(named(v), "Gen0 GCs (Count / 0.5 sec)");
	v.kind = WATCH_GAUGE;
	v.display = "Vault Size";
	ASSERT_STREQ(named(v), "Vault Size");
	v.unit = "EUR";
	ASSERT_STREQ(named(v), "Vault Size (EUR)");
}

TEST(name_has_tags_of_meter_instrument_and_series)
{
	struct watch_value v = plain;

	v.kind = WATCH_QUANTILE;
	v.quantile = 0.95;
	v.unit = "EUR";
	v.name = "shop.order.value";
	v.meter_tags = "area=truth";
	v.instrument_tags = "x=y";
	v.tags = "kind=leak,region=eu,west=1";
	ASSERT_STREQ(named(v), "shop.order.value (EUR)area=truth;x=y;kind=leak;region=eu;west=1;"
			       "Percentile=95");
	v.quantile = 0.999;
	v.meter_tags = v.instrument_tags = v.tags = "";
	ASSERT_STREQ(named(v), "shop.order.value (EUR)Percentile=99.9");
}

TEST(number_is_dotnets_round_trip_form)
{
	static const struct {
		double v;
		const char *text;
	} cases[] = {
		{ 0, "0" },
		{ 1310680, "1310680" },
		{ 0.002168, "0.002168" },
		{ 0.0001971721649169922, "0.0001971721649169922" },
		{ 13.447368421052632, "13.447368421052632" },
		{ -17.5, "-17.5" },
		{ 0.1, "0.1" },
		{ 100, "100" },
		{ 123456789012345, "123456789012345" },
		{ 999999999999999, "999999999999999" },
		{ 1e15, "1E+15" },
		{ 1.5e300, "1.5E+300" },
		{ 0.0001, "0.0001" },
		{ 0.00001, "1E-05" },
		{ 1.25e-7, "1.25E-07" },
		{ 5e-324, "5E-324" },
		{ NAN, "NaN" },
		{ -INFINITY, "-Infinity" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;

		watch_number(&sb, cases[i].v);
		ASSERT_STREQ(strbuf_cstr(&sb), cases[i].text);
	}
}
