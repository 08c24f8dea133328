import { expect } from 'chai';
import { explainTrouble } from '#base/runtime';
import { judgeAccounting } from '../../../../../packages/tooling/operations/doctor/checks/accounting.ts';
import { resultOf } from '../../../../../services/cli/commands/doctor.ts';

describe('the sentences of flagmeter doctor', () => {
  it('end with one full stop, whatever the engine wrote', () => {
    for (const message of ['no such file', 'no such file.', 'no such file. \n', 'no such file...'])
      expect(explainTrouble('Postgres', new Error(message))).to.equal(
        'Postgres cannot be used: no such file.',
      );
    expect(explainTrouble('Kafka', new Error('one\n  two'))).to.equal('Kafka cannot be used: one two.');
  });

  it('know one from several', () => {
    const states = ['ok', 'warn', 'fail', 'fail'] as const;
    expect(resultOf(states.map((state) => ({ state })))).to.equal('4 checks: 1 ok, 1 warning, 2 failures.');
    expect(resultOf([{ state: 'ok' }])).to.equal('1 check: 1 ok, 0 warnings, 0 failures.');
    expect(
      judgeAccounting({ accounting: { partitions: [] }, differences: [], deadLetters: { open: 1 } }),
    ).to.deep.equal({
      state: 'ok',
      text: 'The numbers agree: 0 metrics received, 0 messages in flight, 1 open dead letter.',
    });
  });

  it('list differences', () => {
    const differences = ['1 gap between blocks', '2 gaps between blocks', 'x', 'y'].map((text, index) => ({
      subject: `counts/${index}`,
      text,
    }));
    const { text } = judgeAccounting({
      accounting: { partitions: [] },
      differences,
      deadLetters: { open: 0 },
    });
    expect(text).to.equal(
      'The numbers disagree: counts/0: 1 gap between blocks; counts/1: 2 gaps between blocks; counts/2: x; and 1 more.',
    );
  });
});
