import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { appendCounts } from '../support/stack/engines/kafka/kafka-log.ts';
import { eventually } from '../support/eventually.ts';
import { runCli } from '../support/stack/processes/cli.ts';
import { type FlagmeterStart, launchStart } from '../support/stack/processes/flagmeter-start.ts';
import { type TcpProxy, startTcpProxy } from '../support/stack/proxies/tcp-proxy.ts';
import { type Answer, aFreshMetric, bodyOf, post } from '../support/requests/post.ts';
import { UnleashSums } from '../support/servers/upstream/unleash-sums.ts';
import { type Upstream, startUpstream } from '../support/servers/upstream/upstream.ts';
import { sharedWorld } from '../support/world.ts';

const PROCESSES = ['standalone', 'worker', 'unleash-bridge'] as const;
const COUNTED = 'flagmeter_worker_metrics_total{process="worker",outcome="counted"}';

describe('flagmeter start', () => {
  const sums = new UnleashSums();
  const world = sharedWorld({ KAFKA_COUNTS_PARTITIONS: '2' });
  let upstream: Upstream;
  before(async () => {
    upstream = await startUpstream(sums.take);
  });
  after(async () => {
    await world.dispose();
    await upstream.close();
  });

  it('exits with a message if a service cannot start', async () => {
    const taken = { PORT: new URL(upstream.url).port, LOG_LEVEL: 'error' };
    const { code, stdout, stderr } = await runCli(world, ['start'], taken);
    expect(`${stdout}${stderr}`)
      .to.include('EADDRINUSE')
      .and.include('The standalone process ended with code 1 and was never ready');
    expect(code).to.equal(1);
  });

  describe('with a slow Kafka, and with the tokens of a mirror', () => {
    let kafka: TcpProxy;
    let start: FlagmeterStart;
    before(async () => {
      kafka = await startTcpProxy(() => Number(world.config.kafka.brokers[0]?.split(':')[1]));
      kafka.delay(400);
      start = await launchStart(world, {
        KAFKA_BROKERS: `127.0.0.1:${kafka.port}`,
        UNLEASH_URL: upstream.url,
        UNLEASH_MIRROR_TOKENS: '*:production.of-unleash-0123456789',
        ADMIN_PORT: '0',
        FLAG_USAGE_SERIES: '1000',
      });
    });
    after(async () => {
      await start.stop();
      await kafka.close();
    });

    it('is ready when it accepts batches', async () => {
      expect(await send()).to.include({ status: 202, text: '' });
    });

    it('shows the metrics of its processes in one scrape, distinguished by a label', async () => {
      const lines = await eventually(scrape, (now) => now.includes(`${COUNTED} 1`));
      for (const family of [
        'flagmeter_worker_lag_messages',
        'flagmeter_worker_deduplication_window_used_ratio',
      ])
        expect(lines).to.include(`# TYPE ${family} gauge`);
      for (const process of PROCESSES) {
        expect(lines).to.include(`flagmeter_process_up{process="${process}"} 1`);
        expect(
          lines.filter((line) => line.startsWith(`process_start_time_seconds{process="${process}"}`)),
        ).to.have.length(1);
      }
    });

    it('shows the counter of Unleash as its worker wrote it', async () => {
      const ofUsage = async (): Promise<string[]> =>
        (await scrape()).filter((line) => line.startsWith('feature_toggle_usage_total{'));
      expect(await eventually(ofUsage, (lines) => lines.length > 0)).to.deep.equal([
        'feature_toggle_usage_total{toggle="new-basket",active="true",appName="checkout"} 1',
        'feature_toggle_usage_total{toggle="new-basket",active="false",appName="checkout"} 0',
      ]);
    });

    it('names each family once, above its series', async () => {
      const lines = await scrape();
      const families = lines.filter((line) => line.startsWith('# TYPE ')).map((line) => line.split(' ')[2]);
      expect(new Set(families).size).to.equal(families.length);
      let family = '';
      for (const line of lines.filter((text) => text !== '')) {
        if (line.startsWith('# TYPE ')) family = line.split(' ')[2] ?? '';
        else if (!line.startsWith('#')) expect(line.startsWith(family), line).to.equal(true);
      }
    });

    it('reports the version of each process', async () => {
      const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
      const infos = (await scrape()).filter((line) => line.startsWith('flagmeter_build_info{'));
      const node = process.version;
      expect(infos).to.deep.equal(
        PROCESSES.map(
          (name) => `flagmeter_build_info{process="${name}",version="${version}",node="${node}"} 1`,
        ),
      );
      expect((await runCli(world, ['--version'])).stdout).to.equal(`${version}\n`);
    });

    it('reports dead letters, and the log has their positions but not their bytes', async () => {
      await appendCounts(world, ['a-secret-payload']);
      await eventually(scrape, (now) =>
        now.includes('flagmeter_worker_metrics_total{process="worker",outcome="dead"} 1'),
      );
      const log = start.readLog();
      const line = log.split('\n').find((text) => text.includes('dead letter kept')) ?? '{}';
      expect(JSON.parse(line)).to.include({
        level: 40,
        topic: world.config.kafka.topics.counts,
        partition: 0,
        reason: 'not JSON',
      });
      expect(line).to.match(/"offset":"\d+"/);
      expect(log).not.to.include('a-secret-payload');
    });

    it('still has a scrape, without the series of a frozen worker', async () => {
      const worker = pidOf('worker');
      process.kill(worker, 'SIGSTOP');
      try {
        const lines = await scrape();
        expect(lines).to.include('flagmeter_process_up{process="standalone"} 1');
        expect(lines).to.include('flagmeter_process_up{process="worker"} 0');
        expect(lines.filter((line) => line.startsWith('flagmeter_worker_'))).to.deep.equal([]);
      } finally {
        process.kill(worker, 'SIGCONT');
      }
      await eventually(scrape, (lines) => lines.includes('flagmeter_process_up{process="worker"} 1'));
    });

    it('runs the mirror of Unleash beside, and starts mirror and worker again when they die', async () => {
      await untilMirrored();
      expect(start.readLog()).not.to.include('service died');
      start.expectTrouble();
      for (const name of ['worker', 'unleash-bridge']) process.kill(pidOf(name), 'SIGKILL');
      await untilMirrored();
      await eventually(scrape, (lines) =>
        lines.some((line) => line.startsWith(COUNTED) && !line.endsWith(' 0')),
      );
    });

    function pidOf(name: string): number {
      const pid = start.pids().get(name);
      if (pid === undefined) throw new Error(`${name} is not running`);
      return pid;
    }

    function send(): Promise<Answer> {
      return post(start, { body: bodyOf({ metrics: [aFreshMetric({ yes: 1 })] }) });
    }

    /** Sends until Unleash has counted more. */
    async function untilMirrored(): Promise<void> {
      const before = sums.yes;
      await eventually(
        async () => [(await send()).status, sums.yes],
        ([, yes = 0]) => yes > before,
      );
    }

    async function scrape(): Promise<string[]> {
      const answer = await fetch(`${start.url}/internal-backstage/prometheus`);
      expect(answer.status).to.equal(200);
      return (await answer.text()).split('\n');
    }
  });
});
