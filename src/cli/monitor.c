#include "cli/monitor.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/term.h"

#define ENTER "\033[?1049h\033[?25l\033[?7l" /* other screen, no cursor, no wrapping */
#define LEAVE "\033[?7h\033[?25h\033[?1049l"

struct monitor {
	struct watch_out out;
	struct watch_screen *screen;
	bool live; /* draws; else prints */
	bool paused;
	int failure;
};

/* What a signal handler needs to give the terminal back. */
static struct termios saved;
static volatile sig_atomic_t has_keys, has_screen;
static int signal_pipe[2] = { -1, -1 };

static struct monitor *monitor_of(struct watch_out *o)
{
	return container_of(o, struct monitor, out);
}

/* --- the terminal --- */

static int put(const char *text, size_t len)
{
	while (len) {
		ssize_t n = write(STDOUT_FILENO, text, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		text += n;
		len -= (size_t)n;
	}
	return 0;
}

static void enter_screen(void)
{
	struct termios raw;

	if (isatty(STDIN_FILENO) && tcgetattr(STDIN_FILENO, &saved) == 0) {
		raw = saved;
		raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
		raw.c_cc[VMIN] = 1;
		raw.c_cc[VTIME] = 0;
		has_keys = tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) == 0;
	}
	has_screen = 1;
	put(ENTER, sizeof(ENTER) - 1);
}

/* Called from signal handlers too. */
static void leave_screen(void)
{
	if (has_screen)
		put(LEAVE, sizeof(LEAVE) - 1);
	has_screen = 0;
	if (has_keys)
		tcsetattr(STDIN_FILENO, TCSADRAIN, &saved);
	has_keys = 0;
}

static void draw(struct monitor *m)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT, out = STRBUF_INIT;
	struct winsize size = { 0 };
	struct str rest, line;
	bool first = true;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || !size.ws_col || !size.ws_row)
		size = (struct winsize){ .ws_col = 80, .ws_row = 24 };
	watch_screen_render(m->screen, size.ws_col, size.ws_row, &text);
	strbuf_addstr(&out, "\033[H");
	rest = strbuf_str(&text);
	while (rest.len && str_split(&rest, '\n', &line)) {
		strbuf_addf(&out, "%s%s%.*s\033[0m\033[K", first ? "" : "\r\n",
			    first ? "\033[1m" : "", STR_FMT(line));
		first = false;
	}
	strbuf_addstr(&out, "\033[J");
	if (!m->failure)
		m->failure = put(out.ptr, out.len);
}

/* --- signals and keys --- */

static void on_signal(int number)
{
	char byte = (char)number;

	if (write(signal_pipe[1], &byte, 1) < 0)
		return; /* it is full: there is enough to do */
}

static void on_crash(int number)
{
	leave_screen();
	raise(number); /* its old meaning is back: SA_RESETHAND */
}

static void catch_signals(void)
{
	static const int ours[] = { SIGWINCH, SIGTSTP, SIGCONT };
	static const int crashes[] = { SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL };
	struct sigaction sa = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	struct sigaction crash = { .sa_handler = on_crash, .sa_flags = (int)SA_RESETHAND };

	for (size_t i = 0; i < ARRAY_SIZE(ours); i++)
		sigaction(ours[i], &sa, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(crashes); i++)
		sigaction(crashes[i], &crash, NULL);
}

/* Ctrl-Z: the shell gets its terminal, and we ours when it lets us go on. */
static void suspend(void)
{
	leave_screen();
	signal(SIGTSTP, SIG_DFL);
	raise(SIGTSTP);
	catch_signals();
	enter_screen();
}

static int take_signals(void *arg)
{
	struct monitor *m = arg;
	char bytes[64];
	ssize_t n = read(signal_pipe[0], bytes, sizeof(bytes));

	for (ssize_t i = 0; i < n; i++)
		if (bytes[i] == SIGTSTP)
			suspend();
	draw(m);
	return 0;
}

static int page(void)
{
	struct winsize size = { 0 };

	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 6 ? size.ws_row - 6
									       : 10;
}

