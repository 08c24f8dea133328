import { closeSync, mkdirSync, openSync, readSync, renameSync, statSync } from 'node:fs';
import path from 'node:path';

const largestLogBytes = 8 * 1024 * 1024;

/** The log file of one run of an engine. The engine writes to `descriptor` itself, so it can outlive its parent. */
export type EngineLog = {
  readonly descriptor: number;
  /** The output of this run so far, at most the last 256 KiB. */
  read(): string;
  lastLines(count: number): string;
  close(): void;
};

export function openLog(file: string): EngineLog {
  mkdirSync(path.dirname(file), { recursive: true });
  if (sizeOf(file) > largestLogBytes) renameSync(file, `${file}.1`);
  const startBytes = sizeOf(file);
  const descriptor = openSync(file, 'a');
  const read = () => readTail(file, startBytes);
  return {
    descriptor,
    read,
    lastLines: (count) => read().trimEnd().split('\n').slice(-count).join('\n'),
    close: () => {
      closeSync(descriptor);
    },
  };
}

function readTail(file: string, startBytes: number): string {
  const endBytes = sizeOf(file);
  const from = Math.max(startBytes, endBytes - 256 * 1024);
  if (endBytes <= from) return '';
  const buffer = Buffer.alloc(endBytes - from);
  const descriptor = openSync(file, 'r');
  try {
    const length = readSync(descriptor, buffer, 0, buffer.length, from);
    return buffer.toString('utf8', 0, length);
  } finally {
    closeSync(descriptor);
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
