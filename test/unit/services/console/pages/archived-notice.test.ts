import { expect } from 'chai';
import { pathTo } from '../../../../../services/console/state/paths/path.ts';
import { archivedNotice } from '../../../../../services/console/pages/advice/clean-up/archived-notice.ts';

const archived = (name: string, source: 'flagmeter' | 'unleash') => ({
  item: { name, source },
  etag: `"${name}"`,
});

describe('the notice about archived flags', () => {
  it('revives each flag with Undo, if nobody has changed it since', () => {
    const notice = archivedNotice([archived('a', 'flagmeter'), archived('b/c', 'flagmeter')]);
    expect(notice.text).to.equal('2 flags are archived.');
    expect(notice.undo).to.deep.equal([
      { method: 'POST', path: pathTo`api/admin/archive/revive/a`, ifMatch: '"a"' },
      { method: 'POST', path: pathTo`api/admin/archive/revive/${'b/c'}`, ifMatch: '"b/c"' },
    ]);
  });

  it('offers no Undo for flags of Unleash, and says to revive them there', () => {
    const mixed = archivedNotice([archived('a', 'flagmeter'), archived('b', 'unleash')]);
    expect(mixed.text).to.equal('2 flags are archived. Revive 1 flag of Unleash there.');
    expect(mixed.undo).to.have.length(1);
    const theirs = archivedNotice([archived('b', 'unleash')]);
    expect(theirs.undo).to.equal(undefined);
  });
});
