import type { IncomingMessage } from 'node:http';
import type { TokenVerifier } from '#auth';
import { HttpProblem, readToken } from '#http';
import { ANYBODY, type Caller, callerOf } from '#tokens';
import { checkOrigin } from './origin.ts';

export type Identification = {
  readonly authType: 'tokens' | 'none';
  /** Names that the API may be called by while anybody may call it. */
  readonly hosts: readonly string[];
  readonly tokens: TokenVerifier;
};

/** Who sends a request: 401 if nobody known, 403 if tokens of this type have no business here, or the request has none. */
export async function identify(
  { authType, tokens, hosts }: Identification,
  request: IncomingMessage,
): Promise<Caller> {
  const isOpen = authType === 'none';
  const { headers } = request;
  // Without tokens, web pages are kept out by what browsers say of them, and by nothing else.
  if (isOpen) checkOrigin(headers, hosts);
  if ((headers.authorization ?? '') === '') {
    if (isOpen) return ANYBODY;
    throw new HttpProblem(401, 'Send an ADMIN token or a personal token in the Authorization header.');
  }
  const token = await readToken(tokens, request);
  if (token === undefined) {
    if (isOpen) return ANYBODY;
    throw new HttpProblem(401, 'The token is not valid.');
  }
  const caller = callerOf(token);
  if (caller === undefined)
    throw new HttpProblem(403, 'The admin API accepts only ADMIN and personal tokens.');
  return isOpen ? ANYBODY : caller;
}
