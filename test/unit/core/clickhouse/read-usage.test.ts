import { expect } from 'chai';
import { UsageUnavailableError, isoOf, ofProjects, readUsage } from '#core/clickhouse';
import { type Answer, recordedClickHouse } from '../../../support/servers/upstream/clickhouse-server.ts';

describe('a query that people wait for', () => {
  let answer: Answer;

  const clickhouse = recordedClickHouse(() => answer);
  beforeEach(() => {
    answer = [{ yes: '18446744073709551615' }];
  });

  it('returns its rows, and has a limit of time and rows', async () => {
    expect(await readUsage(clickhouse.db, 'select {a:String}', { a: 'b' })).to.deep.equal([
      { yes: '18446744073709551615' },
    ]);
    expect(clickhouse.statements[0]?.sql).to.equal('select {a:String} FORMAT JSONEachRow');
    expect(clickhouse.statements[0]?.params).to.include({
      param_a: 'b',
      max_execution_time: '10',
      max_result_rows: '100000',
    });
  });

  it('says that usage is unavailable if it fails, with the cause for the log', async () => {
    answer = 'TIMEOUT_EXCEEDED';
    const problem: unknown = await readUsage(clickhouse.db, 'select 1', {}).catch((error: unknown) => error);
    expect(problem).to.be.instanceOf(UsageUnavailableError);
    expect(problem).to.have.property('message', 'usage cannot be read');
    expect(problem).to.have.property('cause').that.includes({ type: 'TIMEOUT_EXCEEDED' });
  });

  it('sees the features of the projects that its reader may see', () => {
    expect(ofProjects(undefined)).to.equal('');
    expect(ofProjects(['a']).replaceAll(/\s+/g, ' ')).to.equal(
      'and feature_name in ( select catalogue.feature_name from features as catalogue where catalogue.project in {visible:Array(String)} )',
    );
  });

  it('has seconds since the epoch where an answer has times', () => {
    expect(isoOf(1_795_000_000)).to.equal('2026-11-18T11:06:40.000Z');
  });
});
