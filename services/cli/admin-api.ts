import { FlagmeterError, deadlineSignal, readBounded } from '#base/runtime';

export type AdminApiRequest = {
  readonly method?: string;
  /** Begins with a slash; names in it are encoded. */
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Ends the request earlier. */
  readonly signal?: AbortSignal;
};

/** Any status, and the parsed JSON of the answer; undefined if it is empty. */
export type AdminApiAnswer = { readonly status: number; readonly body: unknown };

/**
 * The admin API of a running flagmeter. `send` rejects with a FlagmeterError if there is no complete answer of JSON within 30
 * seconds and `maxBytes`. It follows no redirects, because they may send the secret elsewhere.
 */
export type AdminApi = { send(request: AdminApiRequest, maxBytes: number): Promise<AdminApiAnswer> };

export type AdminApiOptions = {
  /** The address of flagmeter, with or without a slash at its end. */
  readonly url: string;
  /** Undefined while the server needs no token. */
  readonly secret: string | undefined;
};

const DEADLINE_MS = 30_000;

/** Reads FLAGMETER_TOKEN; the address is an option of the command or FLAGMETER_URL. */
export function openAdminApi(env: NodeJS.ProcessEnv, url = env['FLAGMETER_URL'] ?? ''): AdminApi {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new FlagmeterError(
      'usage',
      'FLAGMETER_URL or --url must be the address of flagmeter, such as https://flags.example.com',
    );
  const secret = env['FLAGMETER_TOKEN'] ?? '';
  return createAdminApi({ url, secret: secret === '' ? undefined : secret });
}

function createAdminApi({ url, secret }: AdminApiOptions): AdminApi {
  const base = url.replace(/\/+$/, '');
  return {
    async send({ method = 'GET', path, body, signal }, maxBytes) {
      const target = new URL(`${base}${path}`);
      // A name such as `..` would lead to another path.
      if (`${target.pathname}${target.search}` !== `${new URL(base).pathname.replace(/\/$/, '')}${path}`)
        throw new FlagmeterError('usage', 'a name in this request cannot be part of a path');
      const deadline = deadlineSignal(DEADLINE_MS, signal);
      try {
        const response = await fetch(target, {
          method,
          headers: {
            accept: 'application/json',
            'user-agent': 'flagmeter',
            ...(secret === undefined ? {} : { authorization: secret }),
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          redirect: 'manual',
          signal: deadline.signal,
        });
        return { status: response.status, body: await readJson(response, maxBytes) };
      } catch (error) {
        if (error instanceof FlagmeterError) throw error;
        throw new FlagmeterError('unreached', `${target.origin} did not answer.`, { cause: error });
      } finally {
        deadline.end();
      }
    },
  };
}

async function readJson({ body, status, url }: Response, maxBytes: number): Promise<unknown> {
  const parts: AsyncIterable<Uint8Array> | null = body;
  if (parts === null) return undefined;
  const tooLong = () => new FlagmeterError('too-long', 'the answer is too long: ask for less');
  const bytes = await readBounded(parts, maxBytes, tooLong);
  if (bytes.length === 0) return undefined;
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    // Without the cause, because its message quotes the answer.
    throw new FlagmeterError(
      'answer',
      `${new URL(url).origin} answered ${status} with something that is no JSON`,
    );
  }
}

/** The longest answer of `call`. A hundred thousand names have less. */
const MAX_CALLED_BYTES = 32 * 1024 * 1024;

/** Sends a request whose answer is 200, and returns its body. Rejects with the message of any other answer. */
export async function call(api: AdminApi, request: AdminApiRequest): Promise<unknown> {
  const { status, body } = await api.send(request, MAX_CALLED_BYTES);
  if (status === 200) return body;
  throw new FlagmeterError('answer', `${request.path} answered ${status}: ${messageOf(body)}`);
}

function messageOf(body: unknown): string {
  const { message } = (body ?? {}) as { message?: unknown };
  return typeof message === 'string' ? message : 'no reason was given';
}
