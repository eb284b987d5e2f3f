# A page that is not there, a name that nobody has, a list with a fault.
"$ASSAY" counters collect --prometheus 127.0.0.1:1 -d 1s
echo "refused: $?"
"$ASSAY" counters collect --prometheus ftp://127.0.0.1/ -d 1s 2>/dev/null
echo "no URL: $?"
"$ASSAY" counters collect -n no-such-program-here
echo "no name: $?"
"$ASSAY" counters collect -p 1 --counters 'a[b'
echo "list: $?"
