import { statusOf } from '../../requests/ask.ts';
import type { ZooCase } from './cases.ts';
import { jsonOf } from './values.ts';

export type Door = {
  readonly url: string;
  readonly secrets: Readonly<Record<ZooCase['path']['sentBy'], string>>;
};

const AT_ONCE = 8;

/** The status that each case gets, in their order. */
export async function sendCases(door: Door, cases: readonly ZooCase[]): Promise<number[]> {
  const statuses: number[] = [];
  const waiting = [...cases.entries()].reverse();
  const send = async (): Promise<void> => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
      statuses[next[0]] = await postCase(door, next[1]);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, send));
  return statuses;
}

export function postCase(
  door: Door,
  { path, body: value, envelope = {} }: Pick<ZooCase, 'path' | 'body' | 'envelope'>,
): Promise<number> {
  const { contentType = 'application/json', contentEncoding, bytesOf } = envelope;
  const json = jsonOf(value);
  return statusOf(`${door.url}${path.path}`, {
    headers: {
      authorization: door.secrets[path.sentBy],
      ...(contentType !== '' && { 'content-type': contentType }),
      ...(contentEncoding !== undefined && { 'content-encoding': contentEncoding }),
    },
    body: bytesOf === undefined ? json : bytesOf(json),
  });
}
