import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { openAccounting } from '#core/accounting';
import { createRegistry } from '#base/runtime';
import { createProjectLookups } from '../../../../../services/admin/flags/projects/store/project-lookups.ts';
import { createPerformer } from '../../../../../services/admin/http/perform.ts';
import { createQueues } from '../../../../../services/admin/http/turns/queues.ts';
import { createOperationRouter } from '../../../../../services/admin/http/router.ts';
import { createOperations } from '../../../../../services/admin/operations.ts';
import { createStores } from '../../../../../services/admin/stores.ts';
import { createDailyWrites } from '../../../../../services/admin/people/users/store/daily-writes.ts';
import { sharedAdminWorld, operationsOf } from '../../../../support/admin-api/admin.ts';

describe('the OpenAPI document', () => {
  const world = sharedAdminWorld();

  it('describes exactly the served routes', async () => {
    const accounting = openAccounting(world.config, world.log);
    const operations = createOperations(
      createStores({
        pools: { db: world.db, lists: world.db },
        clickhouse: world.clickhouse,
        accounting,
        retention: world.config.retention,
        idleMs: 1,
        sealer: undefined,
        doTokensEndWithCreator: false,
      }),
      {
        announce: () => Promise.resolve(),
        maxTokenDays: world.config.auth.maxTokenDays,
        passOn: () => Promise.resolve(),
        targetRules: { mayLoopBack: false },
      },
    );
    await accounting.close();
    const tokens = { verify: () => Promise.resolve('unknown' as const), waiting: () => 0 };
    const performer = createPerformer({
      identification: { authType: 'token', hosts: [], origins: [], tokens, sessions: undefined },
      lookups: createProjectLookups(world.db),
      dailyWrites: createDailyWrites(world.db, world.config.admin.dailyWrites),
      queues: createQueues({ forChanges: 4, forLists: 4 }),
      registry: createRegistry(),
      isUnavailable: () => false,
      noteRejection: () => undefined,
    });
    const router = createOperationRouter(operations, performer);
    const served = router.stack.flatMap(({ methods, path }) =>
      methods.filter((method) => method !== 'HEAD').map((method) => `${method} ${String(path)}`),
    );
    const documented = operationsOf(world.api).map(
      ({ method, template }) => `${method.toUpperCase()} ${template.replaceAll(/\{(\w+)\}/g, ':$1')}`,
    );
    expect(served).to.have.members(documented);
    expect(documented.length).to.be.greaterThan(40);
  });

  it('has examples that match its own schemas, and a unique name for each operation', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    const ids: string[] = [];
    const contents: { place: string; content: { schema: object; example: unknown } }[] = [];
    for (const methods of Object.values(world.api.document.paths)) {
      for (const operation of Object.values(methods)) {
        ids.push(operation.operationId);
        collect(operation, operation.operationId, contents);
      }
    }
    expect(new Set(ids).size).to.equal(ids.length);
    expect(contents.length).to.be.greaterThan(50);
    for (const { place, content } of contents) {
      const isValid = ajv.compile({ ...content.schema, components: world.api.document.components });
      expect(isValid(content.example), `${place}: ${JSON.stringify(isValid.errors)}`).to.equal(true);
    }
  });

  it('is shown by Swagger UI, from our own origin only', async () => {
    const page = await fetch(`${world.api.url}/docs/openapi`);
    expect(page.url).to.equal(`${world.api.url}/docs/openapi/`);
    const html = await page.text();
    expect(html).not.to.match(/https?:/);
    expect(page.headers.get('content-security-policy')).to.contain("default-src 'self'");
    const names = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, name]) => name ?? '');
    expect(names).to.have.length(4);
    for (const name of names) expect((await fetch(`${page.url}${name}`)).status, name).to.equal(200);
    expect(await (await fetch(`${page.url}start.js`)).text()).to.contain('validatorUrl: null');
  });
});

/** Every object with a schema and an example. */
function collect(
  value: unknown,
  place: string,
  found: { place: string; content: { schema: object; example: unknown } }[],
): void {
  if (typeof value !== 'object' || value === null) return;
  if ('schema' in value && 'example' in value && typeof value.schema === 'object' && value.schema !== null)
    found.push({ place, content: { schema: value.schema, example: value.example } });
  else for (const [key, item] of Object.entries(value)) collect(item, `${place}.${key}`, found);
}
