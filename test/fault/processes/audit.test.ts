import { expect } from 'chai';
import { eventually } from '../../support/eventually.ts';
import { callCli } from '../../support/stack/processes/cli-in-process.ts';
import type { ServiceProcess } from '../../support/stack/processes/process.ts';
import { sharedUncountedWorld } from '../../support/uncounted-world.ts';
import { ADMIN_TOKEN } from '../../support/world.ts';

const PROCESSES = 2;
const WRITERS_EACH = 2;
/** The number of changes after which a process is killed. */
const KILLED_AFTER = 20;

describe('the audit of several admin processes', () => {
  const world = sharedUncountedWorld();
  let admins: ServiceProcess[];
  const created = new Set<string>();
  before(async () => {
    admins = await Promise.all(Array.from({ length: PROCESSES }, () => world.fork('admin')));
  });

  it('is one chain of all changes, each with its entry, if one is killed in the middle', async () => {
    const [doomed, ...others] = admins;
    let isEnough = false;
    const writing = admins.flatMap((admin, index) =>
      Array.from({ length: WRITERS_EACH }, (_, writer) =>
        keepCreating(admin, `${index}-${writer}`, () => isEnough),
      ),
    );
    await changes(KILLED_AFTER);
    await doomed?.kill();
    await changes(created.size + KILLED_AFTER);
    isEnough = true;
    await Promise.all(writing);

    const stored = await names('select name from features');
    expect(stored).to.include.members([...created]);
    expect(
      await names(`select feature_name as name from audit where event = 'feature-created'`),
    ).to.have.members(stored);
    const verified = await callCli(world, 'audit', 'verify');
    expect(verified.exitCode, verified.output).to.equal(0);
    const successor = await world.fork('admin');
    for (const admin of [...others, successor])
      expect(await create(admin, `last-${admin.pid}`)).to.equal(201);
    const { output, exitCode } = await callCli(world, 'audit', 'verify', '--head', headOf(verified.output));
    expect(exitCode, output).to.equal(0);
  });

  /** Creates one feature after the other, until that is enough or the process is gone. */
  async function keepCreating(admin: ServiceProcess, prefix: string, isEnough: () => boolean): Promise<void> {
    for (let number = 0; !isEnough(); number += 1) {
      const name = `f-${prefix}-${number}`;
      const status = await create(admin, name).catch(() => undefined);
      if (status === undefined) return;
      expect(status).to.equal(201);
      created.add(name);
    }
  }

  async function create({ url }: ServiceProcess, name: string): Promise<number> {
    const response = await fetch(`${url}/api/admin/projects/default/features`, {
      method: 'POST',
      headers: { authorization: ADMIN_TOKEN, 'content-type': 'application/json' },
      body: JSON.stringify({ name }),
    });
    await response.arrayBuffer();
    return response.status;
  }

  async function changes(atLeast: number): Promise<void> {
    await eventually(
      () => Promise.resolve(created.size),
      (size) => size >= atLeast,
    );
  }

  async function names(query: string): Promise<string[]> {
    const { rows } = await world.db.query<{ name: string }>(query);
    return rows.map(({ name }) => name);
  }
});

function headOf(output: string): string {
  return /^Head: (\w{64})$/m.exec(output)?.[1] ?? '';
}
