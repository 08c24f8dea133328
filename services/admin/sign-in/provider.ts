import * as oidc from 'openid-client';
import { type Config, FlagmeterError, readBounded } from '#runtime';
import { hashSecret } from '#tokens';
import { type Person, personOf } from './rules.ts';

export type ProviderOptions = Pick<
  NonNullable<Config['auth']['oidc']>,
  'issuer' | 'clientId' | 'clientSecret' | 'scopes' | 'groupsClaim' | 'consoleUrl'
>;

/** The identity provider, by OpenID Connect: authorization code with PKCE. Its methods reject with a ProviderError. */
export type Provider = {
  /** Where a browser begins to sign in. `secret` is random, and only this browser and we know it. */
  beginAt(secret: string): Promise<URL>;
  /** The person whom the provider sent back with this query, if the same browser began. */
  identify(query: string, secret: string): Promise<Person>;
  /** Where a browser ends its session at the provider; undefined if the provider has no such place, or does not answer. */
  endSessionAt(): Promise<URL | undefined>;
};

/** `away`: the provider does not answer. `denied`: it did not sign the person in. `invalid`: what came back does not prove anything. */
export type ProviderFailure = 'away' | 'denied' | 'invalid';

/** Its message has no claims, codes or tokens. */
export class ProviderError extends FlagmeterError {
  readonly failure: ProviderFailure;

  constructor(failure: ProviderFailure, message: string) {
    super('identity-provider', message);
    this.failure = failure;
  }
}

/** For each request to the provider. */
const TIMEOUT_SECONDS = 5;
/** Documents of providers have a few kilobytes. */
const MAX_ANSWER_BYTES = 1024 * 1024;
/** As short as an outage of the provider may stay unnoticed, so that people see our page and not that of their browser. */
const KNOWN_MS = 10_000;
const CLOCK_TOLERANCE_SECONDS = 30;

export const CALLBACK_PATH = '/sign-in/callback';

export function createProvider(options: ProviderOptions): Provider {
  const { scopes, groupsClaim, consoleUrl } = options;
  const callback = `${consoleUrl}${CALLBACK_PATH}`;
  let known: { readonly found: Promise<oidc.Configuration>; readonly until: number } | undefined;
  const recent = async (): Promise<oidc.Configuration> => {
    if (known === undefined || known.until <= Date.now())
      known = { found: discover(options), until: Date.now() + KNOWN_MS };
    const current = known;
    try {
      return await current.found;
    } catch (error) {
      if (known === current) known = undefined; // whoever tries again must not see an old failure
      throw error;
    }
  };
  return {
    beginAt: (secret) =>
      failing(async () =>
        oidc.buildAuthorizationUrl(await recent(), {
          redirect_uri: callback,
          scope: scopes,
          state: stateOf(secret),
          nonce: nonceOf(secret),
          code_challenge: await oidc.calculatePKCECodeChallenge(verifierOf(secret)),
          code_challenge_method: 'S256',
        }),
      ),
    identify: (query, secret) =>
      failing(async () => {
        // Not `recent`, because its keys may have been replaced since.
        const configuration = await discover(options);
        const tokens = await oidc.authorizationCodeGrant(configuration, new URL(`${callback}?${query}`), {
          expectedState: stateOf(secret),
          expectedNonce: nonceOf(secret),
          pkceCodeVerifier: verifierOf(secret),
          idTokenExpected: true,
        });
        const claims = tokens.claims();
        if (claims === undefined) throw new ProviderError('invalid', 'there is no ID token');
        const hasUserInfo = configuration.serverMetadata().userinfo_endpoint !== undefined;
        const more =
          hasUserInfo && (await oidc.fetchUserInfo(configuration, tokens.access_token, claims.sub));
        return personOf({ issuer: claims.iss, subject: claims.sub }, { ...more, ...claims }, groupsClaim);
      }),
    async endSessionAt() {
      try {
        const configuration = await recent();
        if (configuration.serverMetadata().end_session_endpoint === undefined) return undefined;
        return oidc.buildEndSessionUrl(configuration, { post_logout_redirect_uri: `${consoleUrl}/` });
      } catch {
        return undefined; // flagmeter has signed the person out, whatever the provider does
      }
    },
  };
}

/** What the provider sees, and what it must send back, follow from the secret but do not reveal it. */
const stateOf = (secret: string) => hashSecret(`state ${secret}`);
const nonceOf = (secret: string) => hashSecret(`nonce ${secret}`);
const verifierOf = (secret: string) => hashSecret(`code verifier ${secret}`);

function discover({ issuer, clientId, clientSecret }: ProviderOptions): Promise<oidc.Configuration> {
  const metadata = {
    [oidc.clockTolerance]: CLOCK_TOLERANCE_SECONDS,
    ...(clientSecret === undefined ? {} : { client_secret: clientSecret }),
  };
  // Without a method, the library sends the secret in the body, which every large provider accepts.
  return oidc.discovery(new URL(issuer), clientId, metadata, undefined, {
    timeout: TIMEOUT_SECONDS,
    [oidc.customFetch]: fetchBounded,
    // The signature of an ID token, also if it came over TLS.
    execute: [
      oidc.enableNonRepudiationChecks,
      // oxlint-disable-next-line typescript/no-deprecated -- the settings allow http on this machine only
      ...(issuer.startsWith('http:') ? [oidc.allowInsecureRequests] : []),
    ],
  });
}

const fetchBounded: oidc.CustomFetch = async (url, options) => {
  const { status, headers, body } = await fetch(url, options as RequestInit); // its types are those of no runtime
  const tooLong = () => new TypeError('the answer is too long');
  const content = body && new Uint8Array(await readBounded(body, MAX_ANSWER_BYTES, tooLong));
  return new Response(content, { status, headers });
};

async function failing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof ProviderError ? error : new ProviderError(failureOf(error), wordsOf(error));
  }
}

const AWAY = ['OAUTH_TIMEOUT', 'OAUTH_ABORT', 'OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_RESPONSE_IS_NOT_JSON'];

function failureOf(error: unknown): ProviderFailure {
  if (error instanceof oidc.AuthorizationResponseError) return 'denied';
  // `fetch` throws a TypeError without a code if there is no connection.
  const code = codeOf(error);
  return (error instanceof TypeError && code === '') || AWAY.includes(code) ? 'away' : 'invalid';
}

/** A cause may hold the answer of the provider, so it is not among the words. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const name =
    error instanceof oidc.AuthorizationResponseError || error instanceof oidc.ResponseBodyError
      ? error.error
      : '';
  return [error.message, codeOf(error), name]
    .filter((word) => word !== '')
    .join(', ')
    .slice(0, 200);
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
