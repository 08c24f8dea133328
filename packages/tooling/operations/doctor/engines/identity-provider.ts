import { type Config, readBounded } from '#base/runtime';
import { judgeClock } from '../checks/servers/clock.ts';
import { type Examination, type Judgement, fail, ok } from '../finding.ts';
import type { Now } from '../installation.ts';

type Access = Pick<NonNullable<Config['auth']['oidc']>, 'issuer'>;

/** Of a sign-in too. */
const TIMEOUT_MS = 5000;
const MAX_ANSWER_BYTES = 1024 * 1024;
/** Whole issuers are compared, but of a long one only the beginning is shown. */
const MAX_SHOWN = 200;

/** What a sign-in needs of the provider, besides a browser and a person. */
export function identityProviderExamination({ issuer }: Access, now: Now): Examination {
  let asked: Promise<Answer> | undefined;
  const discover = () =>
    (asked ??= ask(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, now));
  return {
    engine: 'The identity provider',
    checks: [
      { name: 'identity provider', run: async () => judgeDiscovery(issuer, await discover()) },
      {
        name: 'identity provider keys',
        run: async () => {
          const { jwks_uri: address } = (await discover()).body;
          return typeof address === 'string' ? judgeKeys(await ask(address, now)) : NO_KEYS;
        },
      },
      { name: 'identity provider clock', run: async () => judgeDate(await discover()) },
    ],
    close: () => Promise.resolve(),
  };
}

type Answer = {
  readonly status: number;
  /** Empty if it is no JSON object. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly date: string | null;
  readonly askedAt: number;
  readonly answeredAt: number;
};

async function ask(address: string, now: Now): Promise<Answer> {
  const askedAt = now();
  const response = await fetch(address, { redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) });
  const answeredAt = now();
  const tooLong = () => new TypeError('its answer is too long');
  const text = await readBounded(response.body ?? new ReadableStream(), MAX_ANSWER_BYTES, tooLong);
  const { status, headers } = response;
  return { status, body: objectIn(text), date: headers.get('date'), askedAt, answeredAt };
}

function objectIn(text: Buffer): Answer['body'] {
  try {
    const value: unknown = JSON.parse(text.toString());
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

function judgeDiscovery(expected: string, { status, body }: Answer): Judgement {
  const { issuer } = body;
  if (status !== 200 || typeof issuer !== 'string')
    return fail(
      `The identity provider has no discovery document: its status is ${status}.`,
      'Set OIDC_ISSUER to the part of its address before /.well-known/openid-configuration.',
    );
  if (issuer === expected) return ok('The identity provider answers for OIDC_ISSUER.');
  return fail(
    `The identity provider is the issuer ${issuer.slice(0, MAX_SHOWN)}, which is not OIDC_ISSUER.`,
    'Set OIDC_ISSUER to exactly this text, or choose the right realm or tenant.',
  );
}

const NO_KEYS = fail(
  'The identity provider publishes no key of signatures, so no sign-in succeeds.',
  'Add an active signing key of RSA or an elliptic curve at the provider.',
);

function judgeKeys({ status, body: { keys } }: Answer): Judgement {
  const found = status === 200 && Array.isArray(keys) ? keys.filter(isOfSignatures).length : 0;
  return found === 0 ? NO_KEYS : ok(`The identity provider publishes its keys of signatures: ${found}.`);
}

function isOfSignatures(key: unknown): boolean {
  const { kty, use = 'sig' } = Object(key) as { kty?: unknown; use?: unknown };
  return use === 'sig' && ['RSA', 'EC', 'OKP'].includes(String(kty));
}

/** The header has whole seconds. Without it nothing is known, which is no failure. */
function judgeDate({ date, askedAt, answeredAt }: Answer): Judgement {
  if (date === null) return ok('The identity provider does not show its clock.');
  const aheadMs = Date.parse(date) + 500 - (askedAt + answeredAt) / 2;
  return judgeClock({ aheadMs, uncertaintyMs: (answeredAt - askedAt) / 2 + 501 });
}
