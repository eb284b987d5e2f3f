# What was stored says the same as what was seen: the same page to the byte.
$MAKE_CASE . && mkdir was && cp report.html report.md case.json was
$ASSAY report . >/dev/null && for f in report.html report.md case.json; do cmp $f was/$f; done
