import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { type Config, FlagmeterError } from '#base/runtime';

export type TokenAccess = Extract<NonNullable<Config['kafka']['sasl']>, { mechanism: 'OAUTHBEARER' }>;

type Token = { readonly value: string; readonly renewAt: number };

const DEADLINE_MS = 5000;
const MAX_ANSWER_BYTES = 64 * 1024;
/** A token is renewed after this part of its life, so that none expires on its way to a broker. */
const USED_RATIO = 0.8;
/** RFC 6749, section 5.1, lets the issuer leave out the time of life. */
const DEFAULT_LIFE_SECONDS = 300;

/**
 * Returns the current access token of the client, from the issuer if there is none or it ends soon. Connections that open at the
 * same time share one request. Throws a FlagmeterError that names the problem and no secret.
 */
export function createTokenProvider(access: TokenAccess, now: () => number = Date.now) {
  let current: Promise<Token> | undefined;
  let renewAt = 0;
  const renew = async (): Promise<Token> => {
    try {
      const token = await fetchToken(access, now());
      ({ renewAt } = token);
      return token;
    } catch (error) {
      current = undefined;
      throw error;
    }
  };
  return async (): Promise<{ value: string }> => {
    if (current === undefined || now() >= renewAt) {
      renewAt = Infinity; // until the answer
      current = renew();
    }
    const { value } = await current;
    return { value };
  };
}

/** Client credentials grant: https://www.rfc-editor.org/rfc/rfc6749#section-4.4 */
async function fetchToken(access: TokenAccess, now: number): Promise<Token> {
  const { status, text } = await ask(access);
  if (status !== 200) throw problem(`answers ${status}`);
  const { access_token: value, expires_in: life = DEFAULT_LIFE_SECONDS } = parse(text);
  if (typeof value !== 'string' || value === '') throw problem('answers without an access token');
  const lifeSeconds = Number(life) > 0 ? Number(life) : DEFAULT_LIFE_SECONDS;
  return { value, renewAt: now + lifeSeconds * 1000 * USED_RATIO };
}

/** Not by `fetch`, which cannot trust the authority of TLS_CA_FILE. */
async function ask({ username, password, token }: TokenAccess): Promise<{ status: number; text: string }> {
  const { url, scope, tls } = token;
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    ...(scope === '' ? {} : { scope }),
  }).toString();
  const options = {
    method: 'POST',
    auth: `${encodeURIComponent(username)}:${encodeURIComponent(password)}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    agent: false, // a kept connection would be closed by the issuer long before the next request
    signal: AbortSignal.timeout(DEADLINE_MS),
  };
  const send = url.startsWith('https:') ? requestHttps : requestHttp;
  try {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      send(url, { ...options, ...tls }, resolve)
        .on('error', reject)
        .end(body);
    });
    return { status: answer.statusCode ?? 0, text: await readText(answer) };
  } catch (error) {
    throw problem(`cannot be reached: ${reasonOf(error)}`);
  }
}

/** A code such as ECONNREFUSED, or the class. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

async function readText(answer: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of answer.setEncoding('utf8')) {
    text += String(chunk);
    if (text.length > MAX_ANSWER_BYTES) throw new RangeError('the answer is too long');
  }
  return text;
}

function parse(text: string): { readonly access_token?: unknown; readonly expires_in?: unknown } {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? parsed : {};
  } catch {
    return {};
  }
}

function problem(what: string): FlagmeterError {
  return new FlagmeterError('oauth-token', `the issuer of tokens at KAFKA_OAUTH_TOKEN_URL ${what}`);
}
