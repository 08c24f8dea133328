import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Sends `100 Continue` only when the body is first read. So a client that asked for it never sends a body that its headers
 * already disqualify. If it was not sent, the connection closes after the answer: the next bytes could be that body or another
 * request.
 */
export function letContinueWhenRead(request: IncomingMessage, response: ServerResponse): void {
  response.setHeader('Connection', 'close');
  request.once('resume', () => {
    if (response.headersSent) return;
    response.removeHeader('Connection');
    response.writeContinue();
  });
}
