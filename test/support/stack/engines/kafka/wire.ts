import { expect } from 'chai';
import type { ProblemBody } from '#base/http';
import type { Service } from '#base/runtime';
import { countMessages } from './topics.ts';
import { aFreshMetric, bodyOf } from '../../../requests/post.ts';
import { openRawConnection } from '../../../requests/raw-http.ts';
import { CLIENT_TOKEN, type World } from '../../../world.ts';

/** Bytes on one connection and the expected result. */
export type WireRow = {
  readonly title: string;
  readonly bytes: string | Uint8Array;
  /** The status, and of an error body also its name, in the order of the requests. */
  readonly answers: readonly string[];
  /** Kept for the next request, or closed after the answers without further bytes. */
  readonly connection: 'kept' | 'closed';
  /** Number of messages in Kafka; by default none. */
  readonly stored?: number;
  /** The client sends FIN after its last byte, and keeps reading. */
  readonly isHalfClosed?: boolean;
};

/** A body of one metric, which is stored as one message. */
export const WIRE_BODY = bodyOf({ metrics: [aFreshMetric({ yes: 1 })] });

export type WireHeaders = Readonly<Record<string, string | number | undefined>>;

/** A valid request as bytes, with the given headers replaced; undefined omits a header. */
export function wireRequest(headers: WireHeaders = {}, body: string = WIRE_BODY): string {
  return wireHead(headers) + body;
}

export function wireHead(headers: WireHeaders = {}, requestLine = 'POST /edge/metrics HTTP/1.1'): string {
  const all: WireHeaders = {
    Host: 'test',
    Authorization: CLIENT_TOKEN,
    'Content-Type': 'application/json',
    'Content-Length': WIRE_BODY.length,
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) =>
    value === undefined ? '' : `${name}: ${value}\r\n`,
  );
  return `${requestLine}\r\n${lines.join('')}\r\n`;
}

/** Fails unless answers, connection and messages in Kafka match the row. */
export async function expectOnWire(world: World, service: Service, row: WireRow): Promise<void> {
  const before = await countMessages(world);
  await expectAnswers(service, row);
  expect(await countMessages(world)).to.equal(before + (row.stored ?? 0));
}

/** Writes the bytes. Fails unless the answers and the connection match the row. */
export async function expectAnswers(service: Service, row: WireRow): Promise<void> {
  const connection = await openRawConnection(service.url);
  await connection.write(row.bytes);
  if (row.isHalfClosed === true) connection.finish();
  const answers: string[] = [];
  for (let left = row.answers.length; left > 0; left -= 1) {
    const { status, body } = await connection.answer();
    answers.push(body === '' ? String(status) : `${status} ${nameIn(body)}`);
  }
  expect(answers).to.deep.equal(row.answers);
  if (row.connection === 'closed') {
    expect(await connection.closed()).to.equal('');
  } else {
    await connection.write(wireRequest({ 'Content-Length': 1 }, '{'));
    expect((await connection.answer()).status).to.equal(400);
  }
  connection.cut();
}

/** The name of an error. The body must be exactly that of the contract. */
function nameIn(body: string): string {
  const problem = JSON.parse(body) as ProblemBody; // checked by the next line
  expect(problem).to.include.all.keys('id', 'name', 'message');
  return problem.name;
}
