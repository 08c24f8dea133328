import {
  type TokenValidation,
  type ValidTokens,
  type TokenVerifier,
  tokenValidationSchema,
} from '#base/auth';
import {
  type Exchange,
  HttpProblem,
  addressOf,
  checkContentType,
  checkDeclaredLength,
  createAddressBudget,
  encodingOf,
  parseJson,
  readBody,
} from '#base/http';
import { problemsOf, compileGuard } from '#base/schema';
import { secretOf } from '#base/tokens';
import { Admission, type Reservation } from '../bodies/admission.ts';

/**
 * Anybody may call this endpoint, so it has its own limits and cannot keep batches out. One address gets at most a quarter of
 * them. The deadline is short, because the bodies of relays are small.
 */
const READ_AT_ONCE = { maxBytes: 16 * 1024 * 1024, maxRequests: 2000 };
const BODY_DEADLINE_MS = 2000;
/**
 * These requests must not use all look-ups of tokens. Together they look up fewer secrets than one queue holds, and those of
 * one address fewer than one query holds.
 */
const LOOKED_UP_AT_ONCE = { maxBytes: Infinity, maxRequests: 64 };
const SECRETS_AT_ONCE = 25;
/** The number of invalid secrets that one address may send in this window. */
const FAILURES = { max: 5000, windowMs: 60_000 };

const isBody = compileGuard<TokenValidation>(tokenValidationSchema);

/**
 * Returns the valid API tokens among the given secrets (docs/develop/unleash.md#tokens). It needs no credentials, because the
 * answer contains only secrets that the caller already has, and their scope.
 */
export function createTokenValidation(
  tokens: TokenVerifier,
  maxBodyBytes: number,
): (ctx: Exchange) => Promise<void> {
  const reading = new Admission(READ_AT_ONCE);
  const lookingUp = new Admission(LOOKED_UP_AT_ONCE);
  const failures = createAddressBudget(FAILURES);
  return async (ctx) => {
    const address = addressOf(ctx.ip);
    failures.check(address);
    checkContentType(ctx.req);
    const encoding = encodingOf(ctx.req);
    checkDeclaredLength(ctx.req, encoding, maxBodyBytes);
    const body = await within(reading.reserve(address, 0), async ({ add }) => {
      const onBytes = (bytes: number): void => {
        if (!add(bytes)) throw unavailable();
      };
      const options = { encoding, limit: maxBodyBytes, onBytes, deadlineMs: BODY_DEADLINE_MS };
      return parseJson(await readBody(ctx.req, options));
    });
    if (!isBody(body)) {
      throw new HttpProblem(400, 'The body does not match the schema.', {
        details: problemsOf(isBody),
        bodyProblem: 'schema',
      });
    }
    const asked = [...new Set(body.tokens)].filter((secret) => secret === secretOf(secret));
    const valid = await within(lookingUp.reserve(address, 0), () => findValid(tokens, asked, address));
    failures.spend(address, asked.length - valid.length);
    ctx.body = { tokens: valid };
  };
}

async function within<T>(room: Reservation | undefined, work: (room: Reservation) => Promise<T>): Promise<T> {
  if (room === undefined) throw unavailable();
  try {
    return await work(room);
  } finally {
    room.release();
  }
}

type ValidToken = ValidTokens['tokens'][number];

/** Looks up a few secrets at a time, so that these requests together never fill the queue of look-ups. */
async function findValid(
  tokens: TokenVerifier,
  asked: readonly string[],
  address: string,
): Promise<ValidToken[]> {
  const valid: ValidToken[] = [];
  for (let start = 0; start < asked.length; start += SECRETS_AT_ONCE) {
    const some = asked.slice(start, start + SECRETS_AT_ONCE);
    valid.push(...(await Promise.all(some.map((secret) => verify(tokens, secret, address)))).flat());
  }
  return valid;
}

async function verify(tokens: TokenVerifier, secret: string, address: string): Promise<ValidToken[]> {
  const verification = await tokens.verify(secret, address);
  if (verification === 'unavailable') throw unavailable();
  if (verification === 'unknown') return [];
  const { type, projects, environment } = verification.token;
  if (type === 'personal' || type === 'session' || type === 'scan') return [];
  return [{ token: secret, type, projects: projects.length === 0 ? ['*'] : [...projects], environment }];
}

function unavailable(): HttpProblem {
  return new HttpProblem(503, 'Tokens cannot be verified at the moment.', {
    headers: { 'Retry-After': '5' },
  });
}
