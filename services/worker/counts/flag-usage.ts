import type { Block } from '#core/counting';
import { Counter, type Registry } from '#base/runtime';

export type FlagUsage = {
  note(block: Pick<Block, 'sums'>): void;
  /** The samples of all series, as a scraper gets them. */
  read(): string;
};

/** What a flag returned to an application; a series each for `yes` and `no`. */
type Usage = {
  readonly toggle: string;
  readonly appName: string;
  readonly yes: number;
  readonly no: number;
  readonly usedAt: number;
};
const SERIES_OF_USAGE = 2;

const NAME = 'feature_toggle_usage_total';

/** All of it was scraped long ago, and scrapers take its return for a restart. */
const SILENT_MS = 3_600_000;

/**
 * Returns what counts the evaluations of stored blocks under the name and the labels that Unleash has for them, so that panels
 * made for Unleash go on. If `maxSeries` are there, only what was silent for an hour makes room, so that made-up names neither push
 * out flags in use nor stay. Evaluations without a series are added up in another counter, under no made-up flag.
 */
export function createFlagUsage(
  registry: Registry,
  maxSeries: number,
  now = (): number => performance.now(),
): FlagUsage {
  /** In the order of their last use. */
  const usages = new Map<string, Usage>();
  const beyond = new Counter({
    name: 'flagmeter_worker_usage_beyond_series_total',
    help: `Evaluations in stored blocks that ${NAME} has no series for`,
    registers: [registry],
  });
  const hasRoom = (usedAt: number): boolean => {
    if ((usages.size + 1) * SERIES_OF_USAGE <= maxSeries) return true;
    const [longest] = usages;
    return longest !== undefined && longest[1].usedAt < usedAt - SILENT_MS && usages.delete(longest[0]);
  };
  const note: FlagUsage['note'] = ({ sums }) => {
    const { names } = sums;
    const usedAt = now();
    for (let row = 0; row < sums.rowCount; row += 1) {
      const toggle = names[sums.featureOf(row)] ?? '';
      const appName = names[sums.appOf(sums.groupOf(row))] ?? '';
      const [yes, no] = [sums.yesOf(row), sums.noOf(row)];
      const key = `${toggle.length} ${toggle} ${appName}`;
      const known = usages.get(key);
      if (known === undefined && !hasRoom(usedAt)) {
        beyond.inc(yes + no);
        continue;
      }
      usages.delete(key);
      usages.set(key, { toggle, appName, yes: (known?.yes ?? 0) + yes, no: (known?.no ?? 0) + no, usedAt });
    }
  };
  return { note, read: () => textOf(usages.values()) };
}

/** Labels are made when the metrics are read, because a block has thousands of rows. */
function textOf(usages: Iterable<Usage>): string {
  const lines = [
    `# HELP ${NAME} Evaluations in stored blocks by flag, result and application, as Unleash shows them`,
    `# TYPE ${NAME} counter`,
  ];
  for (const { toggle, appName, yes, no } of usages) {
    const [flag, app] = [escape(toggle), escape(appName)];
    lines.push(
      `${NAME}{toggle="${flag}",active="true",appName="${app}"} ${yes}`,
      `${NAME}{toggle="${flag}",active="false",appName="${app}"} ${no}`,
    );
  }
  return `${lines.join('\n')}\n`;
}

function escape(label: string): string {
  return label.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
