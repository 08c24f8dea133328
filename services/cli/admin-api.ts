import { FlagmeterError, deadlineSignal } from '#runtime';

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

/** Leaving the loop early cancels the rest of the answer. */
async function readJson({ body, status, url }: Response, maxBytes: number): Promise<unknown> {
  const parts: AsyncIterable<Uint8Array> | null = body;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of parts ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new FlagmeterError('too-long', 'the answer is too long: ask for less');
    chunks.push(chunk);
  }
  if (bytes === 0) return undefined;
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    // Without the cause, because its message quotes the answer.
    throw new FlagmeterError(
      'answer',
      `${new URL(url).origin} answered ${status} with something that is no JSON`,
    );
  }
}
