import {
  WIRE_BODY,
  type WireRow,
  expectOnWire,
  wireRequest,
} from '../../../support/stack/engines/kafka/wire.ts';
import { sharedUncountedWorld } from '../../../support/uncounted-world.ts';
import { sharedIngest } from '../../../support/stories/counting.ts';

const LENGTH = WIRE_BODY.length;
const CHUNKED = `${LENGTH.toString(16)}\r\n${WIRE_BODY}\r\n0\r\n\r\n`;

const ROWS: readonly WireRow[] = [
  { title: 'a whole request', bytes: wireRequest(), answers: ['202'], connection: 'kept', stored: 1 },
  {
    title: 'a Content-Length one smaller than the body',
    bytes: wireRequest({ 'Content-Length': LENGTH - 1 }),
    answers: ['400 ValidationError', '400 ValidationError'],
    connection: 'closed',
  },
  {
    title: 'a body with bytes after its Content-Length',
    bytes: `${wireRequest()}surplus\r\n\r\n`,
    answers: ['202', '400 ValidationError'],
    connection: 'closed',
    stored: 1,
  },
  {
    title: 'a Content-Length of 0',
    bytes: wireRequest({ 'Content-Length': 0 }, ''),
    answers: ['400 ValidationError'],
    connection: 'kept',
  },
  {
    title: 'a POST without any length',
    bytes: wireRequest({ 'Content-Length': undefined }, ''),
    answers: ['400 ValidationError'],
    connection: 'kept',
  },
  ...['-1', '+5', '5, 5', '0x10', '1e2', '5.0', '99999999999999999999', 'five'].map((length) => ({
    title: `a Content-Length of ${length}`,
    bytes: wireRequest({ 'Content-Length': length }),
    answers: ['400 ValidationError'],
    connection: 'closed' as const,
  })),
  {
    title: 'two equal Content-Lengths',
    bytes: wireRequest({ 'Content-Length': LENGTH, 'content-length': LENGTH }),
    answers: ['400 ValidationError'],
    connection: 'closed',
  },
  {
    title: 'two different Content-Lengths',
    bytes: wireRequest({ 'Content-Length': LENGTH, 'content-length': LENGTH - 1 }),
    answers: ['400 ValidationError'],
    connection: 'closed',
  },
  {
    title: 'a chunked body with a Content-Length',
    bytes: wireRequest({ 'Transfer-Encoding': 'chunked' }, CHUNKED),
    answers: ['400 ValidationError'],
    connection: 'closed',
  },
  {
    title: 'a chunked body',
    bytes: chunked(CHUNKED),
    answers: ['202'],
    connection: 'kept',
    stored: 1,
  },
  {
    title: 'a chunked body with extensions and a trailer',
    bytes: chunked(`${LENGTH.toString(16)};a=b\r\n${WIRE_BODY}\r\n0\r\nX-Sum: 1\r\n\r\n`),
    answers: ['202'],
    connection: 'kept',
    stored: 1,
  },
  {
    title: 'a chunk without a size',
    bytes: chunked(`zz\r\n${WIRE_BODY}\r\n0\r\n\r\n`),
    answers: ['400 ValidationError'],
    connection: 'closed',
  },
  {
    title: 'a chunk size of more than 64 bits',
    bytes: chunked(`${'f'.repeat(17)}\r\n${WIRE_BODY}\r\n0\r\n\r\n`),
    answers: ['400 ValidationError'],
    connection: 'closed',
  },
  {
    title: 'a chunk that is longer than its size',
    bytes: chunked(`${(LENGTH - 1).toString(16)}\r\n${WIRE_BODY}\r\n0\r\n\r\n`),
    answers: ['400 ValidationError'],
    connection: 'closed',
  },
  {
    title: 'chunk extensions of 20 kB',
    bytes: chunked(`1;${'x'.repeat(20_000)}\r\n{\r\n0\r\n\r\n`),
    answers: ['413 ContentTooLarge'],
    connection: 'closed',
  },
  {
    title: 'a transfer encoding that is not chunked',
    bytes: wireRequest({ 'Content-Length': undefined, 'Transfer-Encoding': 'gzip' }),
    answers: ['400 ValidationError'],
    connection: 'closed',
  },
  {
    title: 'chunked before another transfer encoding',
    bytes: wireRequest({ 'Content-Length': undefined, 'Transfer-Encoding': 'chunked, gzip' }, CHUNKED),
    answers: ['400 ValidationError'],
    connection: 'closed',
  },
];

describe('the framing of a body', () => {
  const world = sharedUncountedWorld();
  const ingest = sharedIngest(world);

  for (const row of ROWS) {
    const { title, answers, connection } = row;
    it(`is answered ${answers.join(' and ')}, the connection ${connection}: ${title}`, () =>
      expectOnWire(world, ingest, row));
  }
});

function chunked(body: string): string {
  return wireRequest({ 'Content-Length': undefined, 'Transfer-Encoding': 'chunked' }, body);
}
