import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIP } from 'node:net';

/** The addresses of a name, for the n-th question about it and its type, from 0. */
export type Zone = (name: string, turn: number) => readonly string[];

export type NameServer = {
  /** host:port, as Node.js takes it. */
  readonly address: string;
  /** Questions so far, as "A name". */
  readonly questions: string[];
  close(): void;
};

const TYPES: Readonly<Record<number, 4 | 6>> = { 1: 4, 28: 6 };

/** A name server on 127.0.0.1 that may give another answer each time, as attackers run it (RFC 1035). */
export async function startNameServer(zone: Zone): Promise<NameServer> {
  const socket = createSocket('udp4');
  const questions: string[] = [];
  socket.on('message', (query, { port, address }) => {
    const { name, end } = nameIn(query);
    const family = TYPES[query.readUInt16BE(end)];
    const label = `${family === 6 ? 'AAAA' : 'A'} ${name}`;
    const turn = questions.filter((asked) => asked === label).length;
    questions.push(label);
    const found = zone(name, turn).filter((one) => isIP(one) === family);
    socket.send(answerTo(query, end, found), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    questions,
    close() {
      socket.close();
    },
  };
}

const HEADER_BYTES = 12;

/** `end` is where type and class follow. */
function nameIn(query: Buffer): { readonly name: string; readonly end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 };
}

function answerTo(query: Buffer, end: number, addresses: readonly string[]): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  query.copy(header, 0, 0, 2); // its id
  header.writeUInt16BE(0x8180, 2); // an answer, without error
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(addresses.length, 6);
  const question = query.subarray(HEADER_BYTES, end + 4);
  return Buffer.concat([header, question, ...addresses.map(recordOf)]);
}

function recordOf(address: string): Buffer {
  const data = bytesOf(address);
  const record = Buffer.alloc(HEADER_BYTES);
  record.writeUInt16BE(0xc00c, 0); // the name of the question
  record.writeUInt16BE(data.length === 4 ? 1 : 28, 2);
  record.writeUInt16BE(1, 4);
  record.writeUInt32BE(0, 6); // nobody may keep it
  record.writeUInt16BE(data.length, 10);
  return Buffer.concat([record, data]);
}

function bytesOf(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number));
  const [head = '', tail = ''] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split('::');
  const groups = (part: string): string[] => (part === '' ? [] : part.split(':'));
  const zeros = Array.from({ length: 8 - groups(head).length - groups(tail).length }, () => '0');
  return Buffer.from(
    [...groups(head), ...zeros, ...groups(tail)].map((group) => group.padStart(4, '0')).join(''),
    'hex',
  );
}
