import { useRelays } from '../../../api/usage/relays.ts';
import { useConsole } from '../../../console.ts';
import { formatCount } from '../../../state/format.ts';
import { list, say } from '#base/words';
import { hasWords, searchable, wordsOf } from '../../../state/search.ts';
import { behindWords, currentWords, latencyWords } from '../../../state/sentences/index.ts';
import { FilterState } from '../../../ui/lists/filter-state.tsx';
import { Heading } from '../../../ui/heading.tsx';
import { Search } from '../../../ui/lists/filters.tsx';
import { type Column, Rows } from '../../../ui/lists/rows.tsx';
import { Age, Loaded } from '../../../ui/loaded.tsx';
import { Cut } from '../../../ui/lists/cut.tsx';
import { Empty, Name, Section } from '../../../ui/parts.tsx';
import {
  type HeldConfiguration,
  type RelayRow,
  configurationsOf,
  formatBytes,
  formatRate,
  isWhole,
  lagOf,
  relaysAnswer,
  treeOf,
} from './relay-rows.ts';

/** Which relays run, which fell silent, and which have the newest configuration. */
export function Relays() {
  const relays = useRelays();
  const words = wordsOf(useConsole().router.route.value.query['q'] ?? '');
  return (
    <>
      <Heading page="Relays" answer={relays.data && relaysAnswer(relays.data)}>
        <Search label="Search relays by name, region or version" />
        <FilterState parameters={['q']} />
      </Heading>
      <Loaded of={relays} lines={8}>
        {(data) => {
          if (data.total === 0) return <HowToReport />;
          const rows = treeOf(data.relays);
          const found = rows.filter((row) => hasWords(textOf(row), words));
          return (
            <>
              <Cut shown={data.relays.length} total={data.total} of="relays, silent ones first" />
              <Cut
                shown={sumOf(data.relays.map(({ nested }) => nested.length))}
                total={sumOf(data.relays.map(({ totalNested }) => totalNested))}
                of="relays behind them, those that reported last"
              />
              {found.length === 0 && <Empty>No relay matches.</Empty>}
              <Rows caption="Relays" columns={COLUMNS} items={found} keyOf={({ key }) => key} />
              <Configurations held={configurationsOf(rows)} isWhole={isWhole(data)} />
            </>
          );
        }}
      </Loaded>
    </>
  );
}

function HowToReport() {
  return (
    <Empty>
      No relay has reported about itself yet. Unleash Edge 19.7 and later does so by itself, each minute, to
      the address in its <code>UPSTREAM_URL</code>. Let that be the address of flagmeter.
    </Empty>
  );
}

function textOf({ appName, relayId, region, version }: RelayRow): string {
  return searchable([appName, relayId, region, version]);
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

type ConfigurationsProps = { readonly held: readonly HeldConfiguration[]; readonly isWhole: boolean };

function Configurations({ held, isWhole }: ConfigurationsProps) {
  if (held.length === 0) return null;
  return (
    <Section title={isWhole ? 'Newest configuration' : 'Newest configuration of the listed relays'}>
      <Rows
        caption="Newest configuration of each environment"
        columns={CONFIGURATION_COLUMNS}
        items={held}
        keyOf={({ environment, projects }) => JSON.stringify([environment, projects])}
      />
    </Section>
  );
}

const CONFIGURATION_COLUMNS: readonly Column<HeldConfiguration>[] = [
  {
    id: 'environment',
    title: 'Environment',
    width: '18%',
    show: ({ environment }) => <Name>{environment}</Name>,
  },
  { id: 'projects', title: 'Projects', width: '18%', show: ({ projects }) => <Name>{projects}</Name> },
  {
    id: 'revision',
    title: 'Revision',
    width: '96px',
    isNumber: true,
    label: 'is the newest revision',
    show: ({ revision }) => <span class="number">{formatCount(revision)}</span>,
  },
  {
    id: 'current',
    title: 'Relays that have it',
    width: '144px',
    isNumber: true,
    label: 'relays have it',
    show: ({ current, behind }) => (
      <span class="number">{currentWords(current.length, current.length + behind.length)}</span>
    ),
  },
  {
    id: 'behind',
    title: 'Behind',
    show: ({ behind }) =>
      behind.length === 0 ? <span class="muted">none</span> : <Name>{list(behind)}</Name>,
  },
];

const TONES = { silent: 'wrong', reporting: 'on', stopped: '' } as const;
const UNKNOWN = <span class="muted">–</span>;

const COLUMNS: readonly Column<RelayRow>[] = [
  {
    id: 'name',
    title: 'Relay',
    show: ({ appName, relayId, depth }) => (
      <span class={`tree depth-${Math.min(depth, 4)}`}>
        <Name>{say`${appName} ${relayId}`}</Name>
      </span>
    ),
  },
  {
    id: 'state',
    title: 'State',
    width: '88px',
    show: ({ state }) => <span class={`badge ${TONES[state]}`}>{state}</span>,
  },
  {
    id: 'version',
    title: 'Version',
    width: '76px',
    isWide: true,
    show: ({ version }) => (version === null ? UNKNOWN : <Name>{version}</Name>),
  },
  {
    id: 'region',
    title: 'Region',
    width: '96px',
    isWide: true,
    show: ({ region }) => (region === null ? UNKNOWN : <Name>{region}</Name>),
  },
  {
    id: 'uptime',
    title: 'Runs for',
    width: '76px',
    isNumber: true,
    isWide: true,
    show: ({ startedAt }) => (startedAt === null ? UNKNOWN : <Age since={Date.parse(startedAt)} />),
  },
  {
    id: 'seen',
    title: 'Last report',
    width: '88px',
    isNumber: true,
    label: 'since its last report',
    show: ({ lastReportAt }) => <Age since={Date.parse(lastReportAt)} />,
  },
  {
    id: 'requests',
    title: 'Requests/s',
    width: '88px',
    isNumber: true,
    label: 'requests a second',
    show: ({ requestsPerSecond }) => <span class="number">{formatRate(requestsPerSecond)}</span>,
  },
  {
    id: 'latency',
    title: 'Upstream',
    width: '84px',
    isNumber: true,
    isWide: true,
    show: ({ featuresLatency }) =>
      featuresLatency === null ? (
        UNKNOWN
      ) : (
        <span class="number" title={latencyWords(featuresLatency.p99Ms)}>
          {`${formatRate(featuresLatency.averageMs)} ms`}
        </span>
      ),
  },
  {
    id: 'streams',
    title: 'Streams',
    width: '72px',
    isNumber: true,
    isWide: true,
    show: ({ streamingClients }) =>
      streamingClients === null ? UNKNOWN : <span class="number">{formatCount(streamingClients)}</span>,
  },
  {
    id: 'memory',
    title: 'Memory',
    width: '84px',
    isNumber: true,
    isWide: true,
    show: ({ memoryBytes }) =>
      memoryBytes === null ? UNKNOWN : <span class="number">{formatBytes(memoryBytes)}</span>,
  },
  {
    id: 'configuration',
    title: 'Configuration',
    width: '108px',
    show: (row) => <Configuration row={row} />,
  },
];

function Configuration({ row }: { readonly row: RelayRow }) {
  if (row.revisions.length === 0) return UNKNOWN;
  const lag = lagOf(row);
  if (lag === 0) return <span class="muted">newest</span>;
  return <span class="badge attention">{behindWords(lag)}</span>;
}
