import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { ReadyMessage } from '#runtime';
import { appendCounts } from '../support/engines/kafka/kafka-log.ts';
import { eventually } from '../support/eventually.ts';
import { runCli } from '../support/processes/cli.ts';
import { type Watch, watchProcess } from '../support/processes/watched-process.ts';
import { aFreshMetric, bodyOf, post } from '../support/requests/post.ts';
import { type World, createWorld } from '../support/world.ts';

describe('a scrape of flagmeter start', () => {
  let world: World;
  let child: ChildProcess;
  let watch: Watch;
  let url: string;
  let log = '';

  before(async () => {
    world = await createWorld();
    child = fork('services/cli/main.ts', ['start'], {
      execArgv: ['--import', 'tsx', '--conditions=source'],
      env: { PATH: process.env['PATH'], ...world.env },
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    child.stdout?.on('data', (chunk: Buffer) => (log += chunk.toString()));
    watch = watchProcess({ child, name: 'flagmeter start', readLog: () => Promise.resolve(log) });
    [{ url }] = (await once(child, 'message')) as [ReadyMessage];
  });
  after(async () => {
    watch.expectQuietEnd();
    child.kill('SIGTERM');
    await once(child, 'close');
    await world.dispose();
  });

  it('shows the metrics of the standalone process and the worker, distinguished by a label', async () => {
    await post({ url }, { body: bodyOf({ metrics: [aFreshMetric({ yes: 1 })] }) });
    const lines = await eventually(scrape, (now) =>
      now.includes('flagmeter_worker_metrics_total{process="worker",outcome="counted"} 1'),
    );
    expect(lines).to.include('flagmeter_process_up{process="standalone"} 1');
    expect(lines).to.include('flagmeter_process_up{process="worker"} 1');
    for (const family of [
      'flagmeter_worker_lag_messages',
      'flagmeter_worker_deduplication_window_used_ratio',
    ])
      expect(lines).to.include(`# TYPE ${family} gauge`);
    for (const process of ['standalone', 'worker'])
      expect(
        lines.filter((line) => line.startsWith(`process_start_time_seconds{process="${process}"}`)),
      ).to.have.length(1);
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
      ['standalone', 'worker'].map(
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

  it('still works without the series of a frozen worker', async () => {
    const [, pid] = /"service":"worker","pid":(\d+)/.exec(log) ?? [];
    process.kill(Number(pid), 'SIGSTOP');
    try {
      const lines = await scrape();
      expect(lines).to.include('flagmeter_process_up{process="standalone"} 1');
      expect(lines).to.include('flagmeter_process_up{process="worker"} 0');
      expect(lines.filter((line) => line.startsWith('flagmeter_worker_'))).to.deep.equal([]);
    } finally {
      process.kill(Number(pid), 'SIGCONT');
    }
    await eventually(scrape, (lines) => lines.includes('flagmeter_process_up{process="worker"} 1'));
  });

  async function scrape(): Promise<string[]> {
    const answer = await fetch(`${url}/internal-backstage/prometheus`);
    expect(answer.status).to.equal(200);
    return (await answer.text()).split('\n');
  }
});
