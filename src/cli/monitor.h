/*
 * monitor.h - the live view on the terminal: takes the whole screen, answers keys and changes of
 * size, and gives the terminal back as it was, however the program ends (but by SIGKILL). Where
 * standard output is no terminal, plain lines.
 */
#ifndef ASSAY_CLI_MONITOR_H
#define ASSAY_CLI_MONITOR_H

#include "watch/loop.h"
#include "watch/screen.h"

/*
 * One at a time. Its close() gives the terminal back. *ret_hooks gets up to two hooks for the
 * watch, for keys and for signals; returns how many.
 */
size_t monitor_open(const struct watch_screen_opts *opts, enum watch_screen_order order,
		    struct watch_out **ret, struct watch_hook ret_hooks[2]);

#endif
