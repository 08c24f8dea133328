import { expect } from 'chai';
import { type Machines, connectionName, createMachineId, readMachines } from '#base/auth';
import { openPostgres } from '#base/postgres';
import { eventually } from '../../../support/eventually.ts';
import { sharedWorld } from '../../../support/world.ts';

/** As in a container. */
const FIRST = 1;
const LAST = 4_194_304;

describe('machines', () => {
  const world = sharedWorld();

  const hosts = {
    'hosts of the same network': [
      'ip-10-0-1-23.eu-central-1.compute.internal',
      'ip-10-0-7-99.eu-central-1.compute.internal',
    ],
    'hosts of the same name': ['flagmeter', 'flagmeter'],
    'hosts of long names': [`${'a'.repeat(62)}1`, `${'a'.repeat(62)}2`],
    'hosts whose names have many bytes': ['\u00fc'.repeat(63), '\u00fc'.repeat(63)],
  };
  for (const [title, [one = '', other = '']] of Object.entries(hosts))
    for (const processId of [FIRST, LAST])
      it(`are told apart on ${title}, with the process id ${processId}`, async () => {
        const [a, b] = [createMachineId(), createMachineId()];
        expect(
          await namedMachines(nameOf(a, { host: one, processId }), nameOf(b, { host: other, processId })),
        ).to.include({
          areApart: true,
        });
        const ofOne = nameOf(a, { host: one, processId });
        expect(await namedMachines(ofOne, ofOne)).to.include({ areApart: false });
      });

  it('show people their hosts', async () => {
    const [one, other] = [createMachineId(), createMachineId()];
    const { names } = await namedMachines(
      nameOf(one, { host: 'ip-10-0-1-23.eu-central-1.compute.internal', processId: LAST }),
      nameOf(other, { host: 'flagmeter-standalone-7d9f8c6b5d-x2x4z', processId: FIRST }),
    );
    expect(names).to.deep.equal([`ip-10-0-1-23/${LAST}`, 'one-7d9f8c6b5d-x2x4z/1']);
  });

  function nameOf(id: string, place: Parameters<typeof connectionName>[2]): string {
    return connectionName('without Redis', id, place);
  }

  /** What is read while two processes with these names are connected. */
  async function namedMachines(...names: readonly [string, string]): Promise<Machines> {
    await eventually(
      () => readMachines(world.db),
      (before) => before.names.length === 0,
    );
    const opened = names.map((applicationName) =>
      openPostgres({ ...world.config.postgres, log: world.log, applicationName }),
    );
    try {
      for (const db of opened) await db.query('select 1');
      return await readMachines(world.db);
    } finally {
      for (const db of opened) await db.end();
    }
  }
});
