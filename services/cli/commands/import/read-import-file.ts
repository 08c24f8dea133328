import { createReadStream } from 'node:fs';
import { problemsOf } from '#counting';
import { FlagmeterError, readBounded } from '#runtime';
import { compileGuard } from '#schema';
import { isUnleashExport } from '#unleash';
import {
  type Conversion,
  type Exchange,
  convertUnleashExport,
  exchangeSchema,
} from '../../../admin/exchange/index.ts';

/** Node cannot hold a longer text in one string. */
const MAX_BYTES = 512_000_000;

/**
 * Reads an export file of flagmeter or Unleash, and returns it as our document. Throws a FlagmeterError if the file is neither,
 * or if a member is wrong.
 */
export async function readImportFile(file: string, maxBytes = MAX_BYTES): Promise<Conversion> {
  const content = parse(await readFile(file, maxBytes));
  const { format, version, features, featureStrategies } = membersOf(content);
  if (format === 'flagmeter') {
    const document = checked(content, compileGuard<Exchange>(exchangeSchema), 'export of flagmeter');
    return { document, omitted: {} };
  }
  if (Array.isArray(features) && version !== undefined)
    throw new FlagmeterError(
      'document',
      'This is an export of /api/admin/state/export, which Unleash 8 no longer has. ' +
        'Export the features with POST /api/admin/features-batch/export instead.',
    );
  if (Array.isArray(features) && Array.isArray(featureStrategies))
    return convertUnleashExport(checked(content, isUnleashExport, 'export of Unleash'), new Date());
  throw new FlagmeterError('document', 'The file is neither an export of flagmeter nor of Unleash.');
}

async function readFile(file: string, maxBytes: number): Promise<string> {
  const tooLong = () => new FlagmeterError('document', `The file has more than ${maxBytes / 1_000_000} MB.`);
  const stream: AsyncIterable<Buffer> = createReadStream(file);
  return (await readBounded(stream, maxBytes, tooLong)).toString('utf8');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new FlagmeterError('document', 'The file is not JSON.', { cause });
  }
}

function membersOf(content: unknown): Record<string, unknown> {
  return typeof content === 'object' && content !== null ? { ...content } : {};
}

function checked<T>(content: unknown, guard: ReturnType<typeof compileGuard<T>>, title: string): T {
  if (guard(content)) return content;
  const problems = problemsOf(guard).map(({ path, message }) => `${path} ${message}`);
  throw new FlagmeterError('document', `This ${title} has a mistake:\n  ${problems.join('\n  ')}`);
}
