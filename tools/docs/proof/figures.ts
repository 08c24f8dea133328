import type { Minute, NotedRun } from '../../run/noted-runs.ts';

/** Runs of a kind that the page shows. */
const SHOWN = 10;

type Table = {
  readonly head: readonly string[];
  readonly cells: (run: NotedRun) => readonly (string | number)[] | undefined;
};

/** The tables of the page. A run of another kind has no cells. */
const TABLES: Readonly<Record<string, Table>> = {
  worlds: {
    head: ['first seed', 'worlds', 'events', 'broken promises'],
    cells: (run) =>
      run.kind === 'simulation'
        ? [run.firstSeed, whole(run.worlds), whole(run.events), run.failed]
        : undefined,
  },
  tests: {
    head: ['seed', 'tests passed', 'failed', 'batches acknowledged under faults', 'lost', 'doubled'],
    cells: (run) =>
      run.kind === 'tests'
        ? [run.seed, whole(run.passed), run.failed, whole(run.acknowledged), run.lost, run.doubled]
        : undefined,
  },
  mutants: {
    head: ['changes', 'noticed', 'not noticed'],
    cells: (run) =>
      run.kind === 'mutants'
        ? [whole(run.changes), percent(1 - run.survivors / run.changes), whole(run.survivors)]
        : undefined,
  },
  throughput: {
    head: ['rows of a body', 'floor, rows/s', 'everything, rows/s', 'to the floor'],
    cells: (run) =>
      run.kind === 'bench'
        ? [run.rows, whole(run.floor), whole(run.everything), (run.everything / run.floor).toFixed(2)]
        : undefined,
  },
  memory: {
    head: [
      'minutes',
      'rows/s, first and last minute',
      'ingest MiB, first and last',
      'worker MiB, first and last',
    ],
    cells: (run) =>
      run.kind === 'soak'
        ? [
            run.minutes.length,
            ends(run.minutes, ({ rate }) => rate),
            ends(run.minutes, ({ peakMiB }) => peakMiB['ingest']),
            ends(run.minutes, ({ peakMiB }) => peakMiB['worker']),
          ]
        : undefined,
  },
};

/** The page with the newest runs in its tables, the newest first. */
export function withFigures(page: string, runs: readonly NotedRun[]): string {
  return Object.entries(TABLES).reduce((text, [name, table]) => {
    const begin = `<!-- ${name}: written by \`make proof\` -->\n`;
    const end = `<!-- end of ${name} -->`;
    const [before, rest, ...more] = text.split(begin);
    const [, after] = rest?.split(end) ?? [];
    if (before === undefined || after === undefined || more.length > 0)
      throw new Error(`the page needs the lines ${begin.trim()} and ${end} once`);
    return `${before}${begin}\n${tableOf(table, runs)}\n${end}${after}`;
  }, page);
}

function tableOf({ head, cells }: Table, runs: readonly NotedRun[]): string {
  const rows = runs.toReversed().flatMap((run) => {
    const own = cells(run);
    return own === undefined ? [] : [[...placeOf(run), ...own]];
  });
  if (rows.length === 0) return 'No run is noted yet.\n';
  const all = [
    [...PLACE, ...head],
    [...PLACE.map(() => '---'), ...head.map(() => '---:')],
    ...rows.slice(0, SHOWN),
  ];
  return all.map((row) => `| ${row.join(' | ')} |\n`).join('');
}

const PLACE = ['day', 'commit', 'machine'];

function placeOf({ at, machine }: NotedRun): string[] {
  const { commit, processor = 'unknown', cores, memoryGiB, node } = machine;
  return [
    at.slice(0, 10),
    `\`${commit}\``,
    `${cores} cores of ${processor}, ${memoryGiB} GiB, Node ${node.slice(1)}`,
  ];
}

function ends(minutes: readonly Minute[], read: (minute: Minute) => number | undefined): string {
  return [minutes[0], minutes.at(-1)].map((minute) => whole((minute && read(minute)) ?? 0)).join(', ');
}

function whole(figure: number): string {
  return Math.round(figure).toLocaleString('en');
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
