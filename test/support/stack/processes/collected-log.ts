import { Writable } from 'node:stream';
import { pino } from 'pino';
import type { Log } from '#base/runtime';

type LogLine = Readonly<Record<string, unknown>>;

/** A log whose lines can be read back. */
export function collectLog(): { readonly log: Log; readonly lines: () => LogLine[] } {
  const written: string[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      written.push(chunk.toString());
      done();
    },
  });
  const lines = (): LogLine[] => written.map((line) => JSON.parse(line) as LogLine); // pino wrote it
  return { log: pino({}, stream), lines };
}
