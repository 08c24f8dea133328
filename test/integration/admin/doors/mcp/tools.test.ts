import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import { refreshVerdicts } from '#core/clickhouse';
import { READING_TOOLS, WRITING_TOOLS } from '../../../../../packages/tooling/mcp/tools/declarations.ts';
import {
  type Agent,
  type AgentOptions,
  connectByHttp,
  connectByStdio,
} from '../../../../support/admin-api/agents.ts';
import { sharedCountedAdminWorld } from '../../../../support/admin-api/admin.ts';
import { createHistory, untilHistoryLasts } from '../../../../support/builders/history.ts';
import { eventually } from '../../../../support/eventually.ts';
import { hoursAgo } from '../../../../support/senders/impact.ts';
import { isNight } from '../../../../support/nightly.ts';
import { countAll } from '../../../../support/admin-api/usage.ts';

type Connect = (options: AgentOptions) => Promise<Agent>;

/** By day each transport and each handshake once. */
const WAYS: readonly (readonly [string, Connect])[] = [
  ['over HTTP, with the handshake of 2025', (options) => connectByHttp({ ...options, era: 'legacy' })],
  ['over stdio, without a handshake', (options) => connectByStdio({ ...options, era: 'auto' })],
];
const WAYS_AT_NIGHT: typeof WAYS = [
  ['over HTTP, without a handshake', (options) => connectByHttp({ ...options, era: 'auto' })],
  ['over stdio, with the handshake of 2025', (options) => connectByStdio({ ...options, era: 'legacy' })],
];

describe('agents that read', () => {
  const world = sharedCountedAdminWorld();
  before(async () => {
    await untilHistoryLasts();
    const history = createHistory();
    const longAgo = { first: 100 * 24, last: 1 };
    for (const feature of ['always', 'mixed']) {
      history.exists(feature);
      history.seen(feature, longAgo);
      await world.api.post('/api/admin/projects/default/features', { name: feature });
    }
    history.evaluated({ feature: 'always', daysAgo: 2, yes: 2000 });
    history.evaluated({ feature: 'mixed', daysAgo: 2, yes: 2000, no: 2000 });
    await history.write(world);
    const at = new Date(hoursAgo(2)).toISOString();
    await countAll(world.clickhouse, [{ at, feature_name: 'allways' }]);
    await refreshVerdicts(world.clickhouse);
  });

  for (const [way, connect] of isNight() ? [...WAYS, ...WAYS_AT_NIGHT] : WAYS)
    describe(way, () => {
      const areAll = isNight() || way.startsWith('over HTTP');
      let agent: Agent;
      before(async () => {
        agent = await connect({ url: world.api.url });
      });
      after(() => agent.close());

      it('are offered the tools that read, and no others', async () => {
        const tools = await agent.tools();
        expect(tools.map(({ name }) => name)).to.deep.equal(READING_TOOLS.map(({ name }) => name));
        for (const { name, annotations, description = '' } of tools) {
          expect(annotations, name).to.include({ readOnlyHint: true });
          expect(description, name).to.match(/^\S.*\. \S.*\.$/s);
        }
        // Some providers of models reject a tool for these.
        expect(JSON.stringify(tools)).to.not.match(/"(?:if|then|else|const)":/);
      });

      it('get the answers of the API', async () => {
        const usage = { feature: ['always'], interval: 'month', groupBy: 'application' };
        const calls = [
          ['find_features', { search: 'mix' }, '/api/admin/search/features?search=mix&limit=20'],
          [
            'find_features',
            { verdict: 'always_on' },
            '/api/admin/search/features?verdict=always_on&limit=20',
          ],
          ['get_feature', ALWAYS, '/api/admin/projects/default/features/always'],
          ['list_verdicts', { feature: 'always' }, '/api/admin/metrics/verdicts?feature=always'],
          ['list_verdict_history', {}, '/api/admin/verdicts'],
          ['get_usage', usage, '/api/admin/metrics/usage?feature=always&interval=month&groupBy=application'],
          ['who_evaluates', { featureName: 'always' }, '/api/admin/client-metrics/features/always'],
          ['find_applications', {}, '/api/admin/search/applications'],
          ['find_unknown_flags', {}, '/api/admin/search/unknown-flags'],
          ['find_code_references', { featureName: 'always' }, '/api/admin/code-references/features/always'],
          ['compare_arms', { featureName: 'always' }, '/api/admin/client-metrics/features/always/impact'],
          ['list_impact_metrics', {}, '/api/admin/metrics/impact-metrics'],
          ['list_feature_events', { toggleName: 'always' }, '/api/admin/events/always'],
          ['find_events', { feature: 'always' }, '/api/admin/search/events?feature=always'],
          ['find_change_requests', {}, '/api/admin/search/change-requests'],
        ] as const;
        for (const [tool, input, path] of calls.filter(([name]) => areAll || SOME.includes(name))) {
          const ask = async () => {
            const { isError, text, data } = await agent.call(tool, input);
            const { body } = await world.api.get(path);
            return { tool, ofTool: isError ? text : withoutWindow(data), ofApi: withoutWindow(body) };
          };
          // Verdicts may appear in their history between the two answers, and a busy ClickHouse may be too late for one of them.
          await eventually(ask, ({ ofTool, ofApi }) => isDeepStrictEqual(ofTool, ofApi));
        }
        const { at: _, ...accounting } = (await agent.call('get_accounting')).data as Record<string, unknown>;
        const { body } = await world.api.get('/api/admin/metrics/accounting');
        expect(body).to.deep.include(accounting);
      });

      it('find what could go, and the evidence', async () => {
        const { text } = await agent.call('list_verdicts', { verdict: 'always_on' });
        expect(text).to.include('Each of its 2000 evaluations').and.include('"featureName":"always"');
        const unknown = await agent.call('find_unknown_flags');
        expect(unknown.text).to.include('"name":"allways"');
      });

      it('are told what is wrong with their arguments', async () => {
        for (const [tool, input, part] of [
          ['find_features', { limit: 1000 }, '/limit must be <= 100'],
          ['find_features', { limit: '5' }, '/limit must be integer, is string'],
          ['find_features', { name: 'x' }, 'The arguments are: limit, cursor'],
          ['get_feature', { projectId: 'default' }, "must have required property 'featureName'"],
          ['get_usage', { from: 'yesterday' }, '/from must be an RFC 3339 date and time'],
          ['get_usage', { timezone: 'Mars' }, '/timezone must be a time zone'],
          ['get_feature', { ...ALWAYS, featureName: 'none' }, '"name":"NotFoundError"'],
          ['find_features', { cursor: 'x' }, '"name":"ValidationError"'],
        ] as const) {
          const { isError, text } = await agent.call(tool, input);
          expect(isError, tool).to.equal(true);
          expect(text).to.include(part);
        }
      });

      it('cannot call tools that write', async () => {
        for (const { name } of WRITING_TOOLS) {
          const failure = await agent.call(name, {}).then(
            ({ isError, text }) => (isError ? text : undefined),
            (error: unknown) => String(error),
          );
          expect(failure).to.match(/not found|unknown tool/i);
        }
      });
    });
});

/** The window of a comparison without `from` and `to` ends now. */
function withoutWindow(answer: unknown): unknown {
  const { from: _, to: __, ...rest } = answer as Record<string, unknown>; // an answer is an object
  return rest;
}

/** By day, agents over stdio only call these: all others do the same with them. */
const SOME: readonly string[] = ['find_features', 'get_feature', 'get_usage', 'find_applications'];

const ALWAYS = { projectId: 'default', featureName: 'always' };