/* Not 0: quit. */
static int take_key(struct monitor *m, char key)
{
	switch (key) {
	case 'q':
	case 'Q':
		return 1;
	case 's':
		watch_screen_set_order(m->screen,
				       (watch_screen_order(m->screen) + 1) % WATCH_ORDERS);
		break;
	case 'p':
		m->paused = !m->paused;
		watch_screen_set_paused(m->screen, m->paused);
		break;
	case 'j':
		watch_screen_scroll(m->screen, 1);
		break;
	case 'k':
		watch_screen_scroll(m->screen, -1);
		break;
	case ' ':
	case 'f':
		watch_screen_scroll(m->screen, page());
		break;
	case 'b':
		watch_screen_scroll(m->screen, -page());
		break;
	default:
		break;
	}
	return 0;
}

/* Arrows and page keys as the letters above: "\033[A", "\033OB", "\033[5~". */
static char letter_of(const char *bytes, ssize_t n, ssize_t *at)
{
	static const char from[] = "AB56", to[] = "kjbf";
	const char *found;

	if (bytes[*at] != '\033')
		return bytes[*at];
	if (*at + 2 >= n || (bytes[*at + 1] != '[' && bytes[*at + 1] != 'O'))
		return '\0';
	*at += 2;
	found = strchr(from, bytes[*at]);
	if (*at + 1 < n && bytes[*at + 1] == '~')
		++*at;
	return found && *found ? to[found - from] : '\0';
}

static int take_keys(void *arg)
{
	struct monitor *m = arg;
	char bytes[64];
	ssize_t n = read(STDIN_FILENO, bytes, sizeof(bytes));

	if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN))
		return 1; /* the terminal is gone */
	for (ssize_t i = 0; i < n; i++)
		if (take_key(m, letter_of(bytes, n, &i)) != 0)
			return 1;
	draw(m);
	return 0;
}

/* --- the out --- */

static int take_value(struct watch_out *o, const struct watch_value *v)
{
	struct monitor *m = monitor_of(o);

	watch_screen_value(m->screen, v);
	return m->failure;
}

static int tick(struct watch_out *o, uint64_t t_ns)
{
	struct monitor *m = monitor_of(o);
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;

	watch_screen_tick(m->screen, t_ns);
	if (m->live && !m->paused)
		draw(m);
	if (!m->live) {
		watch_screen_plain(m->screen, &text);
		m->failure = put(strbuf_cstr(&text), text.len);
	}
	return m->failure;
}

static int note(struct watch_out *o, uint64_t t_ns, const char *text)
{
	struct monitor *m = monitor_of(o);

	watch_screen_note(m->screen, t_ns, text);
	if (m->live && !m->paused)
		draw(m);
	if (!m->live)
		fprintf(stderr, "-- %s\n", text);
	return m->failure;
}

static int close_monitor(struct watch_out *o, struct error *reterr)
{
	struct monitor *m = monitor_of(o);
	int r = m->failure;

	leave_screen();
	watch_screen_free(m->screen);
	free(m);
	return r < 0 ? error_errno(reterr, r, "writing to the terminal") : 0;
}

/* A screen that is ours: not when another job has the terminal. */
static bool owns_terminal(void)
{
	return term_is_live(stdout) && tcgetpgrp(STDOUT_FILENO) == getpgrp();
}

size_t monitor_open(const struct watch_screen_opts *opts, enum watch_screen_order order,
		    struct watch_out **ret, struct watch_hook ret_hooks[2])
{
	static const struct watch_out_ops ops = { take_value, tick, note, close_monitor };
	struct monitor *m = xcalloc(1, sizeof(*m));
	size_t n = 0;

	m->out.ops = &ops;
	m->screen = watch_screen_new(opts);
	m->live = owns_terminal() && pipe2(signal_pipe, O_CLOEXEC | O_NONBLOCK) == 0;
	watch_screen_set_order(m->screen, order);
	*ret = &m->out;
	if (!m->live)
		return 0;
	catch_signals();
	enter_screen();
	ret_hooks[n++] = (struct watch_hook){ signal_pipe[0], take_signals, m };
	if (has_keys)
		ret_hooks[n++] = (struct watch_hook){ STDIN_FILENO, take_keys, m };
	draw(m);
	return n;
}
