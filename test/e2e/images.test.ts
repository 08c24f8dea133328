import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { freePort } from '../../tools/stack/index.ts';
import { eventually } from '../support/eventually.ts';
import { describeNightly, isNight } from '../support/nightly.ts';
import { aFreshMetric, bodyOf, post } from '../support/requests/post.ts';
import { createDatabase } from '../support/stack/engines/world-databases.ts';
import { cliEnv } from '../support/stack/processes/cli.ts';
import { launchCommand } from '../support/stack/processes/flagmeter-start.ts';
import {
  type Image,
  buildImage,
  inImage,
  nodeImage,
  removeNodeImage,
  whyNoImages,
} from '../support/stack/processes/images.ts';
import { STOPPED, launchTrial, livingOf } from '../support/stack/processes/trial.ts';
import { type World, createWorld } from '../support/world.ts';

const reason = whyNoImages();
if (reason === undefined) describeNightly('the images', testImages);
else if (isNight()) process.stderr.write(`The images are neither built nor run here: ${reason}.\n`);

/** Built as `make image` does. Their programs run as in a container, but with the network and the processes of this machine. */
function testImages(this: Mocha.Suite): void {
  this.timeout(60 * 60_000);
  let image: Image;
  let trialImage: Image;
  let base: string | undefined;
  const built: Image[] = [];

  before(async () => {
    base = await nodeImage('localhost/flagmeter-test-node:built');
    image = await buildImage('localhost/flagmeter-test:built', 'infra/Dockerfile', `NODE_IMAGE=${base}`);
    built.push(image);
    const options = [`FLAGMETER_IMAGE=${image.tag}`];
    trialImage = await buildImage('localhost/flagmeter-test-try:built', 'infra/Dockerfile.try', ...options);
    built.push(trialImage);
  });
  after(async () => {
    for (const each of built.toReversed()) await each.remove();
    if (base !== undefined) await removeNodeImage(base);
  });

  describe('of flagmeter', () => {
    let world: World;
    before(async () => {
      world = await createWorld({}, { createPostgres: createDatabase, prepare: () => Promise.resolve() });
    });
    after(() => world.dispose());

    it('prepares engines, counts a batch and shows the console, as its user and with a read-only root', async () => {
      expect(image.user).to.equal('node');
      const [node = '', program = '', ...rest] = image.command;
      expect(rest).to.deep.equal(['start']);
      const [migrate, ...args] = inImage(image, 'ro', [node, program, 'migrate']);
      const migrated = await promisify(execFile)(migrate, args, { env: { ...cliEnv(world), ...image.env } });
      expect(migrated.stdout).to.include('are up to date');
      const start = await launchCommand(world, inImage(image, 'ro', [node, program]), image.env);
      try {
        const batch = bodyOf({ metrics: [aFreshMetric()] });
        expect((await post(start, { body: batch })).status).to.equal(202);
        expect(await (await fetch(`${start.url}/`)).text()).to.include('<script');
        expect((await fetch(`${start.url}/help/`)).status).to.equal(200);
        await world.settled();
      } finally {
        expect(await start.stop()).to.equal(0);
      }
    });

    it('lets its user change nothing of the program or of the system', async () => {
      // It reports folders that it may not enter, and fails.
      const find = 'find /app /etc /usr -not -type l -writable 2>/dev/null; true';
      const [command, ...args] = inImage(image, 'rw', ['sh', '-c', find]);
      expect((await promisify(execFile)(command, args, { env: image.env })).stdout).to.equal('');
    });
  });

  describe('for a trial', () => {
    it('shows the made-up shop without a download, and stops at Ctrl-C', async () => {
      const home = path.join(trialImage.root, 'home/node/data/flagmeter');
      const command = inImage(trialImage, 'rw', trialImage.command).join(' ');
      const env = { ...trialImage.env, PORT: String(await freePort()) };
      const trial = await launchTrial(command, home, { cwd: '.', env });
      const pids = await trial.pids();
      const { origin, hash } = new URL(trial.link);
      expect(origin).to.equal(`http://127.0.0.1:${env.PORT}`);
      const authorization = decodeURIComponent(hash.replace('#token=', ''));
      const features = await fetch(`${origin}/api/admin/search/features?search=checkout-one-page`, {
        headers: { authorization },
      });
      expect(await features.text()).to.include('checkout-one-page');
      expect(await (await fetch(`${origin}/`)).text()).to.include('<script');
      const printed = await trial.interrupt();
      expect(printed)
        .to.include(STOPPED)
        .and.not.match(/^getting /m);
      await eventually(
        () => livingOf(pids),
        (living) => living.length === 0,
      );
      await rm(home, { recursive: true, force: true });
    });
  });
}
