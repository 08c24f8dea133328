import { expect } from 'chai';
import { untilItLasts } from '../../support/borders.ts';
import { runCli, watchCli } from '../../support/stack/processes/cli.ts';
import { untilCounted } from '../../support/stack/engines/kafka/topics.ts';
import { aFreshMetric, bodyOf, post } from '../../support/requests/post.ts';
import { startCounting } from '../../support/stories/counting.ts';
import { sharedWorld } from '../../support/world.ts';

describe('flagmeter top', () => {
  const world = sharedWorld();

  it('reports that nothing was evaluated, and ends with --once', async () => {
    const { code, stdout } = await runCli(world, ['top', '--once']);

    expect(code).to.equal(0);
    expect(stdout).to.include('This hour has no evaluations yet.');
  });

  it('shows the busiest features first and the line of the accounting, without colours if the output is no terminal', async () => {
    const ingest = await startCounting(world);
    await untilItLasts('hour', 60_000);
    const timestamp = new Date().toISOString();
    const metrics = [
      aFreshMetric({ timestamp, featureName: 'quiet', yes: 1, no: 1 }),
      aFreshMetric({ timestamp, featureName: 'busy', yes: 1500, no: 500 }),
      aFreshMetric({ timestamp, featureName: '' }),
    ];
    await post(ingest, { body: bodyOf({ metrics }) });
    await untilCounted(world);
    const { lines, code } = await watchCli(world, ['top'], { lines: 6, then: () => Promise.resolve() });
    const [, header, busy, quiet, equation] = lines;

    expect(header).to.match(/^evaluations +yes +no +not reported +on % +apps {2}feature$/);
    expect(busy).to.match(/^ +2,000 +1,500 +500 +0 +75\.0 +1 {2}busy \(production\)$/);
    expect(quiet).to.match(/^ +2 +1 +1 +0 +50\.0 +1 {2}quiet \(production\)$/);
    expect(equation).to.equal('received = counted + refused + duplicate + dead: 3 = 2 + 1 + 0 + 0');
    expect(lines.join('')).to.not.include('\u001b');
    expect(code).to.equal(0);
  });
});
