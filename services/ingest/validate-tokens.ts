import type { Context } from 'koa';
import {
  type TokenValidation,
  type ValidTokens,
  compileGuard,
  problemsOf,
  tokenValidationSchema,
} from '#contract';
import { secretOf } from '#domain';
import { HttpProblem, checkContentType, checkDeclaredLength, encodingOf, parseJson, readBody } from '#http';
import type { VerifiedTokens } from '#stores';
import { Admission } from './admission.ts';

/** Strangers may call this, so it has room of its own: what they do must not keep batches out ... */
const READ_AT_ONCE = { maxBytes: Infinity, maxRequests: 100 };
/** ... nor take all look-ups of tokens. */
const LOOKED_UP_AT_ONCE = { maxBytes: Infinity, maxRequests: 16 };
const SECRETS_AT_ONCE = 50;

const isBody = compileGuard<TokenValidation>(tokenValidationSchema);

/**
 * Answers which of the given secrets are valid API tokens, as an Edge asks at its start and every hour (unleash-facts
 * 1.1). Nobody has to say who they are: the answer holds only what the caller knows already, and the scope of it.
 */
export function createTokenValidation(
  tokens: VerifiedTokens,
  maxBodyBytes: number,
): (ctx: Context) => Promise<void> {
  const reading = new Admission(READ_AT_ONCE);
  const lookingUp = new Admission(LOOKED_UP_AT_ONCE);
  return async (ctx) => {
    checkContentType(ctx.req);
    const encoding = encodingOf(ctx.req);
    checkDeclaredLength(ctx.req, encoding, maxBodyBytes);
    const body = await within(reading, async () =>
      parseJson(await readBody(ctx.req, { encoding, limit: maxBodyBytes })),
    );
    if (!isBody(body)) {
      throw new HttpProblem(400, 'The body does not match the schema.', { details: problemsOf(isBody) });
    }
    ctx.body = { tokens: await within(lookingUp, () => findValid(tokens, body.tokens)) };
  };
}

async function within<T>(admission: Admission, work: () => Promise<T>): Promise<T> {
  const room = admission.reserve('stranger', 0);
  if (room === undefined) throw unavailable();
  try {
    return await work();
  } finally {
    room.release();
  }
}

type ValidToken = ValidTokens['tokens'][number];

/** Few at a time, so that requests together never take all the room that look-ups have for strangers. */
async function findValid(tokens: VerifiedTokens, secrets: readonly string[]): Promise<ValidToken[]> {
  const asked = [...new Set(secrets)].filter((secret) => secret === secretOf(secret));
  const valid: ValidToken[] = [];
  for (let start = 0; start < asked.length; start += SECRETS_AT_ONCE) {
    const some = asked.slice(start, start + SECRETS_AT_ONCE);
    valid.push(...(await Promise.all(some.map((secret) => verify(tokens, secret)))).flat());
  }
  return valid;
}

async function verify(tokens: VerifiedTokens, secret: string): Promise<ValidToken[]> {
  const verification = await tokens.verify(secret);
  if (verification === 'unavailable') throw unavailable();
  if (verification === 'unknown' || verification.token.type === 'personal') return [];
  const { type, projects, environment } = verification.token;
  return [{ token: secret, type, projects: projects.length === 0 ? ['*'] : [...projects], environment }];
}

function unavailable(): HttpProblem {
  return new HttpProblem(503, 'Tokens cannot be checked at the moment.', { headers: { 'Retry-After': '5' } });
}
