import { expect } from 'chai';
import { READING_TOOLS, WRITING_TOOLS } from '../../../../../packages/tooling/mcp/tools/declarations.ts';
import { type Where, fillProject, idsIn } from '../../../../support/admin-api/places.ts';
import { aUser, sharedAdminWorld } from '../../../../support/admin-api/admin.ts';
import { type Agent, connectByHttp } from '../../../../support/admin-api/agents.ts';

type Inputs = Readonly<Record<string, unknown>>;

describe('the tools of agents', () => {
  const world = sharedAdminWorld({ MCP_TOOLS: 'write' });
  let agent: Agent;
  before(async () => {
    const { api } = world;
    for (const project of ['own', 'other']) {
      await api.post('/api/admin/projects', { id: project, name: project });
      await fillProject(world, project);
    }
    const { token } = await aUser(api, 'None', 'olga');
    await api.post('/api/admin/projects/own/access', { user: 'olga', role: 'Owner' });
    agent = await connectByHttp({ url: api.url, token });
  });
  after(() => agent.close());

  /** The arguments that name a project or a thing of it. */
  async function namesIn(where: Where): Promise<Inputs> {
    const { request, verdict } = await idsIn(world, where);
    return {
      projectId: where,
      project: where,
      search: where,
      environment: 'production',
      reason: 'known',
      featureName: `${where}-flag`,
      toggleName: `${where}-flag`,
      feature: `${where}-flag`,
      id: request,
      verdictId: verdict,
      changes: [{ feature: `${where}-flag`, action: 'archiveFeature' }],
    };
  }

  it('show nothing of another project without arguments', async () => {
    for (const { name } of READING_TOOLS.filter(({ name: tool }) => !NEEDS_NAMES.test(tool))) {
      const { text } = await agent.call(name);
      expect(text, name).not.to.include('other');
    }
    expect((await agent.call('find_features')).text).to.include('own-flag');
    expect((await agent.call('find_events')).text).to.include('own-flag');
  });

  it('answer with the names of another project as with names that do not exist', async () => {
    const [theirs, nobodys] = [await namesIn('other'), await namesIn('nowhere')];
    const tools = await agent.tools();
    expect(tools).to.have.length(READING_TOOLS.length + WRITING_TOOLS.length);
    for (const { name, inputSchema } of tools) {
      const { required = [], properties = {} } = inputSchema;
      const optional = Object.keys(properties).filter((key) => key in theirs && !required.includes(key));
      for (const more of [[], ...optional.map((key) => [key])]) {
        const keys = [...required, ...more];
        const call = async (names: Inputs) => {
          const input = Object.fromEntries(keys.map((key) => [key, names[key]]));
          const isList = name === 'get_usage' && 'feature' in input;
          const { text } = await agent.call(name, isList ? { ...input, feature: [names['feature']] } : input);
          return text.replaceAll(/other|nowhere/g, 'there').replaceAll(NUMBERS, '0');
        };
        expect(await call(theirs), `${name} ${keys.join(' ')}`).to.equal(await call(nobodys));
      }
    }
  });

  it('open no change request for a feature of another project under the own one', async () => {
    const open = (where: Where) =>
      agent.call('open_change_request', {
        projectId: 'own',
        environment: 'production',
        changes: [{ feature: `${where}-flag`, action: 'archiveFeature' }],
      });
    const [own, theirs, nobodys] = [await open('own'), await open('other'), await open('nowhere')];
    expect(own.isError, own.text).to.equal(false);
    expect(theirs.isError).to.equal(true);
    expect(theirs.text.replaceAll('other', 'nowhere').replaceAll(NUMBERS, '0')).to.equal(
      nobodys.text.replaceAll(NUMBERS, '0'),
    );
  });
});

const NEEDS_NAMES = /^(get_feature|who_evaluates|find_code_references|compare_arms|list_feature_events)$/;

/** Ids, and times that are now. */
const NUMBERS = /[0-9a-f]{8}-[0-9a-f-]{27}|\d[\d:.TZ-]*/g;
