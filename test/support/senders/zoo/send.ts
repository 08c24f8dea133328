import { post } from '../../requests/post.ts';
import type { ZooCase } from './cases.ts';

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

export async function postCase(
  door: Door,
  { path, body: value, envelope = {} }: Pick<ZooCase, 'path' | 'body' | 'envelope'>,
): Promise<number> {
  const { contentType = 'application/json', contentEncoding, bytesOf } = envelope;
  const json = JSON.stringify(value);
  const { status } = await post(door, {
    path: path.path,
    authorization: door.secrets[path.sentBy],
    contentType,
    headers: contentEncoding === undefined ? {} : { 'content-encoding': contentEncoding },
    body: bytesOf === undefined ? json : new Uint8Array(bytesOf(json)),
  });
  return status;
}
