import { expect } from 'chai';
import { startFront } from '../../services/standalone/app.ts';
import { startWorker } from '../../services/worker/index.ts';
import { CLIENT_TOKEN, type World, createWorld } from '../support/world.ts';

describe('the main job', () => {
  let world: World;
  before(async () => {
    world = await createWorld();
  });
  after(() => world.dispose());

  it('counts an acknowledged batch within three seconds', async () => {
    const front = await world.run(startFront);
    await world.run((config, log) =>
      startWorker(config, log, (error) => {
        throw error;
      }),
    );
    const metrics = [
      { featureName: 'f', appName: 'a', environment: 'production', yes: 3, no: 4, variants: { v: 3 } },
    ];
    const answer = await fetch(`${front.url}/edge/metrics`, {
      method: 'POST',
      headers: { authorization: CLIENT_TOKEN, 'content-type': 'application/json' },
      body: JSON.stringify({ applications: [], metrics }),
    });
    expect(answer.status).to.equal(202);
    const { total } = await world.settled();
    expect(total.counted).to.equal(1);
    const rows = await world.query('select feature_name, app_name, yes, no from usage_by_hour');
    expect(rows).to.deep.equal([{ feature_name: 'f', app_name: 'a', yes: '3', no: '4' }]);
  });
});
