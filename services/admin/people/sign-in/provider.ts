import * as oidc from 'openid-client';
import { type Config, FlagmeterError, readBounded } from '#base/runtime';
import { formOf, isName } from './claim-forms.ts';
import { type Claims, type Reading, personOf } from './claims.ts';
import { nonceOf, stateOf, verifierOf } from './secrets.ts';

export type ProviderOptions = Pick<
  NonNullable<Config['auth']['oidc']>,
  'issuer' | 'clientId' | 'clientSecret' | 'scopes' | 'claims' | 'consoleUrl'
>;

/** The identity provider, by OpenID Connect: authorization code with PKCE. Its methods reject with a ProviderError. */
export type Provider = {
  /** Where a browser begins to sign in. `secret` is random, and only this browser and we know it. */
  beginAt(secret: string): Promise<URL>;
  /** The person whom the provider sent back with this query, if the same browser began. */
  identify(query: string, secret: string): Promise<Identified>;
  /**
   * Where a browser ends its session at the provider; undefined if the provider has no such place, or does not answer. With the ID
   * token of the sign-in, the provider need not ask the person.
   */
  endSessionAt(idToken: string | undefined): Promise<URL | undefined>;
};

export type Identified = Reading & { readonly idToken: string | undefined };

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
  const { scopes, consoleUrl } = options;
  const callback = `${consoleUrl}${CALLBACK_PATH}`;
  let known: { readonly found: Promise<oidc.Configuration>; readonly until: number } | undefined;
  const recent = async (): Promise<oidc.Configuration> => {
    if (known === undefined || known.until <= performance.now())
      known = { found: discover(options), until: performance.now() + KNOWN_MS };
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
        const claims = claimsOf(tokens, options);
        const { iss: issuer, sub: subject } = claims;
        const hasUserInfo = configuration.serverMetadata().userinfo_endpoint !== undefined;
        const documents: readonly Claims[] = hasUserInfo
          ? [claims, await oidc.fetchUserInfo(configuration, tokens.access_token, subject)]
          : [claims];
        const reading = personOf({ issuer, subject }, documents, options.claims);
        return { ...reading, idToken: tokens.id_token };
      }),
    async endSessionAt(idToken) {
      try {
        const configuration = await recent();
        if (configuration.serverMetadata().end_session_endpoint === undefined) return undefined;
        return oidc.buildEndSessionUrl(configuration, {
          post_logout_redirect_uri: `${consoleUrl}/`,
          ...(idToken === undefined ? {} : { id_token_hint: idToken }),
        });
      } catch {
        return undefined; // flagmeter has signed the person out, whatever the provider does
      }
    },
  };
}

type Tokens = oidc.TokenEndpointResponse & oidc.TokenEndpointResponseHelpers;

/** Of the ID token. Its subject is stored, and identifies the person for ever. */
function claimsOf(tokens: Tokens, { clientId }: ProviderOptions): oidc.IDToken {
  const claims = tokens.claims();
  if (claims === undefined) throw new ProviderError('invalid', 'there is no ID token');
  // The library compares it only if there are several audiences.
  if (claims.azp !== undefined && claims.azp !== clientId)
    throw new ProviderError('invalid', 'the claim azp of the ID token names another client');
  if (!isName(claims.sub)) throw new ProviderError('invalid', `the claim sub is ${formOf(claims.sub)}`);
  return claims;
}

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
  const tooLong = () => new ProviderError('invalid', 'an answer is longer than 1 MiB');
  const content = body && new Uint8Array(await readBounded(body, MAX_ANSWER_BYTES, tooLong));
  return new Response(content, { status, headers });
};

async function failing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw ownErrorIn(error) ?? new ProviderError(failureOf(error), wordsOf(error));
  }
}

/** The library wraps errors of `fetchBounded`. */
function ownErrorIn(error: unknown): ProviderError | undefined {
  if (error instanceof ProviderError) return error;
  return error instanceof Error && error.cause instanceof ProviderError ? error.cause : undefined;
}

const AWAY = ['OAUTH_TIMEOUT', 'OAUTH_ABORT', 'OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_RESPONSE_IS_NOT_JSON'];

function failureOf(error: unknown): ProviderFailure {
  if (error instanceof oidc.AuthorizationResponseError) return 'denied';
  // `fetch` throws a TypeError without a code if there is no connection.
  const code = codeOf(error);
  return (error instanceof TypeError && code === '') || AWAY.includes(code) ? 'away' : 'invalid';
}

/** Of errors of OAuth, such as invalid_grant. Anything else is text of the provider, or of whoever calls back. */
const ERROR_NAME = /^[a-z_]{1,64}$/;

/** A cause may hold the answer of the provider. Its message is used only if the library wrote it, which names claims, not values. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const name =
    error instanceof oidc.AuthorizationResponseError || error instanceof oidc.ResponseBodyError
      ? error.error
      : '';
  const known = ERROR_NAME.test(name) ? name : '';
  // Of an error without a code, the runtime may quote what it got, such as an access token that no header can have.
  const message = codeOf(error) === '' && error.message !== 'fetch failed' ? error.name : error.message;
  const { cause } = error;
  const detail = cause instanceof Error && codeOf(cause).startsWith('OAUTH_') ? cause.message : '';
  return [message, codeOf(error), known, detail]
    .filter((word) => word !== '')
    .join(', ')
    .slice(0, 200);
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
