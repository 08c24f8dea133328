import { expect } from 'chai';
import { type AdminWorld, createAdminWorld } from '../support/admin.ts';

const CALLERS = 40;

describe('viewers who all ask for the books at once', () => {
  let world: AdminWorld;

  before(async () => {
    world = await createAdminWorld();
  });
  after(() => world.dispose());

  it('cost the engines one look, and all get its answer', async () => {
    const answers = await Promise.all(
      Array.from({ length: CALLERS }, () => world.api.get('/api/admin/metrics/accounting')),
    );

    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]));
    expect(new Set(answers.map(({ body }) => (body as { at: string }).at)).size).to.equal(1);
  });

  it('get 503, and no place in a queue without end, when each asks for something else', async () => {
    const answers = await Promise.all(
      Array.from({ length: CALLERS }, (_, index) =>
        world.api.get(`/api/admin/metrics/accounting?since=${index + 1}h`),
      ),
    );

    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200, 503]));
  });
});
