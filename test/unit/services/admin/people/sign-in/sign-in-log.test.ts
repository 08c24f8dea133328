import { expect } from 'chai';
import { createSignInLog } from '../../../../../../services/admin/people/sign-in/sign-in-log.ts';
import { collectLog } from '../../../../../support/stack/processes/collected-log.ts';

const MINUTE_MS = 60_000;

describe('the log of sign-ins', () => {
  it('has 100 lines a minute of strangers, from however many addresses, and those of people beside them', () => {
    const { log, lines } = collectLog();
    let now = 0;
    const signIns = createSignInLog(log, () => now);
    for (let address = 0; address < 5000; address += 1)
      signIns.ofStranger(`192.0.2.${address}`, { failure: 'invalid' }, 'sign-in failed');
    signIns.ofPerson({ issuer: 'https://one', subject: 'ana' }, {}, 'sign-in refused: no group has a role');
    const messages = lines().map(({ msg }) => msg);
    expect(messages.filter((message) => message === 'sign-in failed')).to.have.lengthOf(100);
    expect(messages.at(-1)).to.equal('sign-in refused: no group has a role');

    now += MINUTE_MS;
    signIns.ofStranger('192.0.2.1', {}, 'sign-in failed');
    expect(lines().slice(-2)).to.have.nested.property('[0].dropped', 4900);
  });

  it('has a hundred lines a minute of each person', () => {
    const { log, lines } = collectLog();
    const signIns = createSignInLog(log, () => 0);
    for (const subject of ['ana', 'bea'])
      for (let count = 0; count < 150; count += 1)
        signIns.ofPerson({ issuer: 'https://one', subject }, {}, 'claims of a person not used');
    expect(lines().map(({ subject }) => subject)).to.deep.equal([
      ...Array<string>(100).fill('ana'),
      ...Array<string>(100).fill('bea'),
    ]);
  });
});
