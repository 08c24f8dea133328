import { expect } from 'chai';
import { completeBlock } from '../../../../../packages/core/clickhouse/blocks/complete-block.ts';
import { RECEIVED_AT, aMetric } from '../../../../support/builders/builders.ts';
import { aBlock } from '../../../../support/stack/engines/clickhouse/stored-blocks.ts';
import {
  type Answer,
  type Statement,
  recordedClickHouse,
} from '../../../../support/servers/upstream/clickhouse-server.ts';

/** Its targets are `blocks`, `usage_hourly` and `usage_daily`. It has one message. */
const BLOCK = aBlock({ metrics: [aMetric({ yes: 1 })], receivedAt: RECEIVED_AT });
const OWN_TOKEN = 'counts:1:0:0:1';

/** What the markers of each table count. The block adds 1, and later blocks add more. Fewer than 0 are unclear. */
type Markers = { readonly isInBlocks: boolean; readonly hourly: number; readonly daily: number };
const STORED = 1;
const MISSING = 0;
const WITH_LATER_BLOCKS = 7;
const UNCLEAR = -2;

describe('completing a block', () => {
  /** What the markers say at each look. The last one stays. */
  let looks: Markers[];
  let replicated: string;

  const clickhouse = recordedClickHouse(answer);
  beforeEach(() => {
    replicated = '0';
  });

  function answer({ sql, params }: Statement): Answer {
    if (sql.startsWith('select count() as replicated')) return [{ replicated }];
    if (sql.startsWith('insert')) return [];
    const { isInBlocks, ...counts } = looks[0] ?? { isInBlocks: true, hourly: STORED, daily: STORED };
    if (sql.includes('arrayJoin(markers)')) return isInBlocks ? [{ marker: '', messages: '1' }] : [];
    if (looks.length > 1) looks.shift();
    const countOf = (marker = ''): number =>
      marker.startsWith('usage_hourly') ? counts.hourly : counts.daily;
    return [params['param_marker0'], params['param_marker1']].map((marker = '') => ({
      marker,
      messages: String(countOf(marker)),
    }));
  }

  /** The token of each INSERT, and the targets that it left out. */
  async function completed(): Promise<{ token: string; leftOut: string[] }[]> {
    await completeBlock(clickhouse.db, BLOCK);
    return clickhouse.statements
      .filter(({ sql }) => sql.startsWith('insert'))
      .map(({ params, rows }) => ({
        token: params['insert_deduplication_token'] ?? '',
        leftOut: (JSON.parse(rows.split('\n')[0] ?? '') as [string[]])[0].map(
          (name) => name.split(' ')[0] ?? '',
        ),
      }));
  }

  it('leaves out the stored parts, and sends the missing ones under the token of the block', async () => {
    looks = [
      { isInBlocks: false, hourly: STORED, daily: MISSING },
      { isInBlocks: true, hourly: STORED, daily: STORED },
    ];
    const [first, last, ...others] = await completed();

    expect(first).to.deep.equal({ token: OWN_TOKEN, leftOut: ['usage_hourly'] });
    expect(last?.leftOut).to.have.members(['blocks', 'usage_hourly', 'usage_daily', 'evidence_hourly']);
    expect(others).to.deep.equal([]);
  });

  it('sends a part that is still missing under the next token, because ClickHouse kept only the first token', async () => {
    looks = [
      { isInBlocks: true, hourly: STORED, daily: MISSING },
      { isInBlocks: true, hourly: STORED, daily: MISSING },
      { isInBlocks: true, hourly: STORED, daily: STORED },
    ];
    const [first, second] = await completed();

    expect(first?.token).to.equal(OWN_TOKEN);
    expect(second).to.deep.equal({
      token: `${OWN_TOKEN} again 1`,
      leftOut: ['blocks', 'usage_hourly', 'evidence_hourly'],
    });
  });

  it('sends a part whose markers are unclear under the token of the block, and never again', async () => {
    looks = [
      { isInBlocks: true, hourly: MISSING, daily: UNCLEAR },
      { isInBlocks: true, hourly: MISSING, daily: UNCLEAR },
      { isInBlocks: true, hourly: STORED, daily: UNCLEAR },
    ];
    const [first, second, last, ...others] = await completed();

    expect(first).to.deep.equal({ token: OWN_TOKEN, leftOut: ['blocks'] });
    expect(second).to.deep.equal({
      token: `${OWN_TOKEN} again 1`,
      leftOut: ['blocks', 'usage_daily', 'evidence_hourly'],
    });
    expect(last?.leftOut).to.include('usage_hourly').and.include('usage_daily');
    expect(others).to.deep.equal([]);
  });

  it('sends nothing if later blocks are stored too: another worker has completed this one and gone on', async () => {
    looks = [{ isInBlocks: true, hourly: WITH_LATER_BLOCKS, daily: WITH_LATER_BLOCKS }];
    const [only, ...others] = await completed();

    expect(only?.leftOut).to.have.members(['blocks', 'usage_hourly', 'usage_daily', 'evidence_hourly']);
    expect(others).to.deep.equal([]);
  });

  it('sends unclear parts once even if nothing is missing', async () => {
    looks = [{ isInBlocks: true, hourly: STORED, daily: UNCLEAR }];
    const [first, last, ...others] = await completed();

    expect(first).to.deep.equal({ token: OWN_TOKEN, leftOut: ['blocks', 'usage_hourly'] });
    expect(last?.token).to.match(new RegExp(`^${OWN_TOKEN} [-0-9a-f]{36}$`));
    expect(others).to.deep.equal([]);
  });

  it('runs each INSERT in the life of the server in which the markers were read', async () => {
    looks = [
      { isInBlocks: false, hourly: MISSING, daily: MISSING },
      { isInBlocks: true, hourly: STORED, daily: STORED },
    ];
    const session = await completeBlock(clickhouse.db, BLOCK);
    const inserts = clickhouse.statements.filter(({ sql }) => sql.startsWith('insert'));

    expect(inserts.map(({ params }) => [params['session_id'], params['session_check']])).to.deep.equal([
      [session, '1'],
      [session, '1'],
    ]);
  });

  it('sends the whole block once to replicated tables, whose rows and token are committed together', async () => {
    replicated = '1';
    const session = await completeBlock(clickhouse.db, BLOCK);
    const [, insert, ...others] = clickhouse.statements;

    expect(session).to.equal(undefined);
    expect(insert?.params)
      .to.include({ insert_deduplication_token: OWN_TOKEN })
      .and.not.have.property('session_id');
    expect(insert?.sql).to.not.include('stored_targets');
    expect(others).to.deep.equal([]);
  });
});
