/*
 * captures.h - real streams of events for tests: those of the repository, and those that lie beside
 * it in ../shared/data (or in the folder that ASSAY_SHARED names), which were made by other
 * programs and come with the answers of the official parsers. A test that needs the latter is
 * skipped where they are not.
 */
#ifndef ASSAY_TESTS_DOTNET_CAPTURES_H
#define ASSAY_TESTS_DOTNET_CAPTURES_H

#include "base/strbuf.h"

/* Path of a file of ours below tests/fixtures/dotnet; all its bytes. */
void capture_fixture(const char *name, struct strbuf *ret);

/* One of data/; ".zst" and ".zip" (of one file) are unpacked. */
void capture_shared(const char *name, struct strbuf *ret);

#endif
