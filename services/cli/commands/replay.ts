import { Command, Option } from 'commander';
import { isoDay, parseDay } from '#base/schema';
import {
  type DayChange,
  type DayRange,
  type Rebuild,
  isSame,
  rebuildDays,
  withLockedEngines,
} from '#tooling/operations';
import { type Config, FlagmeterError, type Log, amountOf } from '#base/runtime';
import { type SampleStores, readSample, sampleDays } from '../sample/index.ts';
import { tableOf } from '../columns.ts';
import { createProgress } from '../progress.ts';

type Environment = { readonly log: Log; readonly readConfig: () => Config };
type Options = {
  readonly from: string;
  readonly to: string;
  readonly allowIncomplete: boolean;
  readonly yes: boolean;
};

export function createReplayCommand({ log, readConfig }: Environment): Command {
  return new Command()
    .requiredOption('--from <day>', 'first day (UTC), as 2026-11-21')
    .requiredOption('--to <day>', 'day after the last')
    .addOption(
      new Option('--allow-incomplete', 'continue although Kafka no longer has all messages').default(false),
    )
    .addOption(new Option('--yes', 'really do it').default(false))
    .action(async ({ from, to, allowIncomplete, yes }: Options) => {
      const days = { from: dayOf(from), to: dayOf(to) };
      if (days.from >= days.to) throw new FlagmeterError('usage', '--to must be later than --from');
      const progress = createProgress();
      const onProgress = (text: string): void => {
        progress.show(text);
      };
      try {
        const rebuild = await withLockedEngines(readConfig(), log, async (engines, lock) => {
          await failIfSample(engines, days);
          return rebuildDays(engines, { ...days, allowIncomplete, apply: yes, lock, onProgress });
        });
        progress.end();
        print(rebuild);
      } finally {
        progress.end();
      }
      console.log(yes ? 'The days were replaced.' : 'Nothing was changed. Add --yes to change it.');
    });
}

/** Kafka does not have the sample, so a rebuild would remove its evaluations but not its blocks. */
async function failIfSample(stores: SampleStores, { from, to }: DayRange): Promise<void> {
  const sample = await readSample(stores);
  const [day] =
    sample === undefined ? [] : sampleDays(sample.madeAt).filter((one) => one >= from && one < to);
  if (day === undefined) return;
  throw new FlagmeterError(
    'sample',
    `nothing was changed: ${isoDay(day)} has evaluations of the sample, which Kafka does not have. Remove the sample first: flagmeter sample --remove`,
  );
}

function dayOf(text: string): number {
  const day = parseDay(text);
  if (day === undefined) throw new FlagmeterError('usage', `${text} is not a day: write it as 2026-11-21`);
  return day;
}

function print({ changes, messages, restoredBlocks, obstacles }: Rebuild): void {
  if (changes.length > 0) console.log(tableOf(changes.map(describe)));
  for (const obstacle of obstacles) console.log(`not exact: ${obstacle}`);
  const changed = changes.filter(({ before, after }) => !isSame(before, after));
  const days = new Set(changed.map(({ day }) => day)).size;
  console.log(
    `${amountOf(messages, 'message')} read; sums change on ${amountOf(days, 'day')}; ${amountOf(restoredBlocks, 'block')} missing in ClickHouse.`,
  );
}

/** Sums are yes/no counts, or counts of variants. */
function describe({ day, shard, table, before, after }: DayChange): Record<string, string> {
  return {
    day,
    ...(shard === undefined ? {} : { shard: String(shard) }),
    table,
    before: before.join('/'),
    after: isSame(before, after) ? 'the same' : after.join('/'),
  };
}
