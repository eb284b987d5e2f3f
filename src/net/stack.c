#include <stdlib.h>

#include "net/client_internal.h"

/* A buffer that one large response has grown is not kept for all small ones that follow. */
#define KEEP_BYTES (64 * 1024)

static const char *copy_or_null(const char *s)
{
	return s ? xstrdup(s) : NULL;
}

struct net_stack *net_stack_new(struct net_loop *loop, const struct net_stack_opts *opts)
{
	struct net_stack *stack = xmalloc(sizeof(*stack));

	*stack = (struct net_stack){ .loop = loop };
	if (opts)
		stack->opts = *opts;
	stack->opts.dns.servers = copy_or_null(stack->opts.dns.servers);
	stack->opts.tls.ca_file = copy_or_null(stack->opts.tls.ca_file);
	stack->opts.tls.ciphers = copy_or_null(stack->opts.tls.ciphers);
	stack->opts.tls.ciphers13 = copy_or_null(stack->opts.tls.ciphers13);
	stack->dns = net_dns_new(loop, &stack->opts.dns);
	return stack;
}

static void free_call(struct net_stack *stack, struct net_call *call)
{
	net_timer_remove(stack->loop, &call->timer);
	strbuf_release(&call->out);
	free(call);
}

static void free_response(struct net_response *res)
{
	strbuf_release(&res->message);
	strbuf_release(&res->body);
	net_head_release(&res->head);
	free(res);
}

void net_stack_free(struct net_stack *stack)
{
	if (!stack)
		return;
	while (stack->idle_calls) {
		struct net_call *call = stack->idle_calls;

		stack->idle_calls = call->next;
		free_call(stack, call);
	}
	while (stack->idle_responses) {
		struct net_response *res = stack->idle_responses;

		stack->idle_responses = res->next;
		free_response(res);
	}
	net_dns_free(stack->dns);
	net_tls_free(stack->tls);
	free((char *)(uintptr_t)stack->opts.dns.servers);
	free((char *)(uintptr_t)stack->opts.tls.ca_file);
	free((char *)(uintptr_t)stack->opts.tls.ciphers);
	free((char *)(uintptr_t)stack->opts.tls.ciphers13);
	free(stack);
}

struct net_loop *net_stack_loop(struct net_stack *stack)
{
	return stack->loop;
}

int stack_tls(struct net_stack *stack, struct net_tls **ret, struct error *reterr)
{
	int r;

	if (!stack->tls) {
		r = net_tls_new(&stack->tls, &stack->opts.tls, reterr);
		if (r < 0)
			return r;
	}
	*ret = stack->tls;
	return 0;
}

struct net_call *stack_take_call(struct net_stack *stack)
{
	struct net_call *call = stack->idle_calls;

	if (!call)
		return xcalloc(1, sizeof(*call));
	stack->idle_calls = call->next;
	return call;
}

static void trim(struct strbuf *sb)
{
	if (sb->cap > KEEP_BYTES)
		strbuf_release(sb);
	else
		strbuf_clear(sb);
}

void stack_return_call(struct net_stack *stack, struct net_call *call)
{
	trim(&call->out);
	call->next = stack->idle_calls;
	stack->idle_calls = call;
}

struct net_response *stack_take_response(struct net_stack *stack)
{
	struct net_response *res = stack->idle_responses;

	if (!res) {
		res = xcalloc(1, sizeof(*res));
		res->stack = stack;
		return res;
	}
	stack->idle_responses = res->next;
	return res;
}

void net_response_free(struct net_response *res)
{
	struct strbuf message, body;
	struct net_head head;

	if (!res)
		return;
	net_link_close(res->link);
	trim(&res->message);
	trim(&res->body);
	net_head_clear(&res->head);
	message = res->message;
	body = res->body;
	head = res->head;
	*res = (struct net_response){ .message = message,
				      .body = body,
				      .head = head,
				      .stack = res->stack,
				      .next = res->stack->idle_responses };
	res->stack->idle_responses = res;
}
