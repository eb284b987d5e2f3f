/*
 * socket.h - WebSockets as the modules k6/ws (ws.js) and k6/websockets (websockets.js) need them:
 * one class of objects and a few functions that only those two files see. What happens on a socket
 * becomes events in a queue, each an array: its name and what belongs to it.
 *
 *	["open", response]          the handshake was answered as hoped
 *	["message", text]           ["binaryMessage", ArrayBuffer]
 *	["ping", text]              ["pong", text]
 *	["error", text]             what went wrong; "close" follows
 *	["close", code, reason, response or undefined]   the last one
 *
 * response is { url, status, headers, body, error, subprotocol, extensions }. An event is either
 * asked for, with next(), which blocks the VU, or told to a function, one at a time on the VU's
 * fiber; a call then lasts until the socket is closed. A queue that is long holds up reading.
 */
#ifndef ASSAY_LOAD_K6_SOCKET_H
#define ASSAY_LOAD_K6_SOCKET_H

#include "load/vu.h"

/* The functions, as an object: open(url, params, protocols, deflate, deliver), next(socket, ms),
 * send(socket, data), ping(socket), close(socket, code, reason), end(socket), unsent(socket). */
JSValue load_socket_functions(JSContext *ctx);

/* Ends all of a VU's at once; their session's time counts as until now. */
void load_sockets_cancel(struct load_vu *vu);

#endif
