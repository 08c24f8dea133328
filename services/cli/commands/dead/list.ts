import { Command, InvalidArgumentError, Option } from 'commander';
import { type KeptLetter, decodeCounts, decodeRegistrations } from '#core/counting';
import {
  type Engines,
  type Letter,
  eachKeptLetter,
  placeId,
  readLetters,
  withEngines,
} from '#tooling/operations';
import { type Config, FlagmeterError, type Log, amountOf } from '#base/runtime';
import { tableOf } from '../../columns.ts';
import { jsonOption, printJson } from '../../print-json.ts';

type Environment = { readonly log: Log; readonly readConfig: () => Config };

type Filters = {
  readonly state?: string;
  readonly reason?: string;
  readonly topic?: 'counts' | 'applications';
  readonly limit: number;
  readonly json: boolean;
};

export function createDeadList({ log, readConfig }: Environment): Command {
  return new Command('list')
    .description('list dead letters and their states')
    .addOption(
      new Option('--state <state>', 'only such letters').choices(['open', 'pending', 'replayed', 'dropped']),
    )
    .addOption(new Option('--topic <topic>', 'only letters of this').choices(['counts', 'applications']))
    .option('--reason <text>', 'only letters whose reason contains this')
    .option('--limit <number>', 'maximum number of letters, the oldest first', toLimit, 100)
    .addOption(jsonOption())
    .action(async (filters: Filters) => {
      const config = readConfig();
      const letters = await withEngines(config, log, readLetters);
      const matching = letters.filter((letter) => matches(letter, filters, config));
      const shown = matching.slice(0, filters.limit).map(describe);
      if (filters.json) printJson(shown);
      else printList(shown, matching, letters);
    });
}

function toLimit(text: string): number {
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number from 1.');
}

function matches(letter: Letter, { state, reason = '', topic }: Filters, { kafka }: Config): boolean {
  if (state !== undefined && letter.state !== state) return false;
  if (topic !== undefined && letter.topic !== kafka.topics[topic]) return false;
  return letter.reason.includes(reason);
}

type Described = ReturnType<typeof describe>;

function describe({ key, epoch, state, reason, problemToday, sizeBytes, appendedAt }: Letter) {
  const when = new Date(appendedAt).toISOString();
  return { key, epoch, when, state, reason, today: problemToday ?? 'can be decoded', sizeBytes };
}

function printList(shown: readonly Described[], matching: readonly Letter[], all: readonly Letter[]): void {
  if (shown.length > 0) console.log(tableOf(shown));
  if (shown.length < matching.length) {
    console.log(`${matching.length - shown.length} more; --limit shows them.`);
  }
  const count = (state: string): number => all.filter((letter) => letter.state === state).length;
  console.log(
    `${amountOf(all.length, 'dead letter')}: ${count('open')} open, ${count('pending')} pending, ` +
      `${count('replayed')} replayed, ${count('dropped')} dropped.`,
  );
}

export function createDeadShow({ log, readConfig }: Environment): Command {
  return new Command('show')
    .description('show one dead letter: its position, why it is dead, and its first bytes')
    .argument('<key>', 'key, as list shows it')
    .action(async (key: string) => {
      await withEngines(readConfig(), log, async (engines) => {
        const found = (await readLetters(engines)).filter((letter) => letter.key === key);
        if (found.length === 0) throw new FlagmeterError('not-found', 'there is no such dead letter');
        for (const letter of found) await show(engines, letter);
      });
    });
}

async function show(engines: Engines, letter: Letter): Promise<void> {
  const { topic, partition, offset, ...described } = { ...letter, ...describe(letter) };
  const { key, epoch, when, state, reason, today, sizeBytes } = described;
  const place = { topic, epoch, partition, offset: offset.toString() };
  console.log(
    Object.entries({ key, ...place, when, state, reason, today, sizeBytes })
      .map(toLine)
      .join('\n'),
  );
  let kept: KeptLetter | undefined;
  await eachKeptLetter(engines, (candidate) => {
    if (placeId(candidate) === placeId(letter)) kept ??= candidate;
    return Promise.resolve();
  });
  if (kept === undefined) return;
  console.log(contentOf(kept, engines.config));
  console.log(previewOf(kept.value));
}

function toLine([name, value]: readonly [string, unknown]): string {
  return `${name.padEnd(12)}${String(value)}`;
}

/** The contents of the message, if the current decoder can read it. */
function contentOf({ topic, value }: KeptLetter, { kafka }: Config): string {
  if (topic === kafka.topics.applications) {
    const decoded = decodeRegistrations(value);
    return 'problem' in decoded ? '' : amountOf(decoded.registrations.length, 'application');
  }
  const decoded = decodeCounts(value);
  if ('problem' in decoded) return '';
  const { batchId, receivedAt, received } = decoded.message;
  return `batch ${batchId}, received ${new Date(receivedAt).toISOString()}, ${amountOf(received, 'metric')}`;
}

const PREVIEW_TEXT = 2000;
const PREVIEW_BYTES = 256;

/** The beginning of a message: as text with escaped control characters, or as bytes in hex. */
export function previewOf(value: Uint8Array | null): string {
  if (value === null) return '(no value)';
  const text = textOf(value);
  if (text === undefined) {
    const rows =
      Buffer.from(value.subarray(0, PREVIEW_BYTES))
        .toString('hex')
        .match(/.{1,64}/g) ?? [];
    return [...rows, ...moreOf(value.byteLength - PREVIEW_BYTES, 'bytes')].join('\n');
  }
  const shown = text.slice(0, PREVIEW_TEXT).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, escapeCharacter);
  return [shown, ...moreOf(text.length - PREVIEW_TEXT, 'characters')].join('\n');
}

function textOf(value: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(value);
  } catch {
    return undefined;
  }
}

function escapeCharacter(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

function moreOf(count: number, unit: string): string[] {
  return count > 0 ? [`... and ${count} ${unit} more`] : [];
}
