import { readFileSync, readdirSync } from 'node:fs';
import { expect } from 'chai';

/** What makes a room with a bound: of owners, or of whatever came last. */
const ROOM =
  /new (?:QuickLRU|Room|Admission|DistinctNames)\b|createRecent<|createAddressBudget\(|MAX_SERIES\b|MAX_REGISTERED_FEATURES\b|MAX_NAMED_PER_TOKEN =|MAX_RELAYS_(?:PER_MINUTE|PER_TOKEN|OF_TOKEN) =|MAX_REMEMBERED\w* =|MAX_HELD =|type RememberedLimits =/;

/** The rows of the table, by the file that makes the room. No row: nothing that a stranger sends fills it. */
const ROWS: Readonly<Record<string, readonly string[]>> = {
  // What the other files make rooms of.
  'packages/base/runtime/waiting/recent.ts': [],
  'packages/base/auth/bus/announcements.ts': ['revocations that were announced'],
  'packages/base/auth/tokens/verifying/token-lookups.ts': ['unknown tokens that wait for a look-up'],
  'packages/base/auth/tokens/token-uses.ts': ['tokens that ingest remembers: valid, unknown, revoked'],
  'packages/base/auth/tokens/verifying/token-verifier.ts': [
    'tokens that ingest remembers: valid, unknown, revoked',
  ],
  'packages/unleash/tokens/token-memory.ts': ['tokens that ingest remembers: valid, unknown, revoked'],
  'packages/fleet/catalogue/relays/known-relays.ts': ['relays in Postgres'],
  'packages/fleet/catalogue/register-features.ts': ['features that evaluations register'],
  'packages/core/counting/block/block-refusals.ts': ['names in the refusals of a block'],
  'packages/core/counting/block/remembered-ids.ts': ['batch ids of a partition'],
  'packages/core/counting/names/registered-names.ts': ['features that evaluations register'],
  'packages/core/counting/series/known-series.ts': ['cumulative counters'],
  'packages/core/counting/series/series-states.ts': ['cumulative counters'],
  'packages/base/http/addresses/limit-address.ts': ['counts of addresses, for their limits'],
  'packages/base/http/connections/guard-connections.ts': ['connections'],
  'packages/base/http/turns.ts': [
    'lists and turns of the admin API',
    'long bodies of OpenTelemetry that wait, and others',
  ],
  'services/admin/http/turns/open-lists.ts': ['lists and turns of the admin API'],
  'services/admin/people/sign-in/router.ts': ['sign-ins that wait for the provider'],
  'services/admin/advice/unknown-flags/store.ts': ['features that evaluations register'],
  'services/ingest/bodies/admission.ts': ['requests in flight, and their bytes'],
  'services/ingest/ingest.ts': [
    'requests in flight, and their bytes',
    'distinct names and rows in a clock hour',
  ],
  'services/ingest/problems/problem-sums.ts': ['problems of bodies and rows in the next report'],
  'services/ingest/publish/known-registrations.ts': ['registrations that ingest remembers'],
  'services/ingest/publish/stored-batches.ts': ['stored batches whose repetition ingest recognises'],
  'services/ingest/reports/receive-reports.ts': ['reports of relays in flight'],
  'services/ingest/reports/report-budget.ts': ['reports of relays in flight'],
  'services/ingest/unleash/seen-tokens.ts': ['tokens of SDKs that wait for Unleash'],
  'services/ingest/tokens/validate-tokens.ts': ['bodies at `/edge/validate`'],
  'services/unleash-bridge/mirror/applications.ts': [
    'applications that worker and mirror have written lately',
  ],
  'services/worker/fleet/applications.ts': ['applications that worker and mirror have written lately'],
};

describe('the rooms that strangers fill', () => {
  it('are all in docs/operate/watch/rooms.md, with what one token can take', () => {
    const missing = roomsOfSources().filter((file) => !(file in ROWS));
    expect(missing, 'give each owner a share, and add a row').to.deep.equal([]);
    const rows = tableOf(readFileSync('docs/operate/watch/rooms.md', 'utf8'));
    expect([...rows.keys()]).to.include.members([...new Set(Object.values(ROWS).flat())]);
    for (const [room, share] of rows) expect(share, room).to.match(/\S/);
  });

  it('are those of the sources', () => {
    const found = new Set(roomsOfSources());
    expect(Object.keys(ROWS).filter((file) => !found.has(file))).to.deep.equal([]);
  });
});

function roomsOfSources(): string[] {
  const parts = [
    'packages',
    'services/admin',
    'services/ingest',
    'services/unleash-bridge',
    'services/worker',
  ];
  return parts
    .flatMap((part) =>
      readdirSync(part, { recursive: true, encoding: 'utf8' }).map((file) => `${part}/${file}`),
    )
    .filter((file) => file.endsWith('.ts') && ROOM.test(readFileSync(file, 'utf8')))
    .sort();
}

/** What one token can take, by room. */
function tableOf(page: string): Map<string, string> {
  const [, table = ''] =
    /^\| room \| holds \| one token can take \|.*\n\|[-|]+\n((?:\|.*\n)+)/m.exec(page) ?? [];
  return new Map(
    table
      .trim()
      .split('\n')
      .map((row) => row.split('|').map((cell) => cell.trim()))
      .map(([, room = '', , share = '']) => [room, share] as const),
  );
}
