import { FlagmeterError } from '#runtime';
import type { Push, SearchedName } from '../../../admin/code-references/index.ts';

/** Where flagmeter answers, and the secret that it accepts. */
export type Access = { readonly url: string; readonly token: string };

const PATH = '/api/admin/code-references';
const DEADLINE_MS = 60_000;
/** A hundred thousand names have less. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

/** The names to search: of one project, or of all projects and unknown ones. */
export async function readNames(access: Access, project: string | undefined): Promise<SearchedName[]> {
  const query = project === undefined ? '' : `?${new URLSearchParams({ project }).toString()}`;
  const { names } = (await call(access, `${PATH}/names${query}`)) as { names: SearchedName[] }; // our own API
  return names;
}

export async function push(access: Access, body: Push): Promise<void> {
  await call(access, PATH, { method: 'POST', body: JSON.stringify(body) });
}

/** Follows no redirects, because they may send the secret elsewhere. */
async function call({ url, token }: Access, path: string, request: RequestInit = {}): Promise<unknown> {
  const address = `${url.replace(/\/+$/, '')}${path}`;
  const headers = { authorization: token, 'content-type': 'application/json', 'user-agent': 'flagmeter' };
  const signal = AbortSignal.timeout(DEADLINE_MS);
  const answer = await readAnswer(fetch(address, { ...request, headers, redirect: 'manual', signal })).catch(
    (error: unknown) => {
      if (error instanceof FlagmeterError) throw error;
      throw new FlagmeterError('unreached', `${address} did not answer: ${causeOf(error)}`, { cause: error });
    },
  );
  if (answer.status === 200) return JSON.parse(answer.text) as unknown;
  throw new FlagmeterError('answer', `${address} answered ${answer.status}: ${messageOf(answer.text)}`);
}

async function readAnswer(request: Promise<Response>): Promise<{ status: number; text: string }> {
  const { status, body } = await request;
  const parts: AsyncIterable<Uint8Array> | null = body;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of parts ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) throw new FlagmeterError('answer', 'The answer is too long.');
    chunks.push(chunk);
  }
  return { status, text: Buffer.concat(chunks).toString('utf8') };
}

function messageOf(text: string): string {
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    return typeof message === 'string' ? message : 'no reason was given';
  } catch {
    return 'this is not the admin API of flagmeter';
  }
}

function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}
