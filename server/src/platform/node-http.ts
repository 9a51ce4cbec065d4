/**
 * Node's module for HTTP. An `import` of it also loads all of `fetch` and WebSockets, which it re-exports. This takes
 * 14 MB of memory and 20 ms of each start.
 */
export const http = process.getBuiltinModule('node:http')
export const { createServer, IncomingMessage, maxHeaderSize, ServerResponse, STATUS_CODES } = http
