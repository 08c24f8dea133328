import { createReadStream } from 'node:fs';
import { parse as parseYaml } from 'yaml';
import { FlagmeterError, readBounded } from '#base/runtime';
import type { Conversion } from '../../../admin/doors/exchange/index.ts';
import { CONVERT, type ImportFormat, WITHOUT_ENVIRONMENT, formatOf } from './import-formats.ts';

export type ImportFile = {
  readonly file: string;
  /** Recognised by the content if it is left out. */
  readonly format?: ImportFormat | undefined;
  /** Of the flags, if their file does not name it. */
  readonly environment?: string | undefined;
};

/** Node cannot hold a longer text in one string. */
const MAX_BYTES = 512_000_000;

/**
 * Reads an export file of flagmeter or Unleash, or a flag file of flagd or GO Feature Flag, and returns it as our document. Throws a
 * FlagmeterError if the file is none of these, or if a member is wrong.
 */
export async function readImportFile(
  { file, format, environment }: ImportFile,
  maxBytes = MAX_BYTES,
): Promise<Conversion> {
  const content = parse(await readFile(file, maxBytes));
  const found = format ?? formatOf(content);
  if (found === undefined) throw unknownFormat(content);
  if (environment !== undefined && !WITHOUT_ENVIRONMENT.has(found))
    throw new FlagmeterError(
      'document',
      `A file of ${found} names its environments: leave out --environment.`,
    );
  return CONVERT[found](content, environment);
}

function unknownFormat(content: unknown): FlagmeterError {
  const { features, version } = membersOf(content);
  return new FlagmeterError(
    'document',
    Array.isArray(features) && version !== undefined
      ? 'This is an export of /api/admin/state/export, which Unleash 8 no longer has. ' +
          'Export the features with POST /api/admin/features-batch/export instead.'
      : 'The file is no export of flagmeter or Unleash, and no flag file of flagd or GO Feature Flag. --format says which one it is.',
  );
}

async function readFile(file: string, maxBytes: number): Promise<string> {
  const tooLong = () => new FlagmeterError('document', `The file has more than ${maxBytes / 1_000_000} MB.`);
  const stream: AsyncIterable<Buffer> = createReadStream(file);
  return (await readBounded(stream, maxBytes, tooLong)).toString('utf8');
}

function membersOf(content: unknown): Record<string, unknown> {
  return typeof content === 'object' && content !== null ? { ...content } : {};
}

/** Anchors are limited, so a small file cannot become a large document. Keys stay texts, also `on` and `1`. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (notJson) {
    try {
      return parseYaml(text, { merge: true, stringKeys: true, maxAliasCount: 100, logLevel: 'error' });
    } catch {
      throw new FlagmeterError('document', 'The file is neither JSON nor YAML.', { cause: notJson });
    }
  }
}
