import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { findDifferences } from '#core/accounting';
import { encodeRegistrations, registrationOf } from '#core/counting';
import { withOperatorLock } from '#base/postgres';
import { FlagmeterError } from '#base/runtime';
import { bytesOf } from '../../support/builders/builders.ts';
import { breakDailyView } from '../../support/stories/faults/broken-view.ts';
import { aFreshCountsValue } from '../../support/stack/engines/kafka/kafka-log.ts';
import { callCli } from '../../support/stack/processes/cli-in-process.ts';
import { CLI_COMMAND, cliEnv } from '../../support/stack/processes/cli.ts';
import { usageOf } from '../../support/stories/counting.ts';
import { type World, createWorld } from '../../support/world.ts';
import { countAsOlderWorker, keepDeadLetters } from '../../support/stories/older-worker.ts';

describe('flagmeter dead', () => {
  let world: World;

  const openWorld = async () => {
    world = await createWorld({ KAFKA_COUNTS_PARTITIONS: '1' });
  };

  // In this order: the last two settle letters.
  describe('with letters that can be decoded today and one that cannot', () => {
    before(async () => {
      await openWorld();
      await countAsOlderWorker(world, [
        { value: aFreshCountsValue('a') },
        { value: aFreshCountsValue('b'), isDead: true },
        { value: bytesOf('{"v":99,"\u001b[2J"'), isDead: true },
        { value: aFreshCountsValue('c'), isDead: true },
      ]);
    });
    after(() => world.dispose());

    it('list shows their state, reason and size, and applies its filters', async () => {
      const { output } = await callCli(world, 'dead', 'list', '--json');
      const letters = JSON.parse(output) as Record<string, unknown>[];

      expect(letters.map(({ key, state, reason, today }) => ({ key, state, reason, today }))).to.deep.equal([
        { key: keyOf(1), state: 'open', reason: 'unknown version', today: 'can be decoded' },
        { key: keyOf(2), state: 'open', reason: 'unknown version', today: 'not JSON' },
        { key: keyOf(3), state: 'open', reason: 'unknown version', today: 'can be decoded' },
      ]);
      expect(letters[1]?.['sizeBytes']).to.equal(14);
      expect((await callCli(world, 'dead', 'list', '--json', '--state', 'dropped')).output).to.equal('[]');
      expect((await callCli(world, 'dead', 'list', '--json', '--reason', 'not JSON')).output).to.equal('[]');
    });

    it('show prints the position and the bytes, harmless to a terminal', async () => {
      const { output } = await callCli(world, 'dead', 'show', keyOf(2));

      expect(output).to.include(`topic       ${world.config.kafka.topics.counts}`);
      expect(output).to.include('offset      2');
      expect(output).to.include('{"v":99,"\\u{1b}[2J"');
      expect(await failureOf('dead', 'show', keyOf(0))).to.equal('there is no such dead letter');
    });

    it('show ends quietly if its reader ends after the first lines', async () => {
      const command = [process.execPath, ...CLI_COMMAND, 'dead', 'show', keyOf(2)];
      const child = spawn('bash', ['-o', 'pipefail', '-c', '"$@" | head -1', 'bash', ...command], {
        env: cliEnv(world),
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      const exited = once(child, 'exit') as Promise<[number | null]>;
      const [stderr, [code]] = await Promise.all([text(child.stderr), exited]);

      expect(stderr).to.equal('');
      expect(code).to.equal(141);
    });

    it('replay changes nothing without --yes', async () => {
      const { output } = await callCli(world, 'dead', 'replay', '--all');

      expect(output).to.include(`${keyOf(2)}: still not decoded: not JSON`);
      expect(output).to.include('2 dead letters would be replayed, 1 left unchanged');
      expect(await usageOf(world, 'new-basket')).to.include({ yes: 1 });
    });

    it('replay fails while another operator works', async () => {
      const failure = await withOperatorLock(world.config.postgres, () =>
        failureOf('dead', 'replay', '--all', '--yes'),
      );

      expect(failure).to.include('another "dead replay"');
      expect(await states()).to.deep.equal(['open', 'open', 'open']);
    });

    it('does not guess which letters are meant', async () => {
      expect(await failureOf('dead', 'drop')).to.equal('name the keys, or use --all');
      expect(await failureOf('dead', 'drop', 'x', '--all')).to.equal('name the keys, or use --all');
      expect(await failureOf('dead', 'drop', 'x', '--yes')).to.equal('there is no dead letter x');
    });

    it('drop gives letters up for good, and reconcile reports the outcome of all', async () => {
      await callCli(world, 'dead', 'drop', keyOf(3), '--yes');
      const replay = await callCli(world, 'dead', 'replay', keyOf(3), '--yes');
      const { output, exitCode } = await callCli(world, 'reconcile');

      expect(replay.output).to.include(`${keyOf(3)}: it is dropped already`);
      expect(replay.exitCode).to.equal(1);
      expect(await usageOf(world, 'new-basket')).to.include({ yes: 1 });
      expect(output).to.include('dead letters = open + replayed + dropped: 3 = 2 + 0 + 1');
      expect(exitCode).to.equal(0);
    });

    it('replay counts a decodable letter once, however often it is repeated, and leaves the other open', async () => {
      const first = await callCli(world, 'dead', 'replay', '--all', '--yes');
      const second = await callCli(world, 'dead', 'replay', keyOf(1), '--yes');

      expect(first.exitCode).to.equal(1);
      expect(first.output).to.include(`${keyOf(2)}: still not decoded: not JSON`);
      expect(first.output).to.include('1 counted');
      expect(second).to.deep.equal({
        output: 'Already replayed: 1 dead letter.\nThere is nothing to do.',
        exitCode: 0,
      });
      expect(await usageOf(world, 'new-basket')).to.deep.equal({ yes: 2, no: 0, reports: 2 });
      expect(await states()).to.deep.equal(['replayed', 'open', 'dropped']);
      expect(findDifferences(await world.accounting())).to.deep.equal([]);
    });
  });

  describe('replay', () => {
    beforeEach(openWorld);
    afterEach(() => world.dispose());

    it('counts a batch once if other messages contain it too, and reports this', async () => {
      const value = aFreshCountsValue('same');
      await countAsOlderWorker(world, [
        { value: aFreshCountsValue('counted') },
        { value: aFreshCountsValue('counted'), isDead: true },
        { value, isDead: true },
        { value, isDead: true },
      ]);
      const first = await callCli(world, 'dead', 'replay', keyOf(3), '--yes');
      const rest = await callCli(world, 'dead', 'replay', '--all', '--yes');

      expect(first.output).to.equal('1 counted.');
      expect(rest).to.deep.equal({ output: '2 already counted in another message.', exitCode: 0 });
      expect(await usageOf(world, 'new-basket')).to.include({ yes: 2 });
      expect((await callCli(world, 'reconcile')).output).to.include(
        'replayed: received = counted + refused + duplicate: 3 = 1 + 0 + 2',
      );
    });

    it('completes the half-stored result of an interrupted replay before anything else', async () => {
      const value = aFreshCountsValue('same');
      await countAsOlderWorker(world, [
        { value, isDead: true },
        { value, isDead: true },
      ]);
      const repair = await breakDailyView(world);
      await failureOf('dead', 'replay', keyOf(0), '--yes');
      await repair();
      const { output } = await callCli(world, 'dead', 'replay', keyOf(1), '--yes');

      expect(output).to.equal('Completed 1 interrupted replay.\n1 already counted in another message.');
      expect(await usageOf(world, 'new-basket')).to.include({ yes: 1 });
      expect(await world.query('select yes from usage_by_day')).to.deep.equal([{ yes: '1' }]);
      expect(findDifferences(await world.accounting())).to.deep.equal([]);
    });

    it('skips a letter if its block does not count it as dead', async () => {
      const letter = {
        offset: 0n,
        value: aFreshCountsValue('a'),
        problem: 'unknown version',
        appendedAt: Date.now(),
      };
      await keepDeadLetters(world, { topic: world.config.kafka.topics.counts }, [letter]);
      const unstored = await callCli(world, 'dead', 'replay', keyOf(0), '--yes');
      await countAsOlderWorker(world, [{ value: aFreshCountsValue('a') }]);
      const counted = await callCli(world, 'dead', 'replay', keyOf(0), '--yes');

      expect(unstored.output).to.include('no stored block says that it is dead');
      expect(counted.output).to.include('no stored block says that it is dead');
      expect(await usageOf(world, 'new-basket')).to.include({ yes: 1 });
    });

    it('registers applications', async () => {
      const { applications } = world.config.kafka.topics;
      const registration = registrationOf({ appName: 'late-app' }, Date.now());
      const value = bytesOf(encodeRegistrations([registration]));
      const letter = { offset: 5n, value, problem: 'unknown version', appendedAt: Date.now() };
      await keepDeadLetters(world, { topic: applications }, [letter, letter]);
      const { output } = await callCli(world, 'dead', 'replay', '--all', '--yes');

      expect(output).to.equal('1 registered.');
      expect((await world.db.query('select app_name from client_applications')).rows).to.deep.equal([
        { app_name: 'late-app' },
      ]);
      expect(await states()).to.deep.equal(['replayed']);
    });
  });

  function keyOf(offset: number): string {
    return `${world.config.kafka.topics.counts}:0:${offset}`;
  }

  async function states(): Promise<unknown[]> {
    const { output } = await callCli(world, 'dead', 'list', '--json');
    return (JSON.parse(output) as { state: string }[]).map(({ state }) => state);
  }

  /** The error message of the program. */
  async function failureOf(...args: string[]): Promise<string> {
    try {
      await callCli(world, ...args);
    } catch (error) {
      return error instanceof FlagmeterError ? error.message : String(error);
    }
    return 'no failure';
  }
});
