import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * A client that sent `Expect: 100-continue` gets its leave when its body is first read, so that it never sends a body
 * that its head is reason enough to reject. Without the leave the connection closes behind the answer: what comes
 * next on it could be that body or another request.
 */
export function letContinueWhenRead(request: IncomingMessage, response: ServerResponse): void {
  response.setHeader('Connection', 'close');
  request.once('resume', () => {
    if (response.headersSent) return;
    response.removeHeader('Connection');
    response.writeContinue();
  });
}
