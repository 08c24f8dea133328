import { prepareEdge } from '../../tools/stack/index.ts';
import { ownEdge } from '../support/stack/engines/edge.ts';
import { describeNightly } from '../support/nightly.ts';
import { sendAsSdks } from '../support/senders/sdks/send-as-sdks.ts';
import { type Twins, itAnswersAlike, openTwins } from '../support/servers/upstream/twins.ts';

describeNightly('an Unleash behind flagmeter and a real Edge', () => {
  let twins: Twins;
  before(async function () {
    this.timeout(3_600_000); // the first run builds Edge
    await prepareEdge();
    twins = await openTwins();
    for (const [UPSTREAM_URL, unleash] of [
      [twins.direct.address, twins.direct],
      [twins.flagmeter, twins.behind],
    ] as const) {
      const edge = await ownEdge({ UPSTREAM_URL, TOKENS: unleash.secrets.production });
      await sendAsSdks(edge.address, unleash.secrets);
      // It sends its metrics now.
      await edge.dispose();
    }
  });
  after(() => twins.dispose());

  itAnswersAlike(() => twins, {
    'usage of features': 3,
    applications: 2,
    instances: 1,
    'series of impact metrics': 9,
    'tokens that were used': 2,
    'unknown features': 1,
  });
});
