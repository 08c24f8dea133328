import { expect } from 'chai';
import { WRITING_TOOLS } from '../../../../../packages/tooling/mcp/tools/declarations.ts';
import {
  type Finding,
  recordFindings,
} from '../../../../../services/admin/advice/verdicts/store/record-findings.ts';
import {
  type Agent,
  type AgentOptions,
  connectByHttp,
  connectByStdio,
} from '../../../../support/admin-api/agents.ts';
import { aUser, sharedAdminWorld, eventTypesOf, runAdmin } from '../../../../support/admin-api/admin.ts';

type Connect = (options: AgentOptions) => Promise<Agent>;

const WAYS: readonly (readonly [string, Connect])[] = [
  ['over HTTP', connectByHttp],
  ['over stdio', (options) => connectByStdio(options, '--allow-writes')],
];

describe('agents that write', () => {
  const world = sharedAdminWorld({ MCP_TOOLS: 'write', MAX_WRITES_PER_DAY: '20' });
  let verdictId: number;
  const tokens: Record<string, string> = {};
  before(async () => {
    for (const [name, role] of [
      ['vera', 'Viewer'],
      ['eve', 'Editor'],
      ['ed', 'Editor'],
    ] as const)
      tokens[name] = (await aUser(world.api, role, name)).token;
    await world.api.post('/api/admin/projects/default/features', { name: 'always' });
    await recordFindings(world.db, {
      subjectTypes: ['feature'],
      verdicts: ['always_on'],
      found: [FINDING],
      isComplete: true,
    });
    const { body } = await world.api.get('/api/admin/verdicts?feature=always');
    verdictId = (body as { verdicts: { id: number }[] }).verdicts[0]?.id ?? 0;
  });

  for (const [index, [way, connect]] of WAYS.entries())
    describe(way, () => {
      const person = index === 0 ? 'eve' : 'ed';
      const agents = new Map<string, Agent>();
      const as = async (name: string): Promise<Agent> => {
        const agent = agents.get(name) ?? (await connect({ url: world.api.url, token: tokens[name] ?? '' }));
        agents.set(name, agent);
        return agent;
      };
      after(() => Promise.all([...agents.values()].map((agent) => agent.close())));

      it('are offered them, marked as such', async () => {
        const tools = await (await as('vera')).tools();
        const writing = tools.filter(({ annotations }) => annotations?.readOnlyHint === false);
        expect(writing.map(({ name }) => name)).to.deep.equal(WRITING_TOOLS.map(({ name }) => name));
      });

      it('have the role of their token', async () => {
        const agent = await as('vera');
        const before = await eventTypesOf(world.api, 'always');
        for (const [tool, input] of [
          ['acknowledge_verdict', { verdictId: String(verdictId), reason: 'x' }],
          ['open_change_request', { projectId: 'default', environment: 'production', changes: [ARCHIVE] }],
        ] as const) {
          const { isError, text } = await agent.call(tool, input);
          expect(isError, tool).to.equal(true);
          expect(text).to.include('"name":"NoAccessError"');
        }
        expect(await eventTypesOf(world.api, 'always')).to.deep.equal(before);
      });

      it('acknowledge a verdict in the name of their user', async () => {
        const reason = `until the campaign ends, ${way}`;
        const input = { verdictId: String(verdictId), reason, until: '2099-01-01T00:00:00Z' };
        const { isError, text } = await (await as(person)).call('acknowledge_verdict', input);
        expect(isError, text).to.equal(false);
        const { body } = await world.api.get('/api/admin/verdicts?state=acknowledged&feature=always');
        const [recorded] = (body as { verdicts: { acknowledgement: object }[] }).verdicts;
        expect(recorded?.acknowledgement).to.include({ reason, by: person });
      });

      it('open a change request and submit it, but neither approve nor apply it', async () => {
        const agent = await as(person);
        const place = { projectId: 'default', environment: 'production' };
        const opened = await agent.call('open_change_request', {
          ...place,
          title: 'Gone',
          changes: [ARCHIVE],
        });
        expect(opened.isError, opened.text).to.equal(false);
        const { id } = opened.data as { id: number };
        const submitted = await agent.call('submit_change_request', { projectId: 'default', id: String(id) });
        expect(submitted.data).to.include({ state: 'In review', title: 'Gone' });
        const found = await agent.call('find_change_requests', { feature: 'always', state: 'In review' });
        expect(found.text).to.include(`"id":${id},`);
        const approval = { projectId: 'default', id: String(id), state: 'Approved' };
        const { isError, text } = await agent.call('submit_change_request', approval);
        expect(isError).to.equal(true);
        expect(text).to.include('The arguments are: projectId, id, comment.');
      });
    });

  describe('too often', () => {
    it('are stopped by the daily limit of their user', async () => {
      const agent = await connectByHttp({ url: world.api.url, token: tokens['ed'] ?? '' });
      const acknowledge = () =>
        agent.call('acknowledge_verdict', { verdictId: String(verdictId), reason: 'x' });
      const answers = await Promise.all(Array.from({ length: 21 }, acknowledge));
      await agent.close();
      const stopped = answers.filter(({ isError }) => isError);
      expect(stopped).not.to.deep.equal([]);
      for (const { text } of stopped) expect(text).to.include('"name":"TooManyRequests"');
      const { body } = await world.api.get('/api/admin/verdicts?state=acknowledged');
      expect((body as { verdicts: unknown[] }).verdicts).to.have.length(1);
    });
  });

  it('get 404 from a service without /mcp', async () => {
    const api = await runAdmin(world, { MCP_TOOLS: 'none' });
    expect((await api.post('/mcp', {})).status).to.equal(404);
  });
});

const ARCHIVE = { feature: 'always', action: 'archiveFeature' };

const FINDING: Finding = {
  subjectType: 'feature',
  subject: 'always',
  environment: 'production',
  verdict: 'always_on',
  sentence: 'Each evaluation of always was enabled.',
  since: '2026-10-22T00:00:00.000Z',
  evaluations: 2000,
};
