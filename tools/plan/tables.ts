import { DEFAULTS, type Hardware, PARTS, type Plan, largestFor, planFor, sumOf } from './plan.ts';
import { type Keys, MANY, REALISTIC } from './load.ts';
import { MEASURED, compare } from './measured.ts';

const BEGIN = '<!-- plan: written by make plan from tools/plan -->';
const END = '<!-- end of plan -->';
const ROWS = 100;
const KEYS: readonly { readonly title: string; readonly keys: Keys }[] = [
  { title: '20,000 keys', keys: REALISTIC },
  { title: '500,000 keys', keys: MANY },
];
const SINGLE: Hardware = { ...DEFAULTS, kafkaReplicas: 1, clickHouseReplicas: 1 };

/** A document with the current tables between each pair of comments, in their order. */
export function withTables(document: string): string {
  const tables = [fitTable(), planTable(), coresTable()];
  const [head = '', ...pieces] = document.split(`${BEGIN}\n`);
  if (pieces.length !== tables.length) throw new Error(`the document has ${pieces.length} places for tables`);
  return pieces.reduce((text, piece, index) => {
    const end = piece.indexOf(END);
    if (end < 0) throw new Error(`the document lacks ${END}`);
    return `${text}${BEGIN}\n\n${tables[index] ?? ''}\n\n${piece.slice(end)}`;
  }, head);
}

/** Calculated CPU relative to measured CPU. */
function fitTable(): string {
  const rows = MEASURED.map((measured) => {
    const ratios = compare(measured);
    return [measured.title, ...PARTS.map((part) => ratios[part].toFixed(2))];
  });
  return markdown(['measurement', ...PARTS], rows);
}

function planTable(): string {
  const loads = KEYS.flatMap(({ title, keys }) =>
    [10_000, 100_000, 1_000_000].map((requestsPerSecond) => ({ title, keys, requestsPerSecond, rows: ROWS })),
  );
  const plans = loads.map((load) => ({ load, plan: planFor(load) }));
  const lines: readonly (readonly [string, (plan: Plan) => string])[] = [
    ['processes of ingest', ({ ingests }) => whole(ingests)],
    ['workers', ({ workers }) => whole(workers)],
    ['partitions', ({ partitions }) => whole(partitions)],
    [`brokers of ${DEFAULTS.coresPerBroker} cores`, ({ brokers }) => whole(brokers)],
    [`shards of two servers with ${DEFAULTS.coresPerClickHouse} cores`, ({ shards }) => whole(shards)],
    ['blocks/s', ({ blocksPerSecond }) => whole(blocksPerSecond)],
    ['k rows/s stored', ({ storedPerSecond }) => whole(storedPerSecond / 1000)],
    ...PARTS.map((part) => [`busy cores of ${part}`, ({ cores }: Plan) => whole(cores[part])] as const),
    ['disk of Kafka for a day, TB', ({ kafkaBytes }) => (kafkaBytes / 1e12).toFixed(1)],
    ['disk of ClickHouse, TB', ({ clickHouseBytes }) => (clickHouseBytes / 1e12).toFixed(1)],
    ['needs the most cores', ({ bound }) => bound],
  ];
  const heads = plans.map(({ load }) => `${whole(load.requestsPerSecond)}/s, ${load.title}`);
  return markdown(
    ['', ...heads],
    lines.map(([title, show]) => [title, ...plans.map(({ plan }) => show(plan))]),
  );
}

function coresTable(): string {
  const rows = [8, 32, 128].flatMap((cores) =>
    KEYS.map(({ title, keys }) => {
      const { requestsPerSecond, plan } = largestFor(cores, { rows: ROWS, keys }, SINGLE);
      const shares = PARTS.map((part) => `${Math.round((100 * plan.cores[part]) / sumOf(plan.cores))} %`);
      return [whole(cores), title, whole(Math.floor(requestsPerSecond / 100) * 100), ...shares, plan.bound];
    }),
  );
  return markdown(['cores', 'keys', 'requests/s', ...PARTS, 'bound'], rows);
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en-GB');
}

function markdown(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const ruler = `|---|${'---:|'.repeat(heads.length - 1)}`;
  return [line(heads), ruler, ...rows.map(line)].join('\n');
}
