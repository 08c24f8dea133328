import { ANYBODY, type Caller, callerOf } from '#domain';
import { HttpProblem, readToken } from '#http';
import type { VerifiedTokens } from '#stores';

export type Identification = {
  readonly authType: 'tokens' | 'none';
  readonly tokens: VerifiedTokens;
};

/** Who sends an Authorization header: 401 if nobody known, 403 if tokens of its type have no business here. */
export async function identify({ authType, tokens }: Identification, authorization: string): Promise<Caller> {
  const isOpen = authType === 'none';
  if (authorization === '') {
    if (isOpen) return ANYBODY;
    throw new HttpProblem(401, 'Send an ADMIN token or a personal token in the Authorization header.');
  }
  const token = await readToken(tokens, authorization);
  if (token === undefined) {
    if (isOpen) return ANYBODY;
    throw new HttpProblem(401, 'The token is not valid.');
  }
  const caller = callerOf(token);
  if (caller === undefined) throw new HttpProblem(403, 'The admin API takes ADMIN and personal tokens only.');
  return isOpen ? ANYBODY : caller;
}
